import { devNames } from '../devChain.ts'
import { changeMethod } from '../method.ts'
import { snapshotId } from '../params/dev.ts'

/**
 * Reverts to a snapshot, and deletes it and all later ones.
 *
 * @returns false if there is none with this id.
 * @throws StateUnavailableError if its block is older than the history, or was withdrawn
 */
export const evm_revert = changeMethod([snapshotId], ({ control }, id) => control.revert(id, false), {
  aliases: devNames('revert'),
})
