import { defineMethod, devNames } from '../method.ts'
import { boolean } from '../params/params.ts'

/**
 * Turns the printing of contracts' console output on or off; the option `console` sets the initial value.
 *
 * @group Dev chain: mempool and node
 * @example [true]
 */
export const anvil_setLoggingEnabled = defineMethod({
  class: 'cheat',
  aliases: devNames('setLoggingEnabled'),
  params: [boolean],
  returns: null,
  handler: ({ control }, on) => control.printConsole(on),
})
