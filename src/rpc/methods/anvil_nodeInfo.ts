import { quantity } from '../../base/bytes.ts'
import { defineMethod, devNames } from '../method.ts'

/**
 * Returns the head and the settings of the next block, in anvil's format.
 *
 * @group Dev chain: mempool and node
 */
export const anvil_nodeInfo = defineMethod({
  class: 'cheat',
  aliases: devNames('nodeInfo'),
  handler: ({ read, control, viewed }) => {
    const { head, preconf } = viewed.tip
    const { block } = head
    const { fork } = viewed.tip.base
    return {
      currentBlockNumber: quantity(block.number),
      currentBlockTimestamp: Number(block.timestamp),
      currentBlockHash: block.hash,
      hardFork: block.rules.hardfork,
      transactionOrder: control.ordering,
      environment: {
        baseFee: quantity(preconf.attributes.baseFee),
        chainId: Number(read.chainId),
        gasLimit: quantity(preconf.attributes.gasLimit),
        gasPrice: quantity(read.gasPrice ?? preconf.attributes.baseFee),
      },
      forkConfig: {
        forkUrl: fork?.url ?? null,
        forkBlockNumber: fork === undefined ? null : Number(fork.number),
        forkRetryBackoff: null,
      },
    }
  },
})
