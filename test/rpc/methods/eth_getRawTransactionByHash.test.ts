import { describe, expect, it } from 'vitest'
import { ask, askAll, send, sign, startScene, UNKNOWN } from '../scene.ts'

describe('eth_getRawTransactionByHash', () => {
  it('returns the bytes at every stage, null for an unknown transaction', async () => {
    const { chain, first, preconfBlock, waiting } = await startScene()
    const calls = {
      sealed: [first.block.transactions[2]!.hash],
      'pre-confirmed': [preconfBlock.block.transactions[2]!.hash],
      waiting: [waiting],
      unknown: [UNKNOWN],
    }
    expect(await askAll(chain, 'eth_getRawTransactionByHash', calls)).toMatchInlineSnapshot(`
      {
        "pre-confirmed": {
          "both": "121 bytes, keccak256 0x82433dffd1f76e2a",
        },
        "sealed": {
          "both": "1834 bytes, keccak256 0x77c5acd25bbfec81",
        },
        "unknown": {
          "both": null,
        },
        "waiting": {
          "both": "113 bytes, keccak256 0x2d43b111a23d4ddc",
        },
      }
    `)
  })

  it('returns exactly the bytes that were sent', async () => {
    const { chain, accounts } = await startScene()
    const draft = { nonce: 0, to: accounts[0]!, value: 5n }
    const hash = await send(chain, 5, draft)
    const raw = await sign(chain, 5, draft)
    const read = async () =>
      (await chain.standard.request({ method: 'eth_getRawTransactionByHash', params: [hash] })) === raw
    expect([
      await read(),
      (await chain.tick()) && (await read()),
      (await chain.seal()) && (await read()),
    ]).toEqual([true, true, true])
    expect(await ask(chain.standard, 'eth_getTransactionReceipt', [hash])).not.toBeNull()
  })
})
