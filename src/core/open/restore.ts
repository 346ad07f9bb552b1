/**
 * Restores options, settings and transactions from a database. Loaded only for chains that have one.
 *
 *   readKept   ─► options and settings                                before anything is opened
 *   openStored ─► the genesis block, the journal, and the transactions before the first tip
 *   restore    ─► the mempool, then the pre-confirmed transactions     once the parts are connected
 */

import { InvalidOptionError, TransactionRejectedError } from '../../base/errors.ts'
import type { DropReason } from '../../base/eventTypes.ts'
import { parseOptions } from '../../base/options/option.ts'
import type { Hash } from '../../base/types.ts'
import { whenLoaded } from '../../base/waiting.ts'
import { extraFeesOf } from '../../ethereum/chainSpec.ts'
import type { DecodeTransaction } from '../../ethereum/decodeTransaction.ts'
import { bundle, type Transaction } from '../../ethereum/transaction.ts'
import { type Draft, itemsByStep } from '../block/draft.ts'
import { SETTINGS, type Settings, underOptions } from '../block/settings.ts'
import { DatabaseCorruptError } from '../ledger/errors.ts'
import type { BlockStore } from '../ledger/ethereumjs/blockStore.ts'
import type { PoolEntry } from '../ledger/format/records.ts'
import type { StoredIds } from '../ledger/ids.ts'
import { valueFromText } from '../ledger/patchEncoding.ts'
import { PoolStore, storedValue, type ValueName, type Values, valueEntries } from '../ledger/poolStore.ts'
import type { Dropped, Mempool } from '../mempool/mempool.ts'
import { dropOtherChain, toDropReason } from '../mempool/requeue.ts'
import { createEntry } from '../mempool/senderQueue.ts'
import { type ChainOptions, type ResolvedOptions, resolveOptions } from '../options.ts'
import type { Faults } from '../sequencer/faults.ts'
import type { SnapshotStore } from '../sequencer/reverts.ts'
import type { Sequencer } from '../sequencer/sequencer.ts'
import type { Tip, TipRetraction } from '../sequencer/tip.ts'
import type { GenesisWithRules } from './genesis.ts'
import { keptOptions, overKept, readKeptOptions, requireSpec } from './kept.ts'
import { createSnapshotStore } from './storedSnapshots.ts'

/** The journal of a chain, and its content at the start: the transactions that are not sealed, and the draft. */
export interface StoredChain {
  readonly journal: PoolStore
  readonly transactions: readonly PoolEntry[]
  readonly preconfirmed: readonly Hash[]
  readonly draft: Draft
}

interface Kept {
  readonly options: ResolvedOptions
  readonly settings: Settings
}

/**
 * Reads the options and settings that a database keeps. Leaves out a setting if it replaces a kept option that `given`
 * changes.
 *
 * @param given - options that override the kept ones.
 * @throws InvalidOptionError if an option conflicts with a kept one; DatabaseCorruptError
 */
export async function readKept(store: BlockStore, given: ChainOptions): Promise<Kept> {
  const kept = await readValue(store, 'options', (value) => readKeptOptions(value ?? {}, 'database'))
  const settings = await readValue(store, 'settings', (value) => parseOptions(SETTINGS, value))
  const options = resolveOptions(overKept(kept, given))
  const isOther = (name: keyof ChainOptions) => name in kept && kept[name] !== options[name as never]
  return { options, settings: underOptions(settings, isOther) }
}

async function readValue<Value>(
  store: BlockStore,
  name: ValueName,
  read: (value: object | undefined) => Value,
): Promise<Value> {
  const text = await storedValue(store, name)
  try {
    return read(text === undefined ? undefined : valueFromText(text))
  } catch {
    throw new DatabaseCorruptError(`the value ${name}`)
  }
}

