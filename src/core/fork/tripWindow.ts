/** How many trips may be in flight: half as many once the node limits the rate, and slowly more again. */
export class TripWindow {
  readonly #most: number
  #width: number
  /** Increased whenever the window shrinks. */
  #era = 0

  constructor(most: number) {
    this.#most = most
    this.#width = most
  }

  /** Trips that may be in flight. */
  get size(): number {
    return Math.floor(this.#width)
  }

  /** Notes that a trip begins. @returns what {@link shrink} takes. */
  enter(): number {
    return this.#era
  }

  /** Halves the window because of a trip, unless it was halved since that trip began: both met the same limit. */
  shrink(entry: number): void {
    if (entry !== this.#era) return
    this.#era += 1
    this.#width = Math.max(1, this.#width / 2)
  }

  /** Widens the window by one for as many trips as fit into it. */
  grow(): void {
    this.#width = Math.min(this.#most, this.#width + 1 / this.#width)
  }
}
