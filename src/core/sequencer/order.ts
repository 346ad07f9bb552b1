/**
 * Gives each request a turn on arrival, so that the order of requests does not depend on how long an `await` takes.
 * Does not own the writer lock. A turn waits for earlier turns only, so turns never deadlock.
 *
 *   a send    waits for earlier changes and earlier sends of its sender; ends when it is in the mempool or refused
 *   a seal    in automine, waits until the sends of its group have ended and earlier sends are sealed
 *   a change  waits for all earlier requests
 */

import type { Address } from '../../base/types.ts'
import { DisconnectedError } from './errors.ts'

class Lines {
  readonly changes = new Line()
  /** Sends that have not ended. */
  readonly sends = new Line()
  /** Sends that have not ended, and whose sender is not known yet. */
  readonly unnamed = new Line()
  /** Sends that have not ended and, in automine, sends that have ended but are not sealed yet. */
  readonly unsealed = new Line()
  /** Sends that have not ended, by sender and place. */
  readonly bySender = new Map<Address, SendTurn[]>()
}

/** Sends that arrive together and are sealed together: the places from `first` to `end`, `end` excluded. */
interface Group {
  readonly first: number
  end: number
}

/** Assigns turns to requests. */
export class Order {
  readonly #reserve: () => number
  readonly #lines = new Lines()
  /** The group that the next send may join. */
  #joinable: Group | undefined

  /** @param reserve - returns the next place in the mempool's order of arrival. */
  constructor(reserve: () => number) {
    this.#reserve = reserve
  }

