import { devNames } from '../devChain.ts'
import { method } from '../method.ts'
import { snapshotId } from '../params/dev.ts'

/** Returns to a snapshot, which is gone by that. @returns false if there is none with this id. */
export const evm_revert = method([snapshotId], ({ control }, id) => control.revert(id, false), {
  aliases: devNames('revert'),
})
