import { defineCheat } from '../method.ts'

/**
 * Takes a snapshot of the chain and returns its id.
 *
 * @group Dev chain: snapshots, reorgs, state files
 */
export const evm_snapshot = defineCheat('snapshot', {
  handler: ({ control }) => control.cheats.snapshots.take(),
})