  /** @param isShared - whether the send may share a block with sends that arrive before the next microtask. */
  send(isShared: boolean): SendTurn {
    const place = this.#reserve()
    if (!isShared) {
      this.#joinable = undefined
      return new SendTurn(this.#lines, place, { first: place, end: place + 1 })
    }
    if (this.#joinable === undefined) {
      const group = { first: place, end: place + 1 }
      this.#joinable = group
      queueMicrotask(() => {
        if (this.#joinable === group) this.#joinable = undefined
      })
    }
    this.#joinable.end = place + 1
    return new SendTurn(this.#lines, place, this.#joinable)
  }

  change(): ChangeTurn {
    this.#joinable = undefined
    return new ChangeTurn(this.#lines, this.#reserve())
  }

  async run<Value>(change: () => Promise<Value>): Promise<Value> {
    const turn = this.change()
    try {
      const earlier = turn.begin()
      if (earlier !== undefined) await earlier
      return await change()
    } finally {
      turn.end()
    }
  }
}

/** The turn of a request that changes the chain without sending a transaction. */
export class ChangeTurn {
  readonly #lines: Lines
  readonly #stand: Stand

  constructor(lines: Lines, place: number) {
    this.#lines = lines
    this.#stand = lines.changes.take(place)
  }

  /**
   * Resolves when all earlier requests have ended and, in automine, all earlier sends are sealed. Returns undefined if
   * the change need not wait.
   *
   * @throws DisconnectedError if the turn was given up meanwhile.
   */
  begin(): Promise<void> | undefined {
    const { place } = this.#stand
    const changes = this.#lines.changes.past(place)
    const unsealed = this.#lines.unsealed.past(place)
    if (changes === undefined && unsealed === undefined) return undefined
    return Promise.all([changes, unsealed]).then(() => {
      if (this.#stand.isLeft) throw new DisconnectedError()
    })
  }

  end(): void {
    this.#lines.changes.leave(this.#stand)
  }

  /** Ends the turn when its client disconnects. */
  giveUp(): void {
    this.end()
  }
}

/** The turn of a request that sends transactions of one account. */
export class SendTurn {
  readonly #lines: Lines
  readonly #stand: Stand
  readonly #unnamed: Stand
  readonly #unsealed: Stand
  readonly #together: Group
  #sender: Address | undefined
  /** The place in the mempool's order of arrival. */
  readonly place: number
  /** Whether the tip may have changed since the send arrived: it waited for earlier requests, or for seals. */
  isBehind: boolean
  /** Called when the sender has no earlier send left. */
  #wake: (() => void) | undefined

  constructor(lines: Lines, place: number, group: Group) {
    this.#lines = lines
    this.place = place
    // Decided on arrival: the earlier requests may have ended when the send begins.
    this.isBehind = !lines.changes.isEmpty || !lines.unsealed.isEmpty
    this.#stand = lines.sends.take(place)
    this.#unnamed = lines.unnamed.take(place)
    this.#unsealed = lines.unsealed.take(place)
    this.#together = group
  }

  /** The place after the last send of its group. The seal of the group includes all earlier places. */
  get sealedBefore(): number {
    return this.#together.end
  }

  /** Whether the send has ended, and automine has yet to seal it. */
  get isSealing(): boolean {
    return this.#stand.isLeft && !this.#unsealed.isLeft
  }

  /** Sets the sender. As long as it is not known, later sends of all senders wait. */
  name(sender: Address): void {
    if (this.#sender !== undefined || this.#stand.isLeft) return
    this.#sender = sender
    const turns = this.#lines.bySender.get(sender)
    if (turns === undefined) this.#lines.bySender.set(sender, [this])
    else {
      let at = turns.length
      while (at > 0 && turns[at - 1]!.place > this.place) at--
      turns.splice(at, 0, this)
    }
    this.#lines.unnamed.leave(this.#unnamed)
  }

  /** Resolves when the earlier changes have ended; undefined if they have. */
  afterChanges(): Promise<void> | undefined {
    return this.#lines.changes.past(this.place)
  }

  /** Resolves when the earlier sends of all senders are sealed; undefined if they are. */
  afterSeals(): Promise<void> | undefined {
    this.isBehind = true
    return this.#lines.unsealed.past(this.place)
  }

  /**
   * Resolves when the earlier changes and the earlier sends of the named sender have ended; undefined if they have.
   *
   * @throws DisconnectedError if the turn was given up meanwhile.
   */
  begin(): Promise<void> | undefined {
    const earlier = this.afterChanges() ?? this.#lines.unnamed.past(this.place) ?? this.#afterSender()
    if (earlier === undefined) return undefined
    return earlier.then(() => {
      this.check()
      return this.begin()
    })
  }

  /** @throws DisconnectedError if the turn was given up. */
  check(): void {
    if (this.#stand.isLeft) throw new DisconnectedError()
  }

  /** Ends the send when it is in the mempool. @param isSealed - whether automine seals it next. */
  enter(isSealed: boolean): void {
    this.#leave()
    if (!isSealed) this.#lines.unsealed.leave(this.#unsealed)
  }

  /** Resolves when the group's sends have ended and earlier sends are sealed; undefined if no such send is left. */
  beforeSeal(): Promise<unknown> | undefined {
    const { first, end } = this.#together
    const sends = this.#lines.sends.past(end)
    const unsealed = this.#lines.unsealed.past(first)
    return sends === undefined && unsealed === undefined ? undefined : Promise.all([sends, unsealed])
  }

  end(): void {
    this.#leave()
    this.#lines.unsealed.leave(this.#unsealed)
  }

  /** Ends the turn when its client disconnects. A transaction that is in the mempool already is sealed nevertheless. */
  giveUp(): void {
    if (!this.#stand.isLeft) this.end()
  }

  #afterSender(): Promise<void> | undefined {
    if (this.#sender === undefined || this.#lines.bySender.get(this.#sender)?.[0] === this) return undefined
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  #leave(): void {
    if (this.#stand.isLeft) return
    this.#lines.unnamed.leave(this.#unnamed)
    this.#lines.sends.leave(this.#stand)
    this.#wake?.()
    if (this.#sender === undefined) return
    const { bySender } = this.#lines
    const turns = bySender.get(this.#sender)!
    turns.splice(turns.indexOf(this), 1)
    if (turns.length === 0) bySender.delete(this.#sender)
    else turns[0]!.#wake?.()
  }
}

/** A place in a {@link Line}. */
interface Stand {
  readonly place: number
  isLeft: boolean
  previous: Stand | undefined
  next: Stand | undefined
}

/** Places that are taken in order, and left in any order. Owns: the waiters, and the place before which each waits. */
export class Line {
  #first: Stand | undefined
  #last: Stand | undefined
  /** By place, then by order of creation. */
  readonly #waiters: { readonly place: number; resolve(): void }[] = []

  get isEmpty(): boolean {
    return this.#first === undefined
  }

  /** Takes a place, which must be higher than all places taken before. */
  take(place: number): Stand {
    const stand: Stand = { place, isLeft: false, previous: this.#last, next: undefined }
    if (this.#last === undefined) this.#first = stand
    else this.#last.next = stand
    this.#last = stand
    return stand
  }

  /** Leaves a place; does nothing the second time. */
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

  /** Resolves when no place before `place` is taken; undefined if none is. */
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
