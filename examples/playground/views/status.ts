/**
 * The status line: the progress of sent transactions, and errors. Screen readers read it out, so it shows nothing else.
 */
import type { Hash } from 'preseal'
import { find, setText } from '../dom.ts'
import { duration, plural } from '../format.ts'
import type { Story, Transaction } from '../story.ts'

/** See the file's header. */
export class Status {
  readonly #line = find('#status', HTMLElement)
  readonly #story: Story
  /** The transactions whose progress is shown. */
  #batch: readonly Transaction[] = []

  constructor(story: Story) {
    this.#story = story
  }

  /** Shows a text. */
  say(text: string): void {
    this.#batch = []
    this.#line.removeAttribute('data-failed')
    setText(this.#line, text)
  }

  /** Shows an error. */
  fail(reason: unknown): void {
    this.say(reason instanceof Error ? reason.message : `${reason}`)
    this.#line.toggleAttribute('data-failed', true)
  }

  /** Shows the progress of these transactions from now on. */
  watch(hashes: readonly Hash[]): void {
    this.#batch = hashes.flatMap((hash) => this.#story.get(hash) ?? [])
    this.draw()
  }

  /** Shows the current progress. */
  draw(): void {
    const batch = this.#batch
    if (batch.length === 0) return
    const size = plural(batch.length, 'transaction')
    const [preconfirmed, sealed] = [slowest(batch, 'preconfirmedAt'), slowest(batch, 'sealedAt')]
    let stage = 'waiting in the pool'
    if (sealed !== undefined) stage = `sealed within ${duration(sealed)}`
    else if (preconfirmed !== undefined) stage = `pre-confirmed within ${duration(preconfirmed)}`
    setText(this.#line, `${size} ${stage}.`)
  }
}

/** The longest time from sending to `stage`; undefined until all have reached it. */
function slowest(batch: readonly Transaction[], stage: 'preconfirmedAt' | 'sealedAt'): number | undefined {
  const times = batch.map((transaction) => (transaction[stage] ?? Number.NaN) - transaction.sentAt)
  const longest = Math.max(...times)
  return Number.isNaN(longest) ? undefined : longest
}
