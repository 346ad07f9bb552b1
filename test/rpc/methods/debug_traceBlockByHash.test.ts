import { describe, expect, it } from 'vitest'
import type { Provider } from '../../../src/index.ts'
import { startChain } from '../../harness.ts'
import { ask, askBoth, startScene, UNKNOWN } from '../scene.ts'
import { FIRST, PRECONF_BLOCK } from '../sceneValues.ts'

describe('debug_traceBlockByHash', () => {
  it('traces every transaction of a sealed block, and of preconf blocks on preconf', async () => {
    const { chain, first, empty, preconfBlock } = await startScene()
    const four = { tracer: '4byteTracer' }
    const trace = (hash: unknown) => askBoth(chain, 'debug_traceBlockByHash', [hash, four])
    expect({
      sealed: await trace(first.block.hash),
      'preconf block': await trace(preconfBlock.block.hash),
      'the preconf block before': await trace(empty.block.hash),
      unknown: await trace(UNKNOWN),
      'a number': await trace('0x1'),
    }).toStrictEqual({
      sealed: { both: FIRST.fourByteTraces },
      'preconf block': { standard: 'error -32000 header not found', preconf: PRECONF_BLOCK.fourByteTraces },
      'the preconf block before': { standard: 'error -32000 header not found', preconf: [] },
      unknown: { both: 'error -32000 header not found' },
      'a number': { both: 'error -32602 invalid argument 0: expected a 32-byte hash' },
    })
  })

  it('refuses genesis in the geth dialect, but no other empty block (spec.md 43)', async () => {
    const chain = await startChain()
    const { block } = await chain.seal()
    const genesis = await chain.standard.request({ method: 'eth_getBlockByNumber', params: ['0x0', false] })
    for (const view of ['standard', 'preconf'] as const) {
      const geth = chain.provider(view, { dialect: 'geth' })
      const trace = (provider: Provider, of: unknown) => ask(provider, 'debug_traceBlockByHash', [of])
      expect(await trace(geth, genesis!.hash)).toBe('error -32000 genesis is not traceable')
      expect(await trace(chain[view], genesis!.hash)).toEqual([])
      expect(await trace(geth, block.hash)).toEqual([])
    }
  })
})
