/**
 * Resumes the chain of a database: reads the state at its head, without executing anything. A chain that was stored before
 * there was a format is executed once, and written again block by block.
 */

import { bytesToHex } from '../../base/bytes.ts'
import type { Hash } from '../../base/types.ts'
import { createYielder } from '../../base/yielder.ts'
import type { Block } from '../../ethereum/block.ts'
import type { StateChanges } from '../../ethereum/state/account.ts'
import { type StateTrie, stateRoot, updateStateTrieInParts } from '../../ethereum/state/stateTrie.ts'
import { Canonical } from '../ledger/canonical.ts'
import { DatabaseCorruptError } from '../ledger/errors.ts'
import type { StoredChain } from '../ledger/ethereumjs/openedStore.ts'
import { type DatabaseFormat, genesisChange } from '../ledger/format/databaseFormat.ts'
import type { StoredHead } from '../ledger/format/storedHead.ts'
import type { SealedEntry } from '../ledger/ledger.ts'
import { StoredHistory } from '../ledger/storedHistory.ts'
import { patched, type Replayed, type ReplayParts, replay } from './replay.ts'
import { type StartedGenesis, startAtGenesis } from './startAtGenesis.ts'

/** A chain as it is resumed. */
export interface Resumed extends Replayed {
  /** The genesis block, with its state before any cheat wrote to it. */
  readonly genesis: SealedEntry
}

/** The number of blocks whose hashes contracts can read. */
const BLOCK_HASHES = 256

/**
 * Resumes the chain of a database.
 *
 * @param historyBlocks - see the option `history.blocks`.
 * @throws DatabaseCorruptError if an entry that the start reads is missing or damaged.
 * @throws ReplayError if a chain without a format cannot be executed again.
 */
export async function resume(
  genesis: StartedGenesis,
  historyBlocks: number,
  parts: ReplayParts,
): Promise<Resumed> {
  const stored = await parts.store.stored()
  return stored.unmigrated === undefined
    ? start(genesis, stored.head!, stored.format, historyBlocks, parts)
    : migrate(genesis, stored, stored.unmigrated, historyBlocks, parts)
}

/** Starts at a head whose state is stored. */
async function start(
  genesis: StartedGenesis,
  head: StoredHead,
  format: DatabaseFormat,
  historyBlocks: number,
  parts: ReplayParts,
): Promise<Resumed> {
  const { world, ledger, config } = parts
  // Otherwise a damaged one would be noticed by the first seal.
  await format.readRules()
  const isGenesis = head.hash === genesis.block.hash
  if (isGenesis && head.root === undefined) return startAtGenesis(genesis, parts)
  const block = isGenesis ? genesis.block : await readHead(head.hash, format, parts)
  const number = Number(block.number)
  const patch = await format.patch(number)
  const { changes, stateTrie } = await readState(head.root ?? block.header.stateRoot, number, format, config)
  const state = world.commit({ ...changes, lastStorageId: head.lastStorageId })
  if ((patch === undefined) !== (head.root === undefined)) {
    throw new DatabaseCorruptError(`the patch of block ${number}`)
  }
  const entry = { block, state, stateTrie, patches: patch && { last: patch, before: undefined } }
  const oldest = Math.max(0, number - historyBlocks + 1)
  await format.prune(oldest)
  const stored = new StoredHistory(
    format,
    { number, state },
    // Without any, as after a repair, the history begins after the head.
    (await format.oldestChanges(oldest)) ?? number + 1,
  )
  ledger.resume(entry, stored)
  await stored.index.read(Math.max(0, number - BLOCK_HASHES))
  const canonical = new Canonical([block.hash], { first: number, earlier: stored.index.hashAt })
  // Its trie is computed if the chain is reset.
  const first = { block: genesis.block, state: stored.versions.versionAt(-1), stateTrie: undefined }
  return { head: entry, canonical, genesis: first }
}

/**
 * The state with this root. It is read without checksums, which take a tenth of a start, and again with them if that fails, so
 * that the error names the entry that is damaged.
 */
async function readState(
  root: Hash,
  number: number,
  format: DatabaseFormat,
  { clock, crypto }: ReplayParts['config'],
): Promise<{ readonly changes: StateChanges; readonly stateTrie: StateTrie }> {
  try {
    const changes = await format.state(false)
    const stateTrie = await updateStateTrieInParts(null, changes, crypto, createYielder(clock))
    if (bytesToHex(stateRoot(stateTrie, crypto)) === root) return { changes, stateTrie }
    throw new DatabaseCorruptError(`the state of block ${number}`)
  } catch (error) {
    // Throws for a damaged entry; if there is none, the first error is the reason.
    await format.state(true)
    throw error
  }
}

async function readHead(hash: Hash, format: DatabaseFormat, { ledger }: ReplayParts): Promise<Block> {
  const block = await ledger.getPruned(hash)
  if (block === undefined) throw new DatabaseCorruptError(`block ${hash}`)
  return Object.assign(block, { receipts: await format.receipts(Number(block.number)) })
}

/** Executes what is not migrated yet. */
async function migrate(
  genesis: StartedGenesis,
  { format, head: migrated }: StoredChain,
  head: Hash,
  historyBlocks: number,
  parts: ReplayParts,
): Promise<Resumed> {
  const { store, ledger, world, config } = parts
  const write = async (entry: SealedEntry, parent: SealedEntry | undefined): Promise<void> => {
    const { block, state, patches, stateTrie } = entry
    const { number } = block
    const difference =
      parent === undefined
        ? genesisChange(block, world.everythingAt(state)).state
        : world.difference(parent.state, state)
    const isPatched = patches !== undefined
    await ledger.write({
      head: block.hash,
      added: block,
      state: difference,
      ...(isPatched && { patched: { number, patches } }),
      root: isPatched ? bytesToHex(stateRoot(stateTrie ?? null, config.crypto)) : undefined,
    })
  }
  let begin: Resumed
  if (migrated === undefined || (migrated.hash === genesis.block.hash && migrated.root === undefined)) {
    const started = startAtGenesis(genesis, parts)
    await write(started.head, undefined)
    begin = { ...started, head: await patched(started.head, parts) }
    if (begin.head !== started.head) await writePatch(begin.head, started.head, parts)
  } else {
    begin = await start(genesis, migrated, format, historyBlocks, parts)
  }
  const replayed = await replay(head, begin, parts, write)
  await store.finishMigration(head)
  return { ...replayed, genesis: begin.genesis }
}

/** Writes what was written to the genesis block's state since. */
function writePatch(
  { block, state, patches, stateTrie }: SealedEntry,
  before: SealedEntry,
  parts: ReplayParts,
) {
  return parts.ledger.write({
    head: block.hash,
    patched: { number: 0n, patches },
    state: parts.world.difference(before.state, state),
    root: bytesToHex(stateRoot(stateTrie ?? null, parts.config.crypto)),
  })
}