/**
 * Begins or resumes the chain of a database, stores its options and settings, and reads its transactions.
 *
 * @param began - the chain id that the chain began with; undefined if it is not stored.
 * @throws GenesisMismatchError; InvalidOptionError if the chain began with a different chain id or spec;
 * DatabaseCorruptError
 */
export async function openStored(
  { options, settings }: Kept,
  store: BlockStore,
  genesis: GenesisWithRules,
  began: bigint | undefined,
  onError: (error: Error) => void,
  { reopensDatabase }: { readonly reopensDatabase?: boolean | undefined } = {},
): Promise<StoredChain> {
  const values: Partial<Values> = { options: keptOptions(options, 'database'), settings }
  await store.begin(genesis.block, genesis.rules, genesis, valueEntries(values))
  if (began !== undefined && began !== BigInt(options.chainId)) {
    const name = options.genesis === undefined ? 'chainId' : 'genesis.config.chainId'
    throw new InvalidOptionError(name, `${began}, the chain id with which the chain of the database began`)
  }
  const { format } = await store.stored()
  for (const made of await format.specs()) requireSpec('database', genesis.block.rules.spec, made)
  const ids = await readValue(store, 'ids', (value): StoredIds => value ?? {})
  const journal = new PoolStore(store, onError, reopensDatabase, ids)
  await journal.keep({ ...values, ids: journal.ids.stored })
  await journal.readSnapshots()
  return {
    journal,
    transactions: await journal.transactions(),
    preconfirmed: await journal.preconfirmed(),
    draft: await readValue(store, 'draft', (value): Draft => value ?? {}),
  }
}

/**
 * Fills the mempool, and includes the pre-confirmed transactions again.
 *
 * @returns a function that emits the events of the restart, to be called when they have listeners.
 * @throws DatabaseCorruptError if a pre-confirmed transaction is missing.
 */
export async function restore(
  stored: StoredChain,
  decode: DecodeTransaction,
  { mempool, sequencer }: { readonly mempool: Mempool; readonly sequencer: Sequencer },
): Promise<() => Promise<void>> {
  const { config, ledger } = sequencer.tip.base
  const { journal } = stored
  journal.attach(mempool)

  const drops: Drop[] = []
  const collect = (...drop: Drop) => drops.push(drop)
  const dropAll = (dropped: readonly Dropped[]) => {
    for (const { transaction, reason, message } of dropped) collect(transaction.hash, reason, message)
  }
  const { preconf } = sequencer.tip
  const { rules } = preconf.env
  const read = ({ raw, sender }: PoolEntry) => decode(raw, rules, config.crypto, sender)
  const transactions = decodeAll(stored.transactions, read, collect)
  // A repair may have removed the draft: then one preconf block has all transactions.
  const { preconfBlocks = [{ index: 1, size: stored.preconfirmed.length }] } = stored.draft.content ?? {}
  const steps = itemsByStep(preconfBlocks, stored.preconfirmed).map(({ index, items }) => ({
    index,
    transactions: items.flatMap((hash) => transactions.get(hash) ?? lost(hash, stored)),
  }))
  const preconfirmed = steps.flatMap((step) => step.transactions)
  const included = new Set(preconfirmed)
  const waiting = stored.transactions.flatMap(({ hash, arrival }) => {
    const tx = transactions.get(hash)
    return tx === undefined || included.has(tx) ? [] : [createEntry(tx, arrival, extraFeesOf(tx, preconf))]
  })
  mempool.restore(waiting)
  journal.resume(preconfirmed)
  await sequencer.exclusive(async ({ tip, includeAgain }) => {
    const { state, attributes } = tip().preconf
    const isSealed = ({ hash, from, nonce }: Transaction): boolean =>
      ledger.findTransaction(hash) !== undefined && nonce < (state.account(from)?.nonce ?? 0n)
    await whenLoaded(() => {
      // The database may have a block, but not yet its removals from the mempool, which can be a second batch.
      const sealed = waiting.filter(({ transaction }) => isSealed(transaction))
      dropAll(mempool.prune(new Set(sealed.map(({ transaction }) => transaction.hash))))
    })
    dropAll(dropOtherChain(mempool, attributes.chainId))
    sequencer.events.on('dropped', collect)
    if (preconfirmed.length > 0) await includeAgain(steps)
    sequencer.events.off('dropped', collect)
    dropAll(mempool.trim())
  })
  await journal.settle()
  const retraction = withdrawn(stored, sequencer.tip)
  return () => announce(sequencer, retraction, drops, preconfirmed.length > 0)
}

