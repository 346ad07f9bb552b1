/** The output of a run, as far as it is shown. The worker limits it: a page could not keep up with a loop that prints. */
import type { OutputKind, RunEvent } from './protocol.ts'

/** The most lines that are shown. */
export const MAX_LINES = 500

/** The most characters of a line. */
export const MAX_CHARACTERS = 10_000

/** Prints one line; `toText` is called only if it is shown. */
export type Print = (kind: OutputKind, toText: () => string) => void

/** Sends lines until there are enough of them, then a line that says so, and nothing more. */
export function createPrint(send: (event: RunEvent) => void): Print {
  let lines = 0
  return (kind, toText) => {
    if (lines > MAX_LINES) return
    lines += 1
    if (lines > MAX_LINES) {
      send({ type: 'output', kind: 'warning', text: `Only the first ${MAX_LINES} lines are shown.` })
      return
    }
    const text = toText()
    const isLong = text.length > MAX_CHARACTERS
    send({ type: 'output', kind, text: isLong ? `${text.slice(0, MAX_CHARACTERS)}…` : text })
  }
}
