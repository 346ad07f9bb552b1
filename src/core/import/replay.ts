/**
 * Resumes the chain of a database: every block is executed again, and the result must equal the stored block. Blocks
 * that the sequencer built are built again; external ones are imported again.
 */

import { toError } from '../../base/emitter.ts'
import { TransactionRejectedError } from '../../base/errors.ts'
import { whenLoaded } from '../../base/missing.ts'
import type { Hash } from '../../base/types.ts'
import type { Block, StoredBlock } from '../../ethereum/block.ts'
import type { DecodeTransaction } from '../../ethereum/decodeTransaction.ts'
import { InvalidBlockError } from '../../ethereum/errors.ts'
import { type Header, hashHeader } from '../../ethereum/header.ts'
import { changesSince } from '../../ethereum/state/layer.ts'
import { patchChanges } from '../../ethereum/state/patch.ts'
import { updateStateTrie } from '../../ethereum/state/stateTrie.ts'
import type { WorldState } from '../../ethereum/state/worldState.ts'
import type { Transaction } from '../../ethereum/transaction.ts'
import { attributesOf } from '../block/attributes.ts'
import {
  type Executed,
  type PayloadConfig,
  PayloadDraft,
  type PayloadParent,
  startPayload,
  toExecuted,
} from '../block/payload.ts'
import type { Canonical } from '../ledger/canonical.ts'
import type { BlockStore } from '../ledger/ethereumjs/blockStore.ts'
import type { Ledger, SealedEntry } from '../ledger/ledger.ts'
import { ReplayError } from './errors.ts'
import { type BlockImporter, type ImportedBlock, isExternal } from './importBlocks.ts'

/** The parts of a chain that replaying uses. */
export interface ReplayParts {
  readonly importer: BlockImporter
  readonly config: PayloadConfig
  readonly decode: DecodeTransaction
  readonly store: BlockStore
  readonly ledger: Ledger
  readonly world: WorldState
}

/** A chain up to a block, with the block's state after everything that was written to it. */
export interface Replayed {
  readonly head: SealedEntry
  readonly canonical: Canonical
}

/**
 * Executes the stored blocks after those of `begin`, up to `head`.
 *
 * @param onBlock - receives each block, with its state and its parent's.
 * @throws ReplayError if a block is missing, cannot be read or executes to another result.
 */
export async function replay(
  head: Hash,
  begin: Replayed,
  parts: ReplayParts,
  onBlock: (entry: SealedEntry, parent: SealedEntry) => Promise<void>,
): Promise<Replayed> {
  const hashes = await walkBack(head, begin.head.block, parts.store)
  let { canonical, head: entry } = begin
  for (const hash of hashes) {
    const stored = await read(parts.store, hash, entry.block.number + 1n)
    const parent: PayloadParent = {
      ...entry,
      stateTrie: entry.stateTrie ?? null,
      hashAt: (at) => canonical.at(at),
    }
    const { block, state, stateTrie } = await executeAgain(stored, hash, parent, parts)
    const sealed = { block, state: parts.world.commit(changesSince(state, entry.state)), stateTrie }
    canonical = canonical.append(hash)
    const before = entry
    const oldest = parts.ledger.append(sealed, (at) => canonical.at(at))
    entry = await patched(sealed, parts)
    await onBlock(entry, before)
    if (oldest !== undefined) parts.world.prune(oldest)
  }
  return { head: entry, canonical }
}

/** Applies the writes to a block's state since it was sealed. */
export async function patched(
  entry: SealedEntry,
  { config, store, ledger, world }: ReplayParts,
): Promise<SealedEntry> {
  const patch = await store.getPatch(entry.block.hash)
  if (patch === undefined) return entry
  const { crypto } = config
  const changes = await whenLoaded(() => patchChanges(entry.state, patch, crypto))
  const stateTrie = updateStateTrie(entry.stateTrie ?? null, changes, crypto)
  const changed = {
    ...entry,
    state: world.commit(changes),
    stateTrie,
    patches: { last: patch, before: undefined },
    unpatched: entry.state,
  }
  ledger.rewind([], changed)
  return changed
}

