/**
 * What a chain with a database restores beside its blocks. Loaded only for such a chain.
 *
 *   openStored ─► the settings, and what else the parts start with     before the first tip
 *   restore    ─► the mempool, then the pre-confirmed transactions     once the parts are connected
 */

import { InvalidOptionError, TransactionRejectedError } from '../../base/errors.ts'
import type { DropReason } from '../../base/eventTypes.ts'
import type { Address, Hash } from '../../base/types.ts'
import { whenLoaded } from '../../base/waiting.ts'
import type { DecodeTransaction } from '../../ethereum/decodeTransaction.ts'
import { bundle, type Transaction } from '../../ethereum/transaction.ts'
import type { Impersonation, Signers } from '../accounts/signers.ts'
import { type BlockSettings, NO_SETTINGS } from '../block/attributes.ts'
import type { PayloadConfig } from '../block/payload.ts'
import { DatabaseCorruptError } from '../ledger/errors.ts'
import type { BlockStore } from '../ledger/ethereumjs/blockStore.ts'
import type { PoolEntry } from '../ledger/format/records.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { decodeValue, encodeValue } from '../ledger/patchEncoding.ts'
import { PoolStore } from '../ledger/poolStore.ts'
import type { Dropped, Mempool } from '../mempool/mempool.ts'
import { dropOtherChain, toDropReason } from '../mempool/requeue.ts'
import { createEntry } from '../mempool/senderQueue.ts'
import type { ResolvedOptions } from '../options.ts'
import type { Mining, MiningModes } from '../sequencer/mining.ts'
import type { Sequencer } from '../sequencer/sequencer.ts'

/** What a chain starts with, and where it writes what changes. */
export interface StoredChain {
  readonly journal: PoolStore
  readonly settings: BlockSettings
  /** Undefined if no account was impersonated. */
  readonly impersonation: Impersonation | undefined
  /** Undefined if no request has changed them. */
  readonly modes: MiningModes | undefined
  readonly transactions: readonly PoolEntry[]
  /** The transactions that were pre-confirmed, in order. */
  readonly preconfirmed: readonly Hash[]
}

/**
 * Reads what a database holds beside the blocks.
 *
 * @param began - the chain id that its chain began with; undefined if that is not stored.
 * @throws InvalidOptionError if its chain began with another chain id; DatabaseCorruptError
 */
export async function openStored(
  { chainId, genesis }: ResolvedOptions,
  store: BlockStore,
  began: bigint | undefined,
  onError: (error: Error) => void,
  { reopensDatabase }: { readonly reopensDatabase?: boolean | undefined } = {},
): Promise<StoredChain> {
  if (began !== undefined && began !== BigInt(chainId)) {
    const name = genesis === undefined ? 'chainId' : 'genesis.config.chainId'
    throw new InvalidOptionError(name, `${began}, the chain id with which the chain of the database began`)
  }
  const journal = new PoolStore(store, onError, reopensDatabase)
  const value = async <Value>(name: string): Promise<Value | undefined> => {
    const bytes = await journal.values.read(name)
    return bytes && decodeValue<Value>(bytes)
  }
  const settings = (await value<BlockSettings>('settings')) ?? NO_SETTINGS
  journal.values.keep('settings', { read: () => undefined, encode: encodeValue }, settings)
  const impersonation = await value<{ everyone?: boolean; accounts: Address[] }>('impersonation')
  return {
    journal,
    settings,
    impersonation: impersonation && {
      everyone: impersonation.everyone,
      accounts: new Set(impersonation.accounts),
    },
    modes: await value<MiningModes>('modes'),
    transactions: await journal.transactions(),
    preconfirmed: await journal.preconfirmed(),
  }
}

/** The parts of a chain that {@link restore} fills. */
export interface RestoredParts {
  readonly config: PayloadConfig
  readonly ledger: Ledger
  readonly mempool: Mempool
  readonly mining: Mining
  readonly sequencer: Sequencer
  readonly signers: Signers
}

