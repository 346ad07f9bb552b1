/**
 * A line of places that are taken, in order.
 *
 * Owns: which places are taken, and who waits until all before a place are left. Does not own what is done there.
 */

/** A place in a {@link Line}. */
export interface Stand {
  readonly place: number
  isLeft: boolean
  previous: Stand | undefined
  next: Stand | undefined
}

interface Waiter {
  readonly place: number
  resolve(): void
}

/** See the file's header. */
export class Line {
  #first: Stand | undefined
  #last: Stand | undefined
  /** By place, then by order of creation. */
  readonly #waiters: Waiter[] = []

  /** Whether no place is taken. */
  get isEmpty(): boolean {
    return this.#first === undefined
  }

  /** Takes a place after all that were taken before. */
  take(place: number): Stand {
    const stand: Stand = { place, isLeft: false, previous: this.#last, next: undefined }
    if (this.#last === undefined) this.#first = stand
    else this.#last.next = stand
    this.#last = stand
    return stand
  }

  /** Leaves a place; does nothing if it was left before. */
  leave(stand: Stand): void {
    if (stand.isLeft) return
    stand.isLeft = true
    const { previous, next } = stand
    if (next === undefined) this.#last = previous
    else next.previous = previous
    if (previous !== undefined) {
      previous.next = next
      return
    }
    this.#first = next
    while (this.#waiters.length > 0 && this.#isPast(this.#waiters[0]!.place)) this.#waiters.shift()!.resolve()
  }

  /** Resolves once no place before `place` is taken; undefined if that is so now. */
  past(place: number): Promise<void> | undefined {
    if (this.#isPast(place)) return undefined
    return new Promise((resolve) => {
      let at = this.#waiters.length
      while (at > 0 && this.#waiters[at - 1]!.place > place) at--
      this.#waiters.splice(at, 0, { place, resolve })
    })
  }

  #isPast(place: number): boolean {
    return this.#first === undefined || this.#first.place >= place
  }
}
