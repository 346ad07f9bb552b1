import { setNextBlockTimestamp } from '../../core/cheats/blocks.ts'
import { defineCheat } from '../method.ts'
import { integer } from '../params/dev.ts'

/**
 * Sets the timestamp of the next block in seconds. The chain's time and a timestamp interval continue from it.
 *
 * @throws TimestampTooLowError
 * @group Dev chain: mining and time
 * @example ["0x6553f200"]
 */
export const evm_setNextBlockTimestamp = defineCheat('setNextBlockTimestamp', {
  params: [integer],
  returns: null,
  handler: ({ control }, timestamp) => setNextBlockTimestamp(control.cheats, BigInt(timestamp)),
})
