import { describe, expect, it } from 'vitest'
import { ask, startScene, UNKNOWN } from '../scene.ts'

describe('debug_getRawTransaction', () => {
  it('returns the bytes at every stage, none for an unknown transaction', async () => {
    const { chain, first, preconfBlock, waiting, queued } = await startScene()
    const hashes = [
      first.block.transactions[2]!.hash,
      preconfBlock.block.transactions[0]!.hash,
      waiting,
      queued,
    ]
    for (const provider of [chain.standard, chain.preconf]) {
      for (const hash of hashes) {
        const raw = await provider.request({ method: 'debug_getRawTransaction', params: [hash] })
        expect(await provider.request({ method: 'web3_sha3', params: [raw] })).toBe(hash)
        expect(await provider.request({ method: 'eth_getRawTransactionByHash', params: [hash] })).toBe(raw)
      }
      expect(await ask(provider, 'debug_getRawTransaction', [UNKNOWN])).toBe('0x')
    }
  })
})
