import { describe, expect, it } from 'vitest'
import { askAll, startScene, UNKNOWN } from '../scene.ts'
import { FIRST, PRECONF_BLOCK } from '../sceneValues.ts'

describe('eth_getTransactionReceipt', () => {
  it('returns the receipt after the tick on preconf, after the seal on standard (spec.md 7)', async () => {
    const { chain, first, preconfBlock, waiting, queued } = await startScene()
    const calls = {
      'legacy transfer': [first.block.transactions[0]!.hash],
      'creation, with a log': [first.block.transactions[1]!.hash],
      creation: [first.block.transactions[2]!.hash],
      'pre-confirmed, with a log': [preconfBlock.block.transactions[0]!.hash],
      'pre-confirmed, reverted': [preconfBlock.block.transactions[3]!.hash],
      waiting: [waiting],
      queued: [queued],
      unknown: [UNKNOWN],
    }
    expect(await askAll(chain, 'eth_getTransactionReceipt', calls)).toStrictEqual({
      'legacy transfer': { both: FIRST.receipts[0] },
      'creation, with a log': { both: FIRST.receipts[1] },
      creation: { both: FIRST.receipts[2] },
      'pre-confirmed, with a log': { standard: null, preconf: PRECONF_BLOCK.receipts[0] },
      'pre-confirmed, reverted': { standard: null, preconf: PRECONF_BLOCK.receipts[3] },
      waiting: { both: null },
      queued: { both: null },
      unknown: { both: null },
    })
    await chain.seal()
    const receipts = await Promise.all(
      [chain.standard, chain.preconf].map((provider) =>
        provider.request({
          method: 'eth_getTransactionReceipt',
          params: [preconfBlock.block.transactions[3]!.hash],
        }),
      ),
    )
    expect(receipts[0]).toEqual(receipts[1])
    expect(receipts[0]!.status).toBe('0x0')
  })
})
