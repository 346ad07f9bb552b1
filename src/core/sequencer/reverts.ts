/**
 * Owns: the snapshots, and the id of this run of the chain. Does not own the parts that snapshots cover: each returns a
 * function that restores its values. A snapshot copies no state: the world state keeps versions.
 */

import { bytesToHex, hexToBytes, quantity } from '../../base/bytes.ts'
import { InvalidParamsError } from '../../base/errors.ts'
import type { Hash, Hex } from '../../base/types.ts'
import { createYielder, whenLoaded } from '../../base/waiting.ts'
import type { Block } from '../../ethereum/block.ts'
import { StateUnavailableError } from '../../ethereum/state/errors.ts'
import type { Transaction } from '../../ethereum/transaction.ts'
import { goBackTo } from '../block/settings.ts'
import { Ids } from '../ledger/ids.ts'
import type { SealedEntry } from '../ledger/ledger.ts'
import type { Dropped, Mempool } from '../mempool/mempool.ts'
import { requeue } from '../mempool/requeue.ts'
import { NotPreconfirmedError } from './errors.ts'
import type { Sequencer } from './sequencer.ts'
import type { Tip } from './tip.ts'
import type { Writer } from './writer.ts'

/** A part of a chain that snapshots cover. */
interface SnapshotPart {
  /** Captures the current values; the returned function restores them at each call. */
  capture(): () => void
}

interface RevertParts {
  readonly sequencer: Sequencer
  readonly mempool: Mempool
}

/** The chain as it was when a snapshot was taken. */
export interface Snapshot {
  readonly tip: Tip
  /** Time of the clock, in milliseconds. */
  readonly takenAt: number
  readonly restore: readonly (() => void)[]
}

/** A snapshot of an earlier run, which only the database has. */
interface EarlierSnapshot {
  /** The number of its head. */
  readonly number: bigint
}

/** The snapshots in a database. */
export interface SnapshotStore {
  readonly ids: Ids
  /** By id, ascending. Undefined if a revert is no longer possible. */
  readonly taken: ReadonlyMap<number, EarlierSnapshot | undefined>
  /** Stores a snapshot. @param gone - the ids to which no revert is possible any more. @throws DatabaseWriteError */
  store(id: number, snapshot: Snapshot, gone: readonly number[]): Promise<void>
  /** Builds the tip of a stored snapshot. @throws StateUnavailableError, DatabaseCorruptError */
  load(id: number, tip: Tip): Promise<Snapshot>
}

/** Takes snapshots of a chain, and reverts to them. */
export class Snapshots {
  readonly #chain: RevertParts
  readonly #parts: SnapshotPart[] = []
  /** Restores the initial values of the parts. */
  readonly #begin: (() => void)[] = []
  /** By id, ascending. A snapshot is undefined if a revert to it is no longer possible. */
  readonly #taken: Map<number, Snapshot | EarlierSnapshot | undefined>
  readonly #ids: Ids
  readonly #store: SnapshotStore | undefined
  /** The head when unavailable snapshots were last released; undefined after a revert. */
  #lastHead: SealedEntry | undefined
  #instance: Hash | undefined

  /** @param store - undefined unless the chain has a database. */
  constructor(chain: RevertParts, store?: SnapshotStore) {
    this.#chain = chain
    this.#store = store
    this.#taken = new Map(store?.taken)
    this.#ids = store?.ids ?? new Ids()
    this.include(chain.mempool)
  }

  /** A random id of this run of the chain. A reset replaces it. */
  get instance(): Hash {
    this.#instance ??= bytesToHex(crypto.getRandomValues(new Uint8Array(32)))
    return this.#instance
  }

  /** Whether there is a snapshot to revert to that would be lost with the process. */
  get isInMemory(): boolean {
    return this.#store === undefined && [...this.#taken.values()].some((snapshot) => snapshot !== undefined)
  }

  /** Adds a part to later snapshots; a reset restores its current values. */
  include(part: SnapshotPart): void {
    this.#parts.push(part)
    this.#begin.push(part.capture())
  }

