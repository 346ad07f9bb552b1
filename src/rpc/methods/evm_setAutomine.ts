import { defineCheat } from '../method.ts'
import { boolean } from '../params/params.ts'

/**
 * Turns automine, which seals transactions as they are sent, on or off. Turning it on seals the waiting transactions.
 * In the `hardhat` dialect they wait for the next block.
 *
 * @group Dev chain: mining and time
 * @example [false]
 */
export const evm_setAutomine = defineCheat('setAutomine', {
  params: [boolean],
  returns: null,
  handler: ({ control, dialect }, on) => control.cheats.mining.setAutomine(on, dialect.automineSeals),
})
