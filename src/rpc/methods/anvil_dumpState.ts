import { optional } from '../../base/schema.ts'
import { defineMethod, devNames } from '../method.ts'
import { boolean } from '../params/params.ts'

/**
 * Returns the accounts at the head and the blocks as a state file in anvil's format (gzipped JSON, as hex). With
 * `true`, includes the states of earlier blocks.
 *
 * @group Dev chain: snapshots, reorgs, state files
 */
export const anvil_dumpState = defineMethod({
  class: 'cheat',
  aliases: devNames('dumpState'),
  params: [optional(boolean)],
  handler: async ({ control }, withStates = false) =>
    (await import('../../core/cheats/stateFile.ts')).dumpState(control.cheats, withStates),
})
