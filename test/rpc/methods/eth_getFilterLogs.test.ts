import { describe, expect, it } from 'vitest'
import { ask, startScene } from '../scene.ts'

describe('eth_getFilterLogs', () => {
  it('returns all logs that a filter matches, also those polled before', async () => {
    const { chain } = await startScene()
    for (const provider of [chain.standard, chain.preconf]) {
      const filter = { fromBlock: 'earliest', toBlock: 'pending' } as const
      const id = await provider.request({ method: 'eth_newFilter', params: [filter] })
      const all = await ask(provider, 'eth_getLogs', [filter])
      expect(await ask(provider, 'eth_getFilterLogs', [id])).toEqual(all)
      await provider.request({ method: 'eth_getFilterChanges', params: [id] })
      expect(await ask(provider, 'eth_getFilterLogs', [id])).toEqual(all)
    }
  })

  it('refuses other filters than log filters', async () => {
    const { chain } = await startScene()
    const id = await chain.preconf.request({ method: 'eth_newBlockFilter' })
    expect(await ask(chain.preconf, 'eth_getFilterLogs', [id])).toBe('error -32000 filter not found')
    expect(await ask(chain.preconf, 'eth_getFilterLogs', ['0x63'])).toBe('error -32000 filter not found')
  })
})
