import { devNames } from '../devChain.ts'
import { changeMethod } from '../method.ts'
import { boolean } from '../params/params.ts'

/**
 * Turns automine, which seals transactions as they are sent, on or off; turning it on seals those that wait. In the dialect of
 * Hardhat they wait for the next block.
 */
export const evm_setAutomine = changeMethod(
  [boolean],
  async ({ control, dialect }, on) => {
    await control.cheats.mining.setAutomine(on, dialect.automineSeals)
    return null
  },
  { aliases: devNames('setAutomine') },
)
