/** The status line of a chain, and the rate it shows. */

/** The values of the status line. */
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

/** The status line, without a line break. */
export function statusLine({ block, snapshot, pool, rate }: Status): string {
  return `block ${block}  snapshot ${snapshot}  pool ${pool}  ${rate} tx/s`
}

/** Counts events of the last second. */
export class RateMeter {
  /** Oldest first. */
  #samples: { readonly at: number; readonly count: number }[] = []

  /**
   * Adds `count` events and returns how many there were in the last second.
   *
   * @param at - milliseconds; must not decrease.
   */
  add(at: number, count: number): number {
    this.#samples.push({ at, count })
    this.#samples = this.#samples.filter((sample) => sample.at > at - 1000)
    return this.#samples.reduce((sum, sample) => sum + sample.count, 0)
  }
}