/** The hashes from the block after `begin` to the head, in that order. */
async function walkBack(head: Hash, begin: Block, store: BlockStore): Promise<Hash[]> {
  const hashes: Hash[] = []
  let number: bigint | undefined
  for (let hash = head; hash !== begin.hash; ) {
    const { header } = await read(store, hash, number)
    // Its number is reached, but it is another block.
    if (header.number <= begin.number) {
      throw new ReplayError(header.number, `its hash is not ${begin.hash}`)
    }
    hashes.push(hash)
    hash = header.parentHash
    number = header.number - 1n
  }
  return hashes.reverse()
}

/** Reads a block. @param number - the block's, if it is known already. */
async function read(store: BlockStore, hash: Hash, number: bigint | undefined): Promise<StoredBlock> {
  let stored: StoredBlock | undefined
  try {
    stored = await store.get(hash)
  } catch (error) {
    throw new ReplayError(number ?? hash, `it cannot be read (${toError(error).message})`)
  }
  if (stored === undefined) throw new ReplayError(number ?? hash, 'it is missing')
  if (number !== undefined && stored.header.number !== number) {
    throw new ReplayError(number, `its number is ${stored.header.number}`)
  }
  return stored
}

/**
 * Executes a stored block as it was executed before it was stored.
 *
 * @throws ReplayError if its execution does not match it.
 */
export function executeAgain(
  stored: StoredBlock,
  hash: Hash,
  parent: PayloadParent,
  parts: Pick<ReplayParts, 'config' | 'decode' | 'importer'>,
): Promise<Executed> {
  return isExternal(stored) ? importAgain(stored, hash, parent, parts) : execute(stored, hash, parent, parts)
}

async function execute(
  { header, transactions, unsigned, chainId }: StoredBlock,
  hash: Hash,
  parent: PayloadParent,
  { config, decode }: Pick<ReplayParts, 'config' | 'decode'>,
): Promise<Executed> {
  const chainRules = config.rules.withChainId(chainId)
  const attributes = attributesOf(header, chainRules.chainId)
  const draft = new PayloadDraft(config, await startPayload(config, parent, attributes))
  const rules = chainRules.at(header.number, header.timestamp)
  for (const [index, raw] of transactions.entries()) {
    const refused = (error: Error) =>
      new ReplayError(header.number, `its transaction ${index} is invalid (${error.message})`)
    let tx: Transaction
    try {
      tx = decode(raw, rules, config.crypto, unsigned?.get(index))
    } catch (error) {
      throw error instanceof TransactionRejectedError ? refused(error) : error
    }
    const outcome = await draft.add(tx)
    if (outcome.kind === 'rejected') throw refused(outcome.error)
  }
  const payload = await draft.publish(0)
  const { block } = payload
  // The built block does not depend on stored fields that follow from execution, so the stored header is checked too.
  if (block.hash !== hash || hashHeader(header) !== hash) {
    throw new ReplayError(
      header.number,
      `its ${differingField(header, block.header)} does not match its execution`,
    )
  }
  return toExecuted(payload)
}

/** Executes an external block as its import did. */
async function importAgain(
  stored: StoredBlock,
  hash: Hash,
  parent: PayloadParent,
  { importer }: Pick<ReplayParts, 'importer'>,
): Promise<ImportedBlock> {
  if (hashHeader(stored.header) !== hash)
    throw new ReplayError(stored.header.number, 'its hash does not match its header')
  try {
    return await importer.execute(stored, parent)
  } catch (error) {
    throw error instanceof InvalidBlockError ? new ReplayError(stored.header.number, error.message) : error
  }
}

function differingField(stored: Header, got: Header): string {
  const fields = [
    'stateRoot',
    'receiptsRoot',
    'gasUsed',
    'logsBloom',
    'transactionsRoot',
    'requestsHash',
  ] as const
  return fields.find((field) => stored[field] !== got[field]) ?? 'hash'
}
