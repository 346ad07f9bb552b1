/** The block environment in the form of @ethereumjs' EVM. */
import type { EVMRunCallOpts } from '@ethereumjs/evm'
import { Address } from '@ethereumjs/util'
import { hexToBytes } from '../../../base/bytes.ts'
import type { BlockEnv } from '../executor.ts'

/** The block context of @ethereumjs' EVM. */
export type EVMBlock = NonNullable<EVMRunCallOpts['block']>

const blocks = new WeakMap<BlockEnv, EVMBlock>()

/** Converts a block environment, once for all transactions of a block. */
export function toEVMBlock(env: BlockEnv): EVMBlock {
  let block = blocks.get(env)
  if (block === undefined) {
    block = {
      header: {
        number: env.number,
        coinbase: new Address(hexToBytes(env.coinbase)),
        timestamp: env.timestamp,
        difficulty: env.difficulty,
        prevRandao: hexToBytes(env.prevRandao),
        gasLimit: env.gasLimit,
        baseFeePerGas: env.baseFee,
        slotNumber: 0n,
        getBlobGasPrice: () => env.blobBaseFee,
      },
    }
    blocks.set(env, block)
  }
  return block
}
