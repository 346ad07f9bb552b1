import { bytesToHex } from '../../primitives/bytes.ts'
import { optional } from '../../primitives/schema.ts'
import { readCode } from '../../state/account.ts'
import { method } from '../method.ts'
import { blockParameter } from '../params/block.ts'
import { address } from '../params/scalars.ts'

/** The code, `0x` if there is none (spec.md §4.2). */
export const eth_getCode = method([address, optional(blockParameter)], async ({ viewed }, account, block) => {
  const { state } = await viewed.require(block)
  return bytesToHex(readCode(state, account))
})
