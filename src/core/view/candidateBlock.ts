/** The block that `pending` names on the standard view: an empty one after the head, which is not built. */

import { ZERO_HASH } from '../../base/bytes.ts'
import type { Block } from '../../ethereum/block.ts'
import type { BlockEnv } from '../../ethereum/evm/executor.ts'
import { createHeader, measureHeader, nextExcessBlobGas } from '../../ethereum/header.ts'
import type { PayloadAttributes } from '../block/attributes.ts'
import { blockSize } from '../block/blockSize.ts'

/** The candidate after a head, without number and hash; its state is the head's. */
export function candidateBlock(
  head: Block,
  attributes: PayloadAttributes,
  { number, rules }: BlockEnv,
): Block {
  const header = createHeader(
    {
      parentHash: head.hash,
      miner: attributes.coinbase,
      stateRoot: head.header.stateRoot,
      number,
      gasLimit: attributes.gasLimit,
      timestamp: attributes.timestamp,
      extraData: attributes.extraData,
      mixHash: attributes.prevRandao,
      baseFeePerGas: attributes.baseFee,
      excessBlobGas: rules.fork.cancun ? nextExcessBlobGas(head.header, rules) : 0n,
    },
    rules,
  )
  return {
    header,
    hash: ZERO_HASH,
    number,
    timestamp: attributes.timestamp,
    rules,
    transactions: [],
    receipts: [],
    uncles: [],
    withdrawals: rules.fork.shanghai ? [] : undefined,
    size: blockSize(header, measureHeader(header).size, 0),
  }
}
