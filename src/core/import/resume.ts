/** Resumes the chain of a database: reads the state at its head, and executes nothing. */

import { bytesToHex } from '../../base/bytes.ts'
import type { Hash } from '../../base/types.ts'
import { createYielder } from '../../base/waiting.ts'
import type { Block } from '../../ethereum/block.ts'
import type { StateChanges } from '../../ethereum/state/account.ts'
import { type StateTrie, stateRoot, updateStateTrieInParts } from '../../ethereum/state/stateTrie.ts'
import { Canonical } from '../ledger/canonical.ts'
import { DatabaseCorruptError } from '../ledger/errors.ts'
import type { DatabaseFormat } from '../ledger/format/databaseFormat.ts'
import { StoredHistory } from '../ledger/storedHistory.ts'
import { type Started, type StartedGenesis, type StartParts, startAtGenesis } from './start.ts'

/** How many blocks back BLOCKHASH reaches. */
const BLOCK_HASHES = 256

/** See the file's header. @throws DatabaseCorruptError if an entry that the start reads is missing or damaged */
export async function resume(genesis: StartedGenesis, parts: StartParts): Promise<Started> {
  const { format, head } = await parts.store.stored()
  const { world, ledger, config } = parts
  // Detects damaged rules now, not at the first seal.
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
  const entry = { block, state, stateTrie, patches: patch && { last: patch.patch, before: undefined } }
  const oldest = Math.max(0, number - ledger.history.blocks + 1)
  await format.prune(oldest)
  // Without changes, as after a repair, the history begins after the head.
  const first = (await format.oldestChanges(oldest)) ?? number + 1
  const stored = new StoredHistory(format, { number, state }, first)
  ledger.resume(entry, stored)
  await stored.index.read(Math.max(0, number - BLOCK_HASHES))
  const canonical = new Canonical([block.hash], { first: number, earlier: stored.index.hashAt })
  // Without the trie, which a reset computes.
  const begun = { block: genesis.block, state: stored.versions.versionAt(-1), stateTrie: undefined }
  return { head: entry, canonical, genesis: begun }
}

/** Reads the state with this root. Verifies checksums only if that fails, since they take a tenth of a start. */
async function readState(
  root: Hash,
  number: number,
  format: DatabaseFormat,
  { clock, crypto }: StartParts['config'],
): Promise<{ readonly changes: StateChanges; readonly stateTrie: StateTrie }> {
  try {
    const changes = await format.state(false)
    const stateTrie = await updateStateTrieInParts(null, changes, crypto, createYielder(clock))
    if (bytesToHex(stateRoot(stateTrie, crypto)) === root) return { changes, stateTrie }
    throw new DatabaseCorruptError(`the state of block ${number}`)
  } catch (error) {
    // Throws an error that names the damaged entry, if there is one.
    await format.state(true)
    throw error
  }
}

async function readHead(hash: Hash, format: DatabaseFormat, { ledger }: StartParts): Promise<Block> {
  const block = await ledger.getPruned(hash)
  if (block === undefined) throw new DatabaseCorruptError(`block ${hash}`)
  return Object.assign(block, { receipts: await format.receipts(Number(block.number)) })
}