  /** Takes a snapshot, and returns its id. @throws DatabaseWriteError */
  take(): Promise<Hex> {
    return this.#chain.sequencer.exclusive(async (writer) => {
      const tip = writer.tip()
      const gone = this.#releaseUnavailable(tip)
      const id = this.#ids.next('snapshots')
      const restore = this.#parts.map((part) => part.capture())
      const snapshot = { tip, takenAt: tip.base.options.clock.now(), restore }
      await this.#store?.store(id, snapshot, gone)
      this.#taken.set(id, snapshot)
      return quantity(id)
    })
  }

  /**
   * Reverts to a snapshot, and removes the later ones, and the snapshot itself unless `keep`. The time of the chain
   * goes back too. Returns false if no snapshot has this id.
   *
   * @throws StateUnavailableError if the head of the snapshot is older than the history, or was withdrawn.
   */
  revert(id: Hex, keep: boolean): Promise<boolean> {
    const { sequencer, mempool } = this.#chain
    return sequencer.exclusive(async ({ tip, replace }) => {
      const number = Number(id)
      if (!this.#taken.has(number)) return false
      const taken = this.#taken.get(number)
      if (taken === undefined) throw new StateUnavailableError()
      const snapshot = 'tip' in taken ? taken : await this.#load(number)
      const { base, settings: before } = tip()
      const settings = goBackTo(snapshot.tip.settings, before)
      const timeOffset = settings.timeOffset + snapshot.takenAt - base.options.clock.now()
      const updateMempool = () => {
        for (const other of this.#taken.keys()) {
          if (other > number || (other === number && !keep)) this.#taken.delete(other)
        }
        this.#lastHead = undefined
        return restoreAll(snapshot.restore, mempool)
      }
      const target = { ...snapshot.tip, settings: { ...settings, timeOffset } }
      await replace(target, 'revert', updateMempool, { reverted: { id: number, keep } })
      return true
    })
  }

  /** Reverts to the first block and the initial settings, and removes all snapshots. @throws StateUnavailableError */
  reset(): Promise<void> {
    return this.#chain.sequencer.exclusive(({ tip, rewind }) => {
      const { base, settings: before } = tip()
      const settings = goBackTo(base.firstSettings(), before)
      const first = { entry: base.first, settings }
      return rewind(first, 'reset', () => this.begin(), { id: 0, keep: false })
    })
  }

  /** Loads a snapshot. Parts that are not stored with it get their values from the start of the chain. */
  async #load(id: number): Promise<Snapshot> {
    const snapshot = await this.#store!.load(id, this.#chain.sequencer.tip)
    return { ...snapshot, restore: [...this.#begin, ...snapshot.restore] }
  }

  /** Removes all snapshots, and restores the initial values of the parts. Returns transactions that no longer wait. */
  begin(): Dropped[] {
    this.#taken.clear()
    this.#lastHead = undefined
    this.#instance = undefined
    return restoreAll(this.#begin, this.#chain.mempool)
  }

  /** Releases snapshots beyond the history, and returns their ids. Only a new head or a revert can cause more. */
  #releaseUnavailable({ base: { ledger }, head }: Tip): number[] {
    if (this.#lastHead === head) return []
    this.#lastHead = head
    const isHeld = (taken: Snapshot | EarlierSnapshot) =>
      'tip' in taken
        ? ledger.holds(taken.tip.head)
        : taken.number + BigInt(ledger.history.blocks) > head.block.number
    const gone = [...this.#taken].filter(([, taken]) => taken !== undefined && !isHeld(taken))
    for (const [id] of gone) this.#taken.set(id, undefined)
    return gone.map(([id]) => id)
  }
}

/** @returns the transactions that waited, and now neither wait nor are pre-confirmed. */
function restoreAll(restore: readonly (() => void)[], mempool: Mempool): Dropped[] {
  const waited = mempool.transactions()
  for (const one of restore) one()
  return waited
    .filter(({ hash }) => mempool.stageOf(hash) === undefined)
    .map((transaction) => ({ transaction, reason: 'removed' }))
}

/**
 * Withdraws the last `depth` sealed blocks and all preconf blocks. Their transactions wait again. Returns the sealed
 * blocks, oldest first.
 *
 * @throws InvalidParamsError for a depth out of range, StateUnavailableError for one beyond the history.
 */
export function rollback(parts: RevertParts, depth: number): Promise<Block[]> {
  return parts.sequencer.exclusive((writer) => withdraw(parts, writer, depth))
}

/** How many blocks a reorg may replace. There is a limit since all writers wait while a reorg runs. */
export const MAX_REORG_DEPTH = 1000

/**
 * Replaces the last `depth` sealed blocks with as many new ones. Transactions of the old blocks that are not in the new
 * ones wait again.
 *
 * @param replace - the transactions of each new block, oldest block first; empty for blocks beyond the list.
 *   Transactions that cannot be included are left out.
 * @throws as {@link rollback} does, and InvalidParamsError for more than `depth` lists of transactions.
 */
export function reorg(
  parts: RevertParts,
  depth: number,
  replace: readonly (readonly Transaction[])[],
): Promise<void> {
  return parts.sequencer.exclusive(async (writer) => {
    if (replace.length > depth) throw new InvalidParamsError('replace', `at most ${depth} blocks`)
    const { crypto, clock } = writer.tip().base.config
    const pause = createYielder(clock)
    const old = await withdraw(parts, writer, depth)
    for (const [index, { hash }] of old.entries()) {
      // Changes prevRandao: with equal transactions and timestamp, the new block would otherwise be the old one.
      const nextPrevRandao = crypto.keccak256Hex(hexToBytes(hash))
      await writer.rebuildPending({ settings: { ...writer.tip().settings, nextPrevRandao } }, 'reorg')
      await writer.sealExactly(replace[index] ?? [])
      await pause()
    }
  })
}

/** Withdraws pre-confirmed transactions and the ones that need them; all wait again. @throws NotPreconfirmedError */
export function retractTransactions(sequencer: Sequencer, hashes: readonly Hash[]): Promise<void> {
  return sequencer.exclusive(({ tip, rebuildPending }) => {
    const included = new Set(tip().preconf.block.transactions.map(({ hash }) => hash))
    const missing = hashes.find((hash) => !included.has(hash))
    if (missing !== undefined) throw new NotPreconfirmedError(missing)
    return rebuildPending({ retract: new Set(hashes) }, 'retract')
  })
}

/** Withdraws the last `count` preconf blocks, but never the first; their transactions wait again. */
export function retractPreconfBlocks(sequencer: Sequencer, count: number): Promise<void> {
  return sequencer.exclusive(({ tip, rebuildPending }) => {
    const { preconfBlocks, preconf } = tip()
    const last = preconfBlocks.at(-1 - count)
    if (last === undefined)
      throw new InvalidParamsError('preconfBlocks', `at most ${preconfBlocks.length - 1}`)
    const added = preconf.block.transactions.slice(last.block.transactions.length)
    return rebuildPending({ retract: new Set(added.map(({ hash }) => hash)) }, 'retract')
  })
}

async function withdraw({ mempool }: RevertParts, { tip, rewind }: Writer, depth: number): Promise<Block[]> {
  const { base, head, canonical, preconf, settings } = tip()
  const { number } = head.block
  if (depth > MAX_REORG_DEPTH) throw new InvalidParamsError('depth', `at most ${MAX_REORG_DEPTH}`)
  if (depth < 1 || BigInt(depth) > number) {
    const expected = `an integer >= 1 and at most ${number}, the number of blocks after genesis`
    throw new InvalidParamsError('depth', expected)
  }
  const entryAt = async (at: bigint) => {
    const entry = await whenLoaded(() => base.ledger.get(canonical.at(at)!, at))
    if (entry === undefined) throw new StateUnavailableError()
    return entry
  }
  const fork = await entryAt(number - BigInt(depth))
  const old: Block[] = []
  for (let at = fork.block.number + 1n; at <= number; at += 1n) old.push((await entryAt(at)).block)
  const retracted = [...old, preconf.block].flatMap(({ transactions }) => transactions)
  await rewind({ entry: fork, settings }, 'reorg', () => requeue(mempool, retracted, new Set()))
  return old
}
