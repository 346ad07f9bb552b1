/** Recently used entries, in two generations of a size `most`. When the newer one is full, the older one is dropped. */
export class RecentMap<Key, Value extends NonNullable<unknown>> {
  readonly #most: number
  #newer = new Map<Key, Value>()
  #older = new Map<Key, Value>()

  constructor(most: number) {
    this.#most = most
  }

  has(key: Key): boolean {
    return this.#newer.has(key) || this.#older.has(key)
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

interface Keyed<Key, Value> {
  has(key: Key): boolean
  get(key: Key): Value | undefined
  set(key: Key, value: Value): unknown
}

/** Returns the value of a key, or stores the result of `make`: `Map.prototype.getOrInsertComputed` of ES2026. */
export function getOrInsert<Key, Value>(map: Keyed<Key, Value>, key: Key, make: (key: Key) => Value): Value {
  const known = map.get(key)
  if (known !== undefined || map.has(key)) return known as Value
  const made = make(key)
  map.set(key, made)
  return made
}

/** Splits items into parts of a limited size, in order. An item that is larger is a part by itself. */
export function splitBySize<Item>(
  items: readonly Item[],
  limit: number,
  sizeOf: (item: Item) => number,
): Item[][] {
  const parts: Item[][] = []
  let size = Number.POSITIVE_INFINITY
  for (const item of items) {
    size += sizeOf(item)
    if (size > limit) {
      parts.push([])
      size = sizeOf(item)
    }
    parts.at(-1)!.push(item)
  }
  return parts
}
