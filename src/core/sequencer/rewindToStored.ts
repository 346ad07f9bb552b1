/** Rewinds a resumed chain to a block from before it was resumed. Only the database has the state of such a block. */

import { bytesToHex } from '../../base/bytes.ts'
import { whenLoaded } from '../../base/waiting.ts'
import { toChanges, withOwners } from '../../ethereum/state/difference.ts'
import { StateUnavailableError } from '../../ethereum/state/errors.ts'
import { changesSince, Layer } from '../../ethereum/state/layer.ts'
import { stateRoot, updateStateTrie } from '../../ethereum/state/stateTrie.ts'
import { DatabaseCorruptError } from '../ledger/errors.ts'
import type { SealedEntry } from '../ledger/ledger.ts'
import type { Tip } from './tip.ts'

/**
 * Makes the state of a stored block the newest version of the world state, and loads the later blocks.
 *
 * @throws StateUnavailableError, DatabaseCorruptError; nothing has changed then.
 */
export async function rewindToStored(entry: SealedEntry, tip: Tip): Promise<SealedEntry> {
  const { base, head, canonical } = tip
  const { config, world, ledger } = base
  const { stored } = ledger
  if (stored === undefined) throw new StateUnavailableError()
  const { format, versions } = stored
  const read = (at: bigint) => whenLoaded(() => ledger.get(canonical.at(at)!, at))
  // Checks that the block is still in the history: the genesis entry of a resumed chain exists regardless of it.
  const { number } = entry.block
  const block = (await read(number))?.block
  if (block === undefined) throw new StateUnavailableError()
  // Loaded here, since the withdrawn blocks are compared and announced synchronously.
  for (let at = head.block.number; at > number; at -= 1n) await read(at)
  const undo = await whenLoaded(() => versions.undo(entry.state.position))
  const toBase = toChanges(world.difference(head.state, versions.base.state))
  const differing = changesSince(new Layer(new Layer(head.state, toBase), undo), head.state)
  // The head's records serve for the owners: accounts outside `differing` are the same in both states.
  const changes = withOwners(differing, world.owners(), head.state)
  const stateTrie = entry.stateTrie ?? updateStateTrie(head.stateTrie ?? null, changes, config.crypto)
  const { stateRoot: sealedRoot } = entry.block.header
  const root = entry.patches === undefined ? sealedRoot : (await format.patch(Number(number)))?.root
  if (root !== undefined && bytesToHex(stateRoot(stateTrie, config.crypto)) !== root) {
    throw new DatabaseCorruptError(`the state of block ${number}`)
  }
  return { ...entry, block, state: world.commit(changes), stateTrie }
}
