/**
 * Points in a chain's life that it can return to.
 *
 * Owns: which snapshots there are, which run of the chain this is, and what each part of the chain had then. Does not
 * own the parts: each gives a function that puts back what it has now. Taking one copies nothing of the state, whose
 * versions are kept by the world state for as long as the history reaches.
 */

import type { Ledger, SealedEntry } from '../ledger/ledger.ts'
import type { Dropped } from '../mempool/dropMemory.ts'
import type { Mempool } from '../mempool/mempool.ts'
import { NO_SETTINGS } from '../payload/attributes.ts'
import { bytesToHex, quantity } from '../primitives/bytes.ts'
import type { Clock } from '../primitives/clock.ts'
import type { Hash, Hex } from '../primitives/types.ts'
import { StateUnavailableError } from '../state/errors.ts'
import type { Sequencer } from './sequencer.ts'
import type { Tip } from './tip.ts'

/** A part of a chain that snapshots cover. */
export interface SnapshotPart {
  /** Remembers what the part has now; the function it gives puts that back, as often as it is called. */
  capture(): () => void
}

/** What snapshots work with. */
export interface SnapshotSources {
  readonly sequencer: Sequencer
  readonly mempool: Mempool
  /** Has the blocks that can be returned to. */
  readonly ledger: Ledger
  readonly clock: Clock
  /** Where the chain began. */
  readonly genesis: SealedEntry
}

interface Snapshot {
  readonly tip: Tip
  /** Of the clock, in milliseconds. */
  readonly takenAt: number
  /** Puts the parts back. */
  readonly restore: readonly (() => void)[]
}

/** See the file's header. */
export class Snapshots {
  readonly #sources: SnapshotSources
  readonly #parts: SnapshotPart[] = []
  /** Puts the parts back to what they were at the chain's start. */
  readonly #begin: (() => void)[] = []
  /** By id, rising; undefined if it cannot be returned to any more. */
  readonly #taken = new Map<number, Snapshot | undefined>()
  #lastId = 0
  #instance: Hash | undefined

  constructor(sources: SnapshotSources) {
    this.#sources = sources
    this.include(sources.mempool)
  }

  /** Tells the chain from every other one there is or was, and from itself before its last reset. */
  get instance(): Hash {
    this.#instance ??= bytesToHex(crypto.getRandomValues(new Uint8Array(32)))
    return this.#instance
  }

  /** Has snapshots from now on cover a further part; a reset returns it to what it has now. */
  include(part: SnapshotPart): void {
    this.#parts.push(part)
    this.#begin.push(part.capture())
  }

  /** Takes a snapshot. @throws DisconnectedError after `close`. */
  take(): Promise<Hex> {
    const { sequencer, clock } = this.#sources
    return sequencer.exclusive(async ({ tip }) => {
      this.#letGo()
      this.#lastId += 1
      const restore = this.#parts.map((part) => part.capture())
      this.#taken.set(this.#lastId, { tip: tip(), takenAt: clock.now(), restore })
      return quantity(this.#lastId)
    })
  }

  /**
   * Returns to a snapshot; those taken after it are gone. The chain's time is what it was then.
   *
   * @param keep - whether the snapshot itself stays.
   * @returns false if there is none with this id.
   * @throws StateUnavailableError if its block is older than the history by now, or was itself withdrawn.
   * @throws DisconnectedError after `close`.
   */
  revert(id: Hex, keep: boolean): Promise<boolean> {
    const { sequencer, clock, mempool } = this.#sources
    return sequencer.exclusive(async ({ replace }) => {
      const number = Number(id)
      if (!this.#taken.has(number)) return false
      const snapshot = this.#taken.get(number)
      if (snapshot === undefined) throw new StateUnavailableError()
      const { settings } = snapshot.tip
      const timeOffset = settings.timeOffset + snapshot.takenAt - clock.now()
      await replace({ ...snapshot.tip, settings: { ...settings, timeOffset } }, 'revert', () => {
        for (const other of this.#taken.keys()) {
          if (other > number || (other === number && !keep)) this.#taken.delete(other)
        }
        return restoreAll(snapshot.restore, mempool)
      })
      return true
    })
  }

  /**
   * Returns to the genesis block, with nothing asked of the blocks to come and the time that the clock has. Snapshots
   * are gone.
   *
   * @throws StateUnavailableError if the history no longer reaches it.
   * @throws DisconnectedError after `close`.
   */
  reset(): Promise<void> {
    const { sequencer, mempool, genesis } = this.#sources
    return sequencer.exclusive(({ rewind }) =>
      rewind({ entry: genesis, settings: NO_SETTINGS }, 'reset', () => {
        this.#taken.clear()
        this.#instance = undefined
        return restoreAll(this.#begin, mempool)
      }),
    )
  }

  /** Lets go of what snapshots hold on to that can no longer be returned to. */
  #letGo(): void {
    const { ledger } = this.#sources
    for (const [id, snapshot] of this.#taken) {
      if (snapshot !== undefined && !ledger.holds(snapshot.tip.head)) this.#taken.set(id, undefined)
    }
  }
}

/** @returns what waited and does not any more. */
function restoreAll(restore: readonly (() => void)[], mempool: Mempool): Dropped[] {
  const waited = mempool.transactions()
  for (const one of restore) one()
  return waited
    .filter(({ hash }) => mempool.stageOf(hash) === undefined)
    .map((transaction) => ({ transaction, reason: 'removed' }))
}
