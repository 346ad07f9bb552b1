import { defineCheat } from '../method.ts'
import { snapshotId } from '../params/dev.ts'

/**
 * Reverts to a snapshot and deletes it and all later ones.
 *
 * @returns false if there is none with this id.
 * @throws StateUnavailableError if the snapshot's block is older than the history, or was withdrawn
 * @group Dev chain: snapshots, reorgs, state files
 * @example ["0x1"]
 */
export const evm_revert = defineCheat('revert', {
  params: [snapshotId],
  handler: ({ control }, id) => control.cheats.revert(id, false),
})
