import { describe, expect, it } from 'vitest'
import type { Provider } from '../../../src/index.ts'
import { startChain } from '../../harness.ts'
import { ask, askBoth, startScene, UNKNOWN } from '../scene.ts'

describe('debug_traceBlockByHash', () => {
  it('traces every transaction of a sealed block, and of snapshots on preconf', async () => {
    const { chain, first, empty, snapshot } = await startScene()
    const four = { tracer: '4byteTracer' }
    const trace = (hash: unknown) => askBoth(chain, 'debug_traceBlockByHash', [hash, four])
    expect({
      sealed: await trace(first.block.hash),
      snapshot: await trace(snapshot.block.hash),
      'the snapshot before': await trace(empty.block.hash),
      unknown: await trace(UNKNOWN),
      'a number': await trace('0x1'),
    }).toMatchInlineSnapshot(`
      {
        "a number": {
          "both": "error -32602 invalid argument 0: expected a 32-byte hash",
        },
        "sealed": {
          "both": [
            {
              "result": {},
              "txHash": "0x8e86de6f62be4b8a7dd1cfc0722248516e275cb0a4a48d5d8ce29032175df088",
            },
            {
              "result": {},
              "txHash": "0xca46f45af71e7ebe53bf79ba91cf9deacd46499af1cdf4d5107af0b9e7f03dde",
            },
            {
              "result": {},
              "txHash": "0x77c5acd25bbfec815ce3a8e0f0d22dbed0f8aa58b00c68da7b0b8d4a4cc9fd28",
            },
          ],
        },
        "snapshot": {
          "preconf": [
            {
              "result": {
                "0xa9059cbb-64": 1,
              },
              "txHash": "0x1a4da674501c4b3b507db20f222e1feb42c22037d6f66e522f7d1b970a6c3233",
            },
            {
              "result": {
                "0x1ab06ee5-64": 1,
              },
              "txHash": "0x0b53ecfc0e6d41be9bdf2bc836482f98745a7abec2f5f893bd64cda8dce16878",
            },
            {
              "result": {},
              "txHash": "0x82433dffd1f76e2a59242f2fbd9f36152a48cd8f04d8b4f622faaa1962f2e1f8",
            },
            {
              "result": {
                "0xa9cc4718-0": 1,
              },
              "txHash": "0xaa8c554d8b1055dd5fde8f117b3913b211883e875ce14a797574ceea9ef3907f",
            },
          ],
          "standard": "error -32000 header not found",
        },
        "the snapshot before": {
          "preconf": [],
          "standard": "error -32000 header not found",
        },
        "unknown": {
          "both": "error -32000 header not found",
        },
      }
    `)
  })

  it('refuses genesis in the geth dialect, but no other empty block (design, decision 43)', async () => {
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
