import { describe, expect, it } from 'vitest'
import type { PresealRpcSchema } from '../../../src/index.ts'
import { startChain } from '../../harness.ts'
import { askAll } from '../scene.ts'

describe('wallet_showCallsStatus', () => {
  it('returns null for a known batch, and shows nothing', async () => {
    const chain = await startChain()
    const to = chain.accounts[1]!.address
    const params: PresealRpcSchema['wallet_sendCalls']['params'] = [
      { version: '2.0.0', id: '0x01', chainId: '0x7a69', atomicRequired: true, calls: [{ to }] },
    ]
    await chain.standard.request({ method: 'wallet_sendCalls', params })
    const answers = await askAll(chain, 'wallet_showCallsStatus', {
      known: ['0x01'],
      unknown: ['0x02'],
      none: [],
    })
    expect(answers).toMatchInlineSnapshot(`
      {
        "known": {
          "both": null,
        },
        "none": {
          "both": "error -32602 invalid argument count: expected 1, got 0",
        },
        "unknown": {
          "both": "error 5730 unknown batch ID 0x02",
        },
      }
    `)
  })
})
