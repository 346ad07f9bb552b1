/**
 * A map of the entries used last, for values that are computed again if they are no longer in it.
 *
 * Owns: its entries, in two generations. Once the newer one is full the older one is dropped.
 */
export class RecentMap<Key, Value extends NonNullable<unknown>> {
  readonly #most: number
  #newer = new Map<Key, Value>()
  #older = new Map<Key, Value>()

  /** @param most - the most entries of a generation. */
  constructor(most: number) {
    this.#most = most
  }

  get(key: Key): Value | undefined {
    const value = this.#newer.get(key)
    if (value !== undefined) return value
    const older = this.#older.get(key)
    if (older !== undefined) this.set(key, older)
    return older
  }

  set(key: Key, value: Value): void {
    if (this.#newer.size >= this.#most) {
      this.#older = this.#newer
      this.#newer = new Map()
    }
    this.#newer.set(key, value)
  }
}
