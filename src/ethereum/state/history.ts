/**
 * The values of keys, version by version, in one flat map.
 *
 * Owns: its entries. Does not own: which versions are retained; `push` adds a key's newest entry, `pop` removes the
 * newest, `forget` the oldest. A key with one entry, as nearly all have, holds a small object; a key with more holds
 * two arrays, searched by bisection.
 */

/** Keeps the entries of all keys. A position is the number of a version. */
export class History<K, V> {
  readonly #held = new Map<K, Entry<V> | Series<V>>()
  readonly #absent: V | undefined

  /** @param absent - the value of a key without an entry. It is stored only while the key has an older entry. */
  constructor(absent?: V) {
    this.#absent = absent
  }

  get keys(): number {
    return this.#held.size
  }

  get entries(): number {
    let entries = 0
    for (const held of this.#held.values()) entries += held instanceof Series ? held.length : 1
    return entries
  }

  /** The value of `key` in the version at `position`; undefined without an entry. */
  at(key: K, position: number): V | undefined {
    const held = this.#held.get(key)
    if (held === undefined) return undefined
    if (held instanceof Series) return held.at(position)
    return held.position <= position ? held.value : undefined
  }

  *entriesAt(position: number): Iterable<readonly [K, V]> {
    for (const key of this.#held.keys()) {
      const value = this.at(key, position)
      if (value !== undefined && value !== this.#absent) yield [key, value]
    }
  }

  newestFirst(key: K): Iterable<Entry<V>> {
    const held = this.#held.get(key)
    if (held === undefined) return []
    return held instanceof Series ? held.newestFirst() : [held]
  }

  push(key: K, position: number, value: V): void {
    const held = this.#held.get(key)
    if (held === undefined) this.#held.set(key, { position, value })
    else if (held instanceof Series) held.push(position, value)
    else this.#held.set(key, new Series([held.position, position], [held.value, value]))
  }

  pop(key: K): void {
    const held = this.#held.get(key)
    if (!(held instanceof Series)) this.#held.delete(key)
    else if (held.length === 2) this.#held.set(key, held.first)
    else held.pop()
  }

  /**
   * Removes the entry of `key` before the entry at `position`, if there is one. If the entry at `position` only records
   * absence, removes it too.
   *
   * @returns the value of the earlier entry; undefined if there was none.
   */
  forget(key: K, position: number): V | undefined {
    const held = this.#held.get(key)!
    const { first } = held instanceof Series ? held : { first: held }
    const older = first.position < position
    if (older) this.#shift(key)
    if (this.#absent !== undefined && this.at(key, position) === this.#absent) this.#shift(key)
    return older ? first.value : undefined
  }

  #shift(key: K): void {
    const held = this.#held.get(key)
    if (!(held instanceof Series)) this.#held.delete(key)
    else if (held.length === 2) this.#held.set(key, held.last)
    else held.shift()
  }
}

interface Entry<V> {
  readonly position: number
  readonly value: V
}

/** Two or more entries, oldest first. */
class Series<V> {
  readonly #positions: number[]
  readonly #values: V[]
  /** The first live index. The arrays are cut when half is dead, so that removal is cheap. */
  #start = 0

  constructor(positions: number[], values: V[]) {
    this.#positions = positions
    this.#values = values
  }

  get length(): number {
    return this.#values.length - this.#start
  }

  get first(): Entry<V> {
    return { position: this.#positions[this.#start]!, value: this.#values[this.#start]! }
  }

  get last(): Entry<V> {
    return { position: this.#positions.at(-1)!, value: this.#values.at(-1)! }
  }

  at(position: number): V | undefined {
    let low = this.#start
    let high = this.#positions.length
    // Nearly all reads are of the newest version.
    if (this.#positions[high - 1]! <= position) return this.#values[high - 1]!
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#positions[middle]! <= position) low = middle + 1
      else high = middle
    }
    return low === this.#start ? undefined : this.#values[low - 1]!
  }

  *newestFirst(): Iterable<Entry<V>> {
    for (let i = this.#values.length - 1; i >= this.#start; i--) {
      yield { position: this.#positions[i]!, value: this.#values[i]! }
    }
  }

  push(position: number, value: V): void {
    this.#positions.push(position)
    this.#values.push(value)
  }

  pop(): void {
    this.#positions.pop()
    this.#values.pop()
  }

  shift(): void {
    this.#start += 1
    if (2 * this.#start < this.#values.length) return
    this.#positions.splice(0, this.#start)
    this.#values.splice(0, this.#start)
    this.#start = 0
  }
}
