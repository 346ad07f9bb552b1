import { describe, expect, it } from 'vitest'
import type { PresealRpcBlock } from '../../../src/index.ts'
import { ask, startScene } from '../scene.ts'

describe('erigon_getHeaderByNumber', () => {
  it('returns the header of a block by number, JSON numbers included, or tag', async () => {
    const { chain } = await startScene()
    for (const provider of [chain.standard, chain.preconf]) {
      for (const block of ['latest', '0x1', 'pending', 'earliest']) {
        const full = (await ask(provider, 'eth_getBlockByNumber', [block, false])) as PresealRpcBlock
        const { transactions, uncles, size, withdrawals, totalDifficulty, ...header } = full
        expect(await ask(provider, 'erigon_getHeaderByNumber', [block])).toEqual(header)
      }
      expect(await ask(provider, 'erigon_getHeaderByNumber', [1])).toMatchObject({ number: '0x1' })
      expect(await ask(provider, 'erigon_getHeaderByNumber', ['0x9'])).toBeNull()
      expect(await ask(provider, 'erigon_getHeaderByNumber', [-1])).toMatch(/^error -32602 /)
    }
  })
})
