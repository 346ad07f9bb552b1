/** The line that says how a chain is doing, and the rate it shows. */

/** What the line shows. */
export interface Status {
  /** Number of the block under construction. */
  readonly block: number
  /** Index of its newest snapshot. */
  readonly snapshot: number
  /** Transactions that wait, queued ones included. */
  readonly pool: number
  /** Transactions pre-confirmed per second. */
  readonly rate: number
}

/** One line, without an end. */
export function statusLine({ block, snapshot, pool, rate }: Status): string {
  return `block ${block}  snapshot ${snapshot}  pool ${pool}  ${rate} tx/s`
}

/** Counts what happened in the last second. */
export class RateMeter {
  /** Oldest first. */
  #samples: { readonly at: number; readonly count: number }[] = []

  /**
   * Takes note of what happened, and says how much did in the second up to now.
   *
   * @param at - ms, never less than before
   */
  add(at: number, count: number): number {
    this.#samples.push({ at, count })
    this.#samples = this.#samples.filter((sample) => sample.at > at - 1000)
    return this.#samples.reduce((sum, sample) => sum + sample.count, 0)
  }
}