/** Returns the snapshots of a stored chain. */
export function createSnapshots(
  { journal }: StoredChain,
  decode: DecodeTransaction,
  { mempool, faults }: { readonly mempool: Mempool; readonly faults: Faults },
): SnapshotStore {
  return createSnapshotStore({
    journal,
    mempool,
    faults,
    decodeAll(stored, { base, preconf }) {
      const read = ({ raw, sender }: PoolEntry) => decode(raw, preconf.env.rules, base.config.crypto, sender)
      return decodeAll(stored, read, () => {})
    },
  })
}

/** Returns the retraction of the stored preconf block; undefined if the restart built the same again. */
function withdrawn({ draft, preconfirmed }: StoredChain, tip: Tip): TipRetraction | undefined {
  const hash = draft.content?.hash
  const { block } = tip.preconf
  if (hash === undefined || hash === block.hash) return undefined
  const included = new Set(block.transactions.map((tx) => tx.hash))
  return {
    reason: 'restart',
    preconfBlocks: [{ block: { hash, transactions: [] } }],
    blocks: [],
    transactions: preconfirmed.filter((one) => !included.has(one)),
    // Its logs are unknown, so that none is announced as removed.
    pending: block,
    kept: block.transactions.length,
    tip,
  }
}

/** The arguments of the event `dropped`. */
type Drop = [hash: Hash, reason: DropReason, message?: string | undefined]

/** Returns no item for a stored transaction that is no longer valid. @throws DatabaseCorruptError if it is missing */
function lost(hash: Hash, { transactions }: StoredChain): [] {
  if (transactions.some((entry) => entry.hash === hash)) return []
  throw new DatabaseCorruptError(`the pre-confirmed transaction ${hash}`)
}

/** Emits the events of a restart, before the events of later changes. */
async function announce(
  sequencer: Sequencer,
  retraction: TipRetraction | undefined,
  drops: readonly Drop[],
  isPreconfirmed: boolean,
): Promise<void> {
  if (retraction === undefined && drops.length === 0 && !isPreconfirmed) return
  await sequencer.exclusive(async ({ tip }) => {
    // Lets the caller of `createChain` add listeners first.
    await tip().base.config.clock.yield()
    if (retraction !== undefined) sequencer.events.emit('retracted', retraction)
    for (const drop of drops) sequencer.events.emit('dropped', ...drop)
    if (isPreconfirmed) sequencer.events.emit('preconf', tip().preconf)
  })
}

/** Decodes the transactions and restores their bundles; calls `drop` for transactions that are no longer valid. */
function decodeAll(
  stored: readonly PoolEntry[],
  read: (entry: PoolEntry) => Transaction,
  drop: (...drop: Drop) => void,
): ReadonlyMap<Hash, Transaction> {
  const decoded = new Map<Hash, Transaction>()
  for (const entry of stored) {
    try {
      decoded.set(entry.hash, read(entry))
    } catch (error) {
      if (!(error instanceof TransactionRejectedError)) throw error
      drop(entry.hash, toDropReason(error), error.message)
    }
  }
  for (const { hash, bundle: hashes } of stored) {
    if (hash !== hashes[0]) continue
    const members = hashes.flatMap((one) => decoded.get(one) ?? [])
    if (members.length < hashes.length) continue
    for (const member of bundle(members)) decoded.set(member.hash, member)
  }
  return decoded
}
