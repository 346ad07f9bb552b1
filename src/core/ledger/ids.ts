import type { MaybePromise } from '../../base/types.ts'

/** How many ids of subscriptions one write reserves, so that few subscriptions wait for a write. */
const RESERVED = 1000

/** The last ids that a database has as given out, by kind. */
export interface StoredIds {
  readonly snapshots?: number
  readonly filters?: number
  /** The last reserved id. */
  readonly subscriptions?: number
}

/** The ids of snapshots, filters and subscriptions. With a database, none is given out twice in the life of a chain. */
export class Ids {
  readonly #last: { -readonly [Kind in keyof StoredIds]-?: number }
  readonly #reserve: (() => Promise<void>) | undefined
  #reserved: number
  /** Undefined after an id was given out. */
  #stored: StoredIds | undefined

  /** @param reserve - writes {@link stored}; without it, ids begin again with each instance. */
  constructor(stored: StoredIds = {}, reserve?: () => Promise<void>) {
    this.#last = { snapshots: 0, filters: 0, subscriptions: 0, ...stored }
    this.#reserved = this.#last.subscriptions
    this.#reserve = reserve
  }

  /** The value to store; the same object until an id is given out. */
  get stored(): StoredIds {
    this.#stored ??= { ...this.#last, subscriptions: this.#reserved }
    return this.#stored
  }

  /** Returns a new id, which must be stored before it is answered. */
  next(kind: 'snapshots' | 'filters'): number {
    this.#last[kind] += 1
    this.#stored = undefined
    return this.#last[kind]
  }

  /** Whether the id of a subscription may have been given out. */
  hasSubscription(id: number): boolean {
    return id >= 1 && id <= this.#reserved
  }

  /** Returns a new id of a subscription. @throws DatabaseWriteError, DatabaseStoppedError */
  nextSubscription(): MaybePromise<number> {
    this.#last.subscriptions += 1
    const id = this.#last.subscriptions
    if (this.#reserve === undefined || id <= this.#reserved) return id
    const before = this.#reserved
    this.#reserved = id + RESERVED
    this.#stored = undefined
    return this.#reserve().then(
      () => id,
      (error) => {
        this.#reserved = before
        this.#stored = undefined
        throw error
      },
    )
  }
}
