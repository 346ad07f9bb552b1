/** Adds the first blocks of a chain, before there is a tip. */

import type { Pause } from '../../base/waiting.ts'
import type { Block } from '../../ethereum/block.ts'
import type { DecodeTransaction } from '../../ethereum/decodeTransaction.ts'
import type { StateChanges } from '../../ethereum/state/account.ts'
import { changesSince } from '../../ethereum/state/layer.ts'
import { patchChanges, type StatePatch } from '../../ethereum/state/patch.ts'
import { type StateTrie, updateStateTrieInParts } from '../../ethereum/state/stateTrie.ts'
import type { WorldState } from '../../ethereum/state/worldState.ts'
import type { PayloadConfig, PayloadParent } from '../block/payload.ts'
import { Canonical } from '../ledger/canonical.ts'
import type { BlockStore } from '../ledger/ethereumjs/blockStore.ts'
import { type Ledger, patchedEntry, type SealedEntry } from '../ledger/ledger.ts'
import { type BlockImporter, importBlocks } from './importBlocks.ts'

/** The parts that execute the first blocks and store them. */
export interface StartParts {
  readonly importer: BlockImporter
  readonly config: PayloadConfig
  readonly decode: DecodeTransaction
  readonly store: BlockStore
  readonly ledger: Ledger
  readonly world: WorldState
}

/** The blocks with which a chain begins. */
export interface Started {
  /** The newest block, with all writes to its state. */
  readonly head: SealedEntry
  readonly canonical: Canonical
  /** The genesis block, with the state before any cheat. */
  readonly genesis: SealedEntry
}

/** The first block with its whole state, and the trie that has its state root. */
export interface StartedGenesis {
  readonly block: Block
  readonly changes: StateChanges
  readonly stateTrie: StateTrie
}

/**
 * Starts a chain at genesis, or at the block of a fork.
 *
 * @param isInSource - whether the source of the world state contains the genesis state.
 * @param canonical - the canonical chain, if blocks precede the first.
 */
export function startAtGenesis(
  { block, changes, stateTrie }: StartedGenesis,
  { world, ledger }: Pick<StartParts, 'world' | 'ledger'>,
  isInSource = false,
  canonical = new Canonical([block.hash]),
): Started {
  const head: SealedEntry = { block, state: isInSource ? world.head : world.commit(changes), stateTrie }
  ledger.append(head, () => undefined)
  return { head, canonical, genesis: head }
}

/** Returns the head as the parent of the next block. */
export function toParent({ head, canonical }: Pick<Started, 'head' | 'canonical'>): PayloadParent {
  const { block, state, stateTrie = null } = head
  return { block, state, stateTrie, hashAt: (at) => canonical.at(at) }
}

/** Adds a block. @param before - the head; undefined for the first block. @returns the canonical chain with the block. */
export async function addBlock(
  added: SealedEntry,
  before: SealedEntry | undefined,
  canonical: Canonical,
  { ledger, world }: Pick<StartParts, 'ledger' | 'world'>,
): Promise<Canonical> {
  const { block } = added
  const state = before && ledger.keepsState ? world.difference(before.state, added.state) : undefined
  await ledger.write({ head: block.hash, added: block, state })
  const extended = canonical.append(block.hash)
  const oldest = ledger.append(added, (number) => extended.at(number))
  if (oldest !== undefined) world.prune(oldest)
  return extended
}

/** Writes a patch to the state of `entry`, which must be the newest. Returns the entry with the patched state. */
export async function writePatch(
  entry: SealedEntry,
  patch: StatePatch,
  { world, config }: Pick<StartParts, 'world' | 'config'>,
  pause: Pause,
): Promise<SealedEntry> {
  const { crypto } = config
  const changes = patchChanges(entry.state, patch, crypto)
  const stateTrie = await updateStateTrieInParts(entry.stateTrie ?? null, changes, crypto, pause)
  return patchedEntry(entry, patch, world.commit(changes), stateTrie)
}

/** Imports the blocks of the option `blocks`, each as RLP. @throws ImportError for the first invalid block */
export async function importFirst(
  blocks: Iterator<Uint8Array, undefined>,
  started: Started,
  parts: Pick<StartParts, 'config' | 'ledger' | 'world' | 'importer'>,
): Promise<Started> {
  let { head, canonical } = started
  await importBlocks(blocks, {}, parts.importer, {
    clock: parts.config.clock,
    head: () => toParent({ head, canonical }),
    async adopt({ block, state, stateTrie }) {
      const added = { block, state: parts.world.commit(changesSince(state, head.state)), stateTrie }
      canonical = await addBlock(added, head, canonical, parts)
      head = added
    },
  })
  return { ...started, head, canonical }
}