/**
 * Fills the mempool, and includes again what was pre-confirmed.
 *
 * @returns emits the events of that; called once they have listeners.
 * @throws DatabaseCorruptError if a transaction that was pre-confirmed is missing.
 */
export async function restore(
  stored: StoredChain,
  decode: DecodeTransaction,
  parts: RestoredParts,
): Promise<() => Promise<void>> {
  const { config, ledger, mempool, mining, sequencer, signers } = parts
  const { journal, impersonation } = stored
  if (impersonation !== undefined) signers.resume(impersonation)
  journal.attach(mempool)
  const encodeImpersonation = ({ everyone, accounts }: Impersonation) =>
    encodeValue({ everyone, accounts: [...accounts] })
  journal.values.keep('impersonation', { read: () => signers.impersonation, encode: encodeImpersonation })
  journal.values.keep('modes', { read: () => mining.modes, encode: encodeValue })

  const drops: { hash: Hash; reason: DropReason; message?: string | undefined }[] = []
  const collect = (hash: Hash, reason: DropReason, message?: string) => drops.push({ hash, reason, message })
  const dropAll = (dropped: readonly Dropped[]) => {
    for (const { transaction, reason, message } of dropped) collect(transaction.hash, reason, message)
  }
  const { rules } = sequencer.tip.preconf.env
  const read = ({ raw, sender }: PoolEntry) => decode(raw, rules, config.crypto, sender)
  const transactions = decodeAll(stored.transactions, read, collect)
  const preconfirmed = stored.preconfirmed.flatMap((hash) => transactions.get(hash) ?? lost(hash, stored))
  const included = new Set(preconfirmed)
  const waiting = stored.transactions.flatMap(({ hash, arrival }) => {
    const tx = transactions.get(hash)
    return tx === undefined || included.has(tx) ? [] : [createEntry(tx, arrival)]
  })
  mempool.restore(waiting)
  journal.resume(preconfirmed)
  await sequencer.exclusive(async ({ tip, includeAgain }) => {
    const { state, attributes } = tip().preconf
    const isSealed = ({ hash, from, nonce }: Transaction): boolean =>
      ledger.findTransaction(hash) !== undefined && nonce < (state.account(from)?.nonce ?? 0n)
    await whenLoaded(() => {
      // A block and what it takes out of the mempool can be two batches.
      const sealed = new Set(
        waiting.filter(({ transaction }) => isSealed(transaction)).map((one) => one.transaction.hash),
      )
      dropAll(mempool.prune(sealed))
    })
    dropAll(dropOtherChain(mempool, attributes.chainId))
    sequencer.events.on('dropped', collect)
    if (preconfirmed.length > 0) await includeAgain(preconfirmed)
    sequencer.events.off('dropped', collect)
    dropAll(mempool.trim())
  })
  await journal.settle()
  return () => announce(parts, drops, preconfirmed.length > 0)
}

/** A transaction that is stored, but is not valid any more. @throws DatabaseCorruptError if it is not stored. */
function lost(hash: Hash, { transactions }: StoredChain): [] {
  if (transactions.some((entry) => entry.hash === hash)) return []
  throw new DatabaseCorruptError(`the pre-confirmed transaction ${hash}`)
}

/** Emits the events of a restart, before those of any other change. */
function announce(
  { config, sequencer }: RestoredParts,
  drops: readonly { hash: Hash; reason: DropReason; message?: string | undefined }[],
  isPreconfirmed: boolean,
): Promise<void> {
  if (drops.length === 0 && !isPreconfirmed) return Promise.resolve()
  return sequencer.exclusive(async ({ tip }) => {
    // The caller of `createChain` adds its listeners first.
    await config.clock.yield()
    for (const { hash, reason, message } of drops) sequencer.events.emit('dropped', hash, reason, message)
    if (isPreconfirmed) sequencer.events.emit('preconf', tip().preconf)
  })
}

/** Decodes the transactions, in bundles where they were in one; calls `drop` for those that are not valid any more. */
function decodeAll(
  stored: readonly PoolEntry[],
  read: (entry: PoolEntry) => Transaction,
  drop: (hash: Hash, reason: DropReason, message: string) => void,
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
