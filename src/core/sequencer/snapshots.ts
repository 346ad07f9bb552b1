/**
 * Snapshots: points in time that a chain can be reverted to.
 *
 * Owns: the list of snapshots, the id of this run of the chain, and what each part of the chain captured. Does not own
 * the parts: each returns a function that restores what it captured. A snapshot copies nothing of the state, whose
 * versions the world state keeps for as long as the history reaches.
 */

import { bytesToHex, quantity } from '../../base/bytes.ts'
import type { Clock } from '../../base/clock.ts'
import type { Hash, Hex } from '../../base/types.ts'
import { StateUnavailableError } from '../../ethereum/state/errors.ts'
import type { BlockSettings } from '../block/attributes.ts'
import type { Ledger, SealedEntry } from '../ledger/ledger.ts'
import type { Dropped, Mempool } from '../mempool/mempool.ts'
import type { Sequencer } from './sequencer.ts'
import type { Tip } from './tip.ts'

/** A part of a chain that snapshots cover. */
export interface SnapshotPart {
  /** Captures the part's current values; the returned function restores them at each call. */
  capture(): () => void
}

/** The dependencies of the snapshots. */
export interface SnapshotSources {
  readonly sequencer: Sequencer
  readonly mempool: Mempool
  /** Holds the blocks that can be reverted to. */
  readonly ledger: Ledger
  readonly clock: Clock
  /** The chain's first block: genesis, or the block of a fork. */
  readonly genesis: SealedEntry
  /** The settings of the blocks after it. */
  readonly settings: () => BlockSettings
}

interface Snapshot {
  readonly tip: Tip
  /** Of the clock, in milliseconds. */
  readonly takenAt: number
  /** Restores the parts. */
  readonly restore: readonly (() => void)[]
}

/** See the file's header. */
export class Snapshots {
  #sources: SnapshotSources
  readonly #parts: SnapshotPart[] = []
  /** Restores the parts to what they were at the chain's start. */
  readonly #begin: (() => void)[] = []
  /** By id, ascending; undefined if it can no longer be reverted to. */
  readonly #taken = new Map<number, Snapshot | undefined>()
  #lastId = 0
  /** The head when the memory of snapshots was last released; undefined since a revert. */
  #lastHead: SealedEntry | undefined
  #instance: Hash | undefined

  constructor(sources: SnapshotSources) {
    this.#sources = sources
    this.include(sources.mempool)
  }

  /** Identifies this run of the chain: it differs between chains, and before and after a reset. */
  get instance(): Hash {
    this.#instance ??= bytesToHex(crypto.getRandomValues(new Uint8Array(32)))
    return this.#instance
  }

  /** Adds a part to the snapshots from now on; a reset restores it to its current values. */
  include(part: SnapshotPart): void {
    this.#parts.push(part)
    this.#begin.push(part.capture())
  }

  /** Takes a snapshot. @throws DisconnectedError after `close`. */
  take(): Promise<Hex> {
    const { sequencer, clock } = this.#sources
    return sequencer.exclusive(async ({ tip }) => {
      const now = tip()
      this.#releaseUnavailable(now.head)
      this.#lastId += 1
      const restore = this.#parts.map((part) => part.capture())
      this.#taken.set(this.#lastId, { tip: now, takenAt: clock.now(), restore })
      return quantity(this.#lastId)
    })
  }

  /**
   * Reverts to a snapshot; those taken after it are removed. The chain's time goes back to the snapshot's.
   *
   * @param keep - whether the snapshot itself stays.
   * @returns false if there is none with this id.
   * @throws StateUnavailableError if its block is now older than the history, or was itself withdrawn.
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
        this.#lastHead = undefined
        return restoreAll(snapshot.restore, mempool)
      })
      return true
    })
  }

  /**
   * Reverts to the first block, with the initial settings for the blocks to come, and removes all snapshots.
   *
   * @throws StateUnavailableError if the history no longer reaches it.
   * @throws DisconnectedError after `close`.
   */
  reset(): Promise<void> {
    return this.#sources.sequencer.exclusive(({ rewind }) => {
      const { genesis: entry, settings } = this.#sources
      return rewind({ entry, settings: settings() }, 'reset', () => this.#restoreBegin())
    })
  }

  /**
   * Removes all snapshots, and restores the parts to their initial values: the chain begins again on another block.
   *
   * @returns the transactions that waited, and no longer do.
   */
  begin(first: Pick<SnapshotSources, 'ledger' | 'genesis' | 'settings'>): Dropped[] {
    this.#sources = { ...this.#sources, ...first }
    return this.#restoreBegin()
  }

  #restoreBegin(): Dropped[] {
    this.#taken.clear()
    this.#lastHead = undefined
    this.#instance = undefined
    return restoreAll(this.#begin, this.#sources.mempool)
  }

  /**
   * Releases the memory of snapshots that can no longer be reverted to. There can be more of them only after
   * the head has changed, or after a revert.
   */
  #releaseUnavailable(head: SealedEntry): void {
    if (this.#lastHead === head) return
    this.#lastHead = head
    const { ledger } = this.#sources
    for (const [id, snapshot] of this.#taken) {
      if (snapshot !== undefined && !ledger.holds(snapshot.tip.head)) this.#taken.set(id, undefined)
    }
  }
}

/** @returns the transactions that waited before, and now neither wait nor are pre-confirmed. */
function restoreAll(restore: readonly (() => void)[], mempool: Mempool): Dropped[] {
  const waited = mempool.transactions()
  for (const one of restore) one()
  return waited
    .filter(({ hash }) => mempool.stageOf(hash) === undefined)
    .map((transaction) => ({ transaction, reason: 'removed' }))
}
