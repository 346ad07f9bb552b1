/**
 * The line that says what became of what was asked for. It is read out, so it speaks of nothing else: the steps of a
 * sending, and of what went wrong.
 */
import type { Hash } from 'preseal'
import { find, setText } from '../dom.ts'
import { duration, plural } from '../format.ts'
import type { Story, Transaction } from '../story.ts'

/** See the file's header. */
export class Status {
  readonly #line = find('#status', HTMLElement)
  readonly #story: Story
  /** The sending that is watched. */
  #batch: readonly Transaction[] = []

  constructor(story: Story) {
    this.#story = story
  }

  /** Says something. */
  say(text: string): void {
    this.#batch = []
    this.#line.removeAttribute('data-failed')
    setText(this.#line, text)
  }

  /** Says what went wrong. */
  fail(reason: unknown): void {
    this.say(reason instanceof Error ? reason.message : `${reason}`)
    this.#line.toggleAttribute('data-failed', true)
  }

  /** Says from now on how far these transactions are. */
  watch(hashes: readonly Hash[]): void {
    this.#batch = hashes.flatMap((hash) => this.#story.get(hash) ?? [])
    this.draw()
  }

  /** Says how far those are that are watched. */
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

/** The longest time from sending to `stage`; none before all have got there. */
function slowest(batch: readonly Transaction[], stage: 'preconfirmedAt' | 'sealedAt'): number | undefined {
  const times = batch.map((transaction) => (transaction[stage] ?? Number.NaN) - transaction.sentAt)
  const longest = Math.max(...times)
  return Number.isNaN(longest) ? undefined : longest
}
