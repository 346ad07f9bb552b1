import { devNames } from '../devChain.ts'
import { method } from '../method.ts'
import { boolean } from '../params/params.ts'

/** Turns the printing of contracts' console output on or off; the option `console` sets the initial value. */
export const anvil_setLoggingEnabled = method(
  [boolean],
  ({ control }, on) => {
    control.printConsole(on)
    return null
  },
  { aliases: devNames('setLoggingEnabled') },
)
