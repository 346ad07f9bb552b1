/** Rewinds a resumed chain to a block from before it was resumed. Only the database has the state of such a block. */

import { bytesToHex } from '../../base/bytes.ts'
import type { Hash } from '../../base/types.ts'
import { whenLoaded } from '../../base/waiting.ts'
import { EMPTY_CODE_HASH, type StateChanges, type StateReader } from '../../ethereum/state/account.ts'
import { toChanges, withOwners } from '../../ethereum/state/difference.ts'
import { StateUnavailableError } from '../../ethereum/state/errors.ts'
import { changesSince, Layer } from '../../ethereum/state/layer.ts'
import type { Patches } from '../../ethereum/state/patch.ts'
import { stateRoot, updateStateTrie } from '../../ethereum/state/stateTrie.ts'
import { DatabaseCorruptError } from '../ledger/errors.ts'
import type { BlockChanges } from '../ledger/format/records.ts'
import type { SealedEntry } from '../ledger/ledger.ts'
import type { Tip } from './tip.ts'

/** The state of a snapshot, if it is not the state of its block. */
interface SnapshotState {
  /** The values that differ from the state of the block. */
  readonly undo: BlockChanges
  readonly patches: Patches | undefined
  /** The root with the patches; undefined without patches. */
  readonly root: Hash | undefined
}

/**
 * Makes the state of a stored block, or of a snapshot on it, the newest version of the world state, and loads the later
 * blocks.
 *
 * @throws StateUnavailableError, DatabaseCorruptError; nothing has changed then.
 */
export async function rewindToStored(
  entry: SealedEntry,
  tip: Tip,
  snapshot?: SnapshotState,
): Promise<SealedEntry> {
  const { base, head, canonical } = tip
  const { config, world, ledger } = base
  const { stored } = ledger
  if (stored === undefined && entry.state.isStored) throw new StateUnavailableError()
  const read = (at: bigint) => whenLoaded(() => ledger.get(canonical.at(at)!, at))
  // Checks that the block is still in the history: the genesis entry of a resumed chain exists regardless of it.
  const { number } = entry.block
  const block = (await read(number))?.block
  if (block === undefined) throw new StateUnavailableError()
  // Loaded here, since the withdrawn blocks are compared and announced synchronously.
  for (let at = head.block.number; at > number; at -= 1n) await read(at)
  // The world state has the state of the block, or of the oldest block after it that is not stored.
  const known = entry.state.isStored ? stored!.versions.base.state : entry.state
  const layers = [toChanges(world.difference(head.state, known))]
  if (entry.state.isStored) {
    layers.push(await whenLoaded(() => stored!.versions.undo(entry.state.position)))
  }
  if (snapshot !== undefined) {
    const codeOf = (hash: Hash) => stored?.versions.code(hash) ?? head.state.code(hash)
    layers.push(await whenLoaded(() => withCodes(snapshot.undo, codeOf)))
  }
  const state = layers.reduce((below: StateReader, changes) => new Layer(below, changes), head.state)
  const differing = changesSince(state, head.state)
  // The head's records serve for the owners: accounts outside `differing` are the same in both states.
  const changes = withOwners(differing, world.owners(), head.state)
  const isKnown = snapshot === undefined && entry.stateTrie !== undefined
  const stateTrie = isKnown
    ? entry.stateTrie
    : updateStateTrie(head.stateTrie ?? null, changes, config.crypto)
  const patches = snapshot === undefined ? entry.patches : snapshot.patches
  const { stateRoot: sealedRoot } = entry.block.header
  const patchedRoot = async () => snapshot?.root ?? (await stored?.format.patch(Number(number)))?.root
  const root = patches === undefined ? sealedRoot : await patchedRoot()
  if (root !== undefined && bytesToHex(stateRoot(stateTrie, config.crypto)) !== root) {
    throw new DatabaseCorruptError(`the state of block ${number}`)
  }
  return { ...entry, block, state: world.commit(changes), stateTrie, patches, unpatched: undefined }
}

function withCodes({ accounts, slots }: BlockChanges, codeOf: (hash: Hash) => Uint8Array): StateChanges {
  const codes = new Map<Hash, Uint8Array>()
  for (const record of accounts.values()) {
    const hash = record?.codeHash ?? EMPTY_CODE_HASH
    if (hash !== EMPTY_CODE_HASH) codes.set(hash, codeOf(hash))
  }
  return { accounts, slots, codes }
}
