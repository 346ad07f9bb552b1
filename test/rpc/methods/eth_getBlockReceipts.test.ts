import { describe, expect, it } from 'vitest'
import { askAll, blockForms, startScene } from '../scene.ts'
import { FIRST, PRECONF_BLOCK, SECOND } from '../sceneValues.ts'

describe('eth_getBlockReceipts', () => {
  it('returns the receipts of a block, null if there is none', async () => {
    const scene = await startScene()
    expect(
      await askAll(
        scene.chain,
        'eth_getBlockReceipts',
        blockForms(scene, (block) => [block]),
      ),
    ).toStrictEqual({
      earliest: { both: [] },
      finalized: { both: [] },
      safe: { both: FIRST.receipts },
      latest: { both: SECOND.receipts },
      pending: { standard: [], preconf: PRECONF_BLOCK.receipts },
      '0x1': 'as safe',
      '0x2': 'as latest',
      '0x3': { standard: null, preconf: PRECONF_BLOCK.receipts },
      '0x4': { both: null },
      'hash of block 1': 'as safe',
      'EIP-1898 hash': 'as safe',
      'EIP-1898 canonical hash': 'as safe',
      'EIP-1898 number': 'as safe',
      'hash of the preconf block': 'as 0x3',
      'hash of the preconf block before': { standard: null, preconf: [] },
      'unknown hash': { both: null },
    })
  })
})
