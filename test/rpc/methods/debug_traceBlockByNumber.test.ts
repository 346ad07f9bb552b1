import { describe, expect, it } from 'vitest'
import type { Provider } from '../../../src/index.ts'
import { startChain } from '../../harness.ts'
import { ask, askAll, positions, startScene } from '../scene.ts'
import { FIRST, PRECONF_BLOCK, SECOND } from '../sceneValues.ts'

describe('debug_traceBlockByNumber', () => {
  it('traces every transaction of a block, pre-confirmed ones on preconf', async () => {
    const { chain } = await startScene()
    const params = positions((block) => [block, { tracer: '4byteTracer' }])
    expect(await askAll(chain, 'debug_traceBlockByNumber', params)).toStrictEqual({
      earliest: { both: [] },
      finalized: { both: [] },
      safe: { both: FIRST.fourByteTraces },
      latest: { both: SECOND.fourByteTraces },
      pending: { standard: [], preconf: PRECONF_BLOCK.fourByteTraces },
      '0x1': 'as safe',
      '0x2': { both: SECOND.fourByteTraces },
      '0x3': { standard: 'error -32000 header not found', preconf: PRECONF_BLOCK.fourByteTraces },
      '0x4': { both: 'error -32000 header not found' },
    })
  })

  it('refuses genesis in the geth dialect, but no other empty block (spec.md 43)', async () => {
    const chain = await startChain()
    const { block } = await chain.seal()
    for (const view of ['standard', 'preconf'] as const) {
      const geth = chain.provider(view, { dialect: 'geth' })
      const trace = (provider: Provider, of: unknown) => ask(provider, 'debug_traceBlockByNumber', [of])
      expect(await trace(geth, '0x0')).toBe('error -32000 genesis is not traceable')
      expect(await trace(chain[view], '0x0')).toEqual([])
      expect(await trace(geth, block.number)).toEqual([])
    }
  })
})
