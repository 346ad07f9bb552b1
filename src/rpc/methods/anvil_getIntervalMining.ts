import { devNames } from '../devChain.ts'
import { method } from '../method.ts'

/** Returns the block time of interval mining in seconds; null if interval mining is off. */
export const anvil_getIntervalMining = method(
  [],
  ({ control }) => {
    const { blockTime } = control.cheats.mining
    return blockTime === undefined ? null : blockTime / 1000
  },
  { aliases: devNames('getIntervalMining') },
)
