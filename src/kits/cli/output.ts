/**
 * What the command prints to a stream that nobody may read: a pipe without a reader neither takes all memory nor keeps the
 * process.
 *
 * Owns: the count of the lines that were left out. Does not own the stream.
 */
import { systemClock } from '../../base/clock.ts'

/** Bytes that wait at most before further lines are left out. */
const MAX_WAITING = 2 ** 22

/** Milliseconds that the end of the process waits for what was printed before. */
const LAST_WAIT = 1000

/** The part of `process.stdout` and `process.stderr` that is used. */
export interface OutputStream {
  readonly writableLength: number
  write(text: string, onWritten?: () => void): boolean
}

/** See the file's header. */
export class Output {
  readonly #stream: OutputStream
  #left = 0

  constructor(stream: OutputStream) {
    this.#stream = stream
  }

  /** Prints a text, which ends with a line break, unless too much waits to be read. */
  print(text: string): void {
    if (this.#stream.writableLength > MAX_WAITING) {
      this.#left += 1
      return
    }
    if (this.#left > 0) {
      this.#stream.write(`preseal: ${this.#left} outputs were left out, since those before were not read\n`)
      this.#left = 0
    }
    this.#stream.write(text)
  }
}

/** Resolves once these streams are read, or after a second. */
export async function untilRead(streams: readonly OutputStream[]): Promise<void> {
  const waiting = streams.filter(({ writableLength }) => writableLength > 0)
  if (waiting.length === 0) return
  await new Promise<void>((resolve) => {
    systemClock.setTimeout(resolve, LAST_WAIT)
    Promise.all(waiting.map((stream) => new Promise<void>((done) => stream.write('', done)))).then(() =>
      resolve(),
    )
  })
}
