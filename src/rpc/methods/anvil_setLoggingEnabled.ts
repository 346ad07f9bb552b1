import { devNames } from '../devChain.ts'
import { method } from '../method.ts'
import { boolean } from '../params/scalars.ts'

/** Whether what contracts say to the console is printed; the option `console` is where it begins. */
export const anvil_setLoggingEnabled = method(
  [boolean],
  ({ control }, on) => {
    control.printConsole(on)
    return null
  },
  { aliases: devNames('setLoggingEnabled') },
)
