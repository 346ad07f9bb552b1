import { bytesToHex } from '../../bytes.ts'
import { readCode } from '../../state/account.ts'
import { method } from '../method.ts'
import { address, blockParameter, optional } from '../params.ts'

/** The code, `0x` where there is none (spec.md §4.2). */
export const eth_getCode = method([address, optional(blockParameter)], async ({ sight }, account, block) => {
  const { state } = await sight.require(block)
  return bytesToHex(readCode(state, account))
})
