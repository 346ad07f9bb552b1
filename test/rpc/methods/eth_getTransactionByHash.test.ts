import { describe, expect, it } from 'vitest'
import { askAll, startScene, UNKNOWN } from '../scene.ts'
import { FIRST, PRECONF_BLOCK, QUEUED, WAITING } from '../sceneValues.ts'

describe('eth_getTransactionByHash', () => {
  it('returns a transaction at every stage; on standard a pre-confirmed one waits (spec.md 7)', async () => {
    const { chain, first, preconfBlock, waiting, queued } = await startScene()
    const calls = {
      'sealed creation': [first.block.transactions[2]!.hash],
      'pre-confirmed': [preconfBlock.block.transactions[2]!.hash],
      waiting: [waiting],
      queued: [queued],
      unknown: [UNKNOWN],
    }
    const { blockTimestamp: _timestamp, ...transfer } = PRECONF_BLOCK.transactions[2]
    expect(await askAll(chain, 'eth_getTransactionByHash', calls)).toStrictEqual({
      'sealed creation': { both: FIRST.transactions[2] },
      'pre-confirmed': {
        standard: {
          ...transfer,
          blockHash: null,
          blockNumber: null,
          transactionIndex: null,
          gasPrice: transfer.maxFeePerGas,
        },
        preconf: PRECONF_BLOCK.transactions[2],
      },
      waiting: { both: WAITING },
      queued: { both: QUEUED },
      unknown: { both: null },
    })
  })
})
