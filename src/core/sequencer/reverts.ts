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

interface Snapshot {
  readonly tip: Tip
  /** Time of the clock, in milliseconds. */
  readonly takenAt: number
  readonly restore: readonly (() => void)[]
}

/** Takes snapshots of a chain, and reverts to them. */
export class Snapshots {
  readonly #chain: RevertParts
  readonly #parts: SnapshotPart[] = []
  /** Restores the initial values of the parts. */
  readonly #begin: (() => void)[] = []
  /** By id, ascending. A snapshot is undefined if a revert to it is no longer possible. */
  readonly #taken = new Map<number, Snapshot | undefined>()
  #lastId = 0
  /** The head when unavailable snapshots were last released; undefined after a revert. */
  #lastHead: SealedEntry | undefined
  #instance: Hash | undefined

  constructor(chain: RevertParts) {
    this.#chain = chain
    this.include(chain.mempool)
  }

  /** A random id of this run of the chain. A reset replaces it. */
  get instance(): Hash {
    this.#instance ??= bytesToHex(crypto.getRandomValues(new Uint8Array(32)))
    return this.#instance
  }

  /** Whether there is a snapshot to revert to. Snapshots are lost when the process ends. */
  get isInMemory(): boolean {
    return [...this.#taken.values()].some((snapshot) => snapshot !== undefined)
  }

  /** Adds a part to later snapshots; a reset restores its current values. */
  include(part: SnapshotPart): void {
    this.#parts.push(part)
    this.#begin.push(part.capture())
  }

  take(): Promise<Hex> {
    return this.#chain.sequencer.exclusive(async (writer) => {
      const tip = writer.tip()
      this.#releaseUnavailable(tip)
      this.#lastId += 1
      const restore = this.#parts.map((part) => part.capture())
      this.#taken.set(this.#lastId, { tip, takenAt: tip.base.options.clock.now(), restore })
      return quantity(this.#lastId)
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
      const snapshot = this.#taken.get(number)
      if (snapshot === undefined) throw new StateUnavailableError()
      const { base, settings: before } = tip()
      const settings = goBackTo(snapshot.tip.settings, before)
      const timeOffset = settings.timeOffset + snapshot.takenAt - base.options.clock.now()
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

  /** Reverts to the first block and the initial settings, and removes all snapshots. @throws StateUnavailableError */
  reset(): Promise<void> {
    return this.#chain.sequencer.exclusive(({ tip, rewind }) => {
      const { base, settings: before } = tip()
      const settings = goBackTo(base.firstSettings(), before)
      return rewind({ entry: base.first, settings }, 'reset', () => this.begin())
    })
  }

  /** Removes all snapshots, and restores the initial values of the parts. Returns transactions that no longer wait. */
  begin(): Dropped[] {
    this.#taken.clear()
    this.#lastHead = undefined
    this.#instance = undefined
    return restoreAll(this.#begin, this.#chain.mempool)
  }

  /** Releases snapshots beyond the history. Only a new head or a revert can make more of them unavailable. */
  #releaseUnavailable({ base: { ledger }, head }: Tip): void {
    if (this.#lastHead === head) return
    this.#lastHead = head
    for (const [id, snapshot] of this.#taken) {
      if (snapshot !== undefined && !ledger.holds(snapshot.tip.head)) this.#taken.set(id, undefined)
    }
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
