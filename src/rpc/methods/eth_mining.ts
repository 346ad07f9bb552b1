import { defineMethod } from '../method.ts'

/**
 * Returns whether automine or interval mining is on.
 *
 * @group Chain and node
 */
export const eth_mining = defineMethod({
  class: 'node',
  onFork: 'local',
  handler: ({ control }) => control.cheats.mining.isOn,
})
