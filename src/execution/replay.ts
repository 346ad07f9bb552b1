/** Taking up the chain a database holds: every block is executed again, and must come out as it was stored. */
import { RLP } from '@ethereumjs/rlp'
import { bytesToHex } from '../bytes.ts'
import { ReplayError } from '../errors.ts'
import { Canonical } from '../ledger/canonical.ts'
import { decodeTransaction } from '../ledger/decodeTransaction.ts'
import type { Ledger, SealedEntry } from '../ledger/ledger.ts'
import type { BlockStore, StoredBlock } from '../ledger/store.ts'
import { changesSince } from '../state/layer.ts'
import type { WorldState } from '../state/worldState.ts'
import type { Hash } from '../types.ts'
import {
  attributesOf,
  type PayloadConfig,
  PayloadDraft,
  type PayloadParent,
  startPayload,
} from './payload.ts'

/** What replaying works on. */
export interface ReplayParts {
  readonly config: PayloadConfig
  readonly store: BlockStore
  readonly ledger: Ledger
  readonly world: WorldState
}

/**
 * Executes the stored blocks from genesis to `head`.
 *
 * @throws ReplayError where a block is missing or comes out differently.
 */
export async function replay(
  head: Hash,
  genesis: SealedEntry,
  parts: ReplayParts,
): Promise<{ readonly head: SealedEntry; readonly canonical: Canonical }> {
  const hashes = await walkBack(head, genesis, parts.store)
  let canonical = new Canonical([genesis.block.hash])
  let entry = genesis
  for (const hash of hashes) {
    const stored = await parts.store.get(hash)
    const parent: PayloadParent = {
      ...entry,
      stateTrie: entry.stateTrie ?? null,
      hashAt: (at) => canonical.at(at),
    }
    entry = await execute(stored!, hash, parent, entry, parts)
    canonical = canonical.append(hash)
    const oldest = parts.ledger.append(entry, (at) => canonical.at(at))
    if (oldest !== undefined) parts.world.prune(oldest)
  }
  return { head: entry, canonical }
}

/** The hashes from the block after genesis to the head, in that order. */
async function walkBack(head: Hash, genesis: SealedEntry, store: BlockStore): Promise<Hash[]> {
  const hashes: Hash[] = []
  for (let hash = head; hash !== genesis.block.hash; ) {
    const stored = await store.get(hash)
    if (stored === undefined) throw new ReplayError(BigInt(hashes.length), 'block')
    hashes.push(hash)
    hash = bytesToHex(stored.header.parentHash)
  }
  return hashes.reverse()
}

async function execute(
  { header, transactions }: StoredBlock,
  hash: Hash,
  parent: PayloadParent,
  parentEntry: SealedEntry,
  { config, world }: ReplayParts,
): Promise<SealedEntry> {
  const draft = new PayloadDraft(config, await startPayload(config, parent, attributesOf(header)))
  const rules = config.rules.at(header.number, header.timestamp)
  for (const raw of transactions) {
    const outcome = await draft.add(decodeTransaction(raw, rules, config.crypto))
    if (outcome.kind === 'rejected')
      throw new ReplayError(header.number, `transaction (${outcome.error.message})`)
  }
  const { block, state, stateTrie } = await draft.publish(0)
  if (block.hash !== hash) throw new ReplayError(header.number, differingField(header, block.header))
  return { block, state: world.commit(changesSince(state, parentEntry.state)), stateTrie }
}

function differingField(stored: StoredBlock['header'], got: StoredBlock['header']): string {
  const fields = [
    'stateRoot',
    'receiptTrie',
    'gasUsed',
    'logsBloom',
    'transactionsTrie',
    'requestsHash',
  ] as const
  const encode = (value: unknown) => bytesToHex(RLP.encode((value ?? new Uint8Array(0)) as Uint8Array))
  return fields.find((field) => encode(stored[field]) !== encode(got[field])) ?? 'hash'
}
