import { setNextBlockTimestamp } from '../../core/cheats/blocks.ts'
import { devNames } from '../devChain.ts'
import { changeMethod } from '../method.ts'
import { integer } from '../params/dev.ts'

/**
 * Sets the timestamp of the next block in seconds; the chain's time continues from there.
 * An interval counts from that block.
 *
 * @throws TimestampTooLowError
 */
export const evm_setNextBlockTimestamp = changeMethod(
  [integer],
  async ({ control }, timestamp) => {
    await setNextBlockTimestamp(control.cheats, BigInt(timestamp))
    return null
  },
  { aliases: devNames('setNextBlockTimestamp') },
)
