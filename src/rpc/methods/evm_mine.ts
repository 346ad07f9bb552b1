import { optional } from '../../base/schema.ts'
import { mine } from '../../core/cheats/blocks.ts'
import { defineMethod } from '../method.ts'
import { miningRequest } from '../params/dev.ts'

/**
 * Seals blocks (default 1). A timestamp applies to the first one.
 *
 * @throws TimestampTooLowError, TooManyBlocksError
 * @group Dev chain: mining and time
 */
export const evm_mine = defineMethod({
  class: 'cheat',
  turn: 'change',
  params: [optional(miningRequest)],
  handler: async ({ control }, request) => {
    const { timestamp, blocks = 1 } = request ?? {}
    await mine(control.cheats, { blocks, timestamp: timestamp === undefined ? undefined : BigInt(timestamp) })
    return '0x0' as const
  },
})
