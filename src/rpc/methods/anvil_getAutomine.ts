import { defineMethod, devNames } from '../method.ts'

/**
 * Returns whether automine, which seals transactions as they are sent, is on.
 *
 * @group Dev chain: mining and time
 */
export const anvil_getAutomine = defineMethod({
  class: 'cheat',
  aliases: devNames('getAutomine'),
  handler: ({ control }) => control.cheats.mining.automine,
})
