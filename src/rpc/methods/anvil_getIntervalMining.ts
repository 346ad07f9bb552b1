import { devNames } from '../devChain.ts'
import { method } from '../method.ts'

/** The seconds from block to block; null if none is made by the clock. */
export const anvil_getIntervalMining = method(
  [],
  ({ control }) => {
    const { blockTime } = control.cheats.mining
    return blockTime === undefined ? null : blockTime / 1000
  },
  { aliases: devNames('getIntervalMining') },
)
