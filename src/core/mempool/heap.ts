/** A binary heap: the element that `before` puts first is at the top. */
export class Heap<T> {
  readonly #items: T[]
  readonly #before: (a: T, b: T) => boolean

  /** @param items - the first elements; the heap takes over the array. Ordered in linear time. */
  constructor(before: (a: T, b: T) => boolean, items: T[] = []) {
    this.#before = before
    this.#items = items
    for (let i = (items.length >> 1) - 1; i >= 0; i--) this.#sink(i)
  }

  /** The number of elements. */
  get size(): number {
    return this.#items.length
  }

  /** The top, which stays; undefined if the heap is empty. */
  peek(): T | undefined {
    return this.#items[0]
  }

  /** Adds an element. */
  push(item: T): void {
    const items = this.#items
    let i = items.push(item) - 1
    while (i > 0) {
      const parent = (i - 1) >> 1
      const above = items[parent] as T
      if (!this.#before(item, above)) break
      items[i] = above
      i = parent
    }
    items[i] = item
  }

  /** Removes and returns the top; undefined if the heap is empty. */
  pop(): T | undefined {
    const top = this.#items[0]
    const last = this.#items.pop()
    if (this.#items.length > 0) {
      this.#items[0] = last as T
      this.#sink(0)
    }
    return top
  }

  #sink(from: number): void {
    const items = this.#items
    const item = items[from] as T
    let i = from
    for (;;) {
      let child = 2 * i + 1
      if (child >= items.length) break
      if (child + 1 < items.length && this.#before(items[child + 1] as T, items[child] as T)) child++
      const below = items[child] as T
      if (!this.#before(below, item)) break
      items[i] = below
      i = child
    }
    items[i] = item
  }
}
