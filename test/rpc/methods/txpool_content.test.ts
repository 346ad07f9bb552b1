import { describe, expect, it } from 'vitest'
import { askBoth, startScene } from '../scene.ts'

describe('txpool_content', () => {
  it('shows waiting transactions, not pre-confirmed ones', async () => {
    const { chain } = await startScene()
    expect(await askBoth(chain, 'txpool_content')).toMatchInlineSnapshot(`
      {
        "both": {
          "pending": {
            "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc": {
              "0": {
                "accessList": [],
                "blockHash": null,
                "blockNumber": null,
                "chainId": "0x7a69",
                "from": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
                "gas": "0x186a0",
                "gasPrice": "0x2540be400",
                "hash": "0x2d43b111a23d4ddc5735af521a16b5474e4635acb20e88bbd721712283eeed38",
                "input": "0x",
                "maxFeePerGas": "0x2540be400",
                "maxPriorityFeePerGas": "0x3b9aca00",
                "nonce": "0x0",
                "r": "0x5ca7d3dcbd0b122e5a1b36804c8ba9414015e4d6b92255b23a346e6c46538dc3",
                "s": "0x1085485f723cb6ad3737dc2551922428ffe559ed739e32fc46da032f60a7af3",
                "to": "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
                "transactionIndex": null,
                "type": "0x2",
                "v": "0x1",
                "value": "0x1",
                "yParity": "0x1",
              },
            },
          },
          "queued": {
            "0x90f79bf6eb2c4f870365e785982e1f101e93b906": {
              "1": {
                "accessList": [],
                "blockHash": null,
                "blockNumber": null,
                "chainId": "0x7a69",
                "from": "0x90f79bf6eb2c4f870365e785982e1f101e93b906",
                "gas": "0x186a0",
                "gasPrice": "0x2540be400",
                "hash": "0xda81b40dc30750a05f78911bf5a7f9c440fd5cbed64987c9e03e46acc6b8257d",
                "input": "0x",
                "maxFeePerGas": "0x2540be400",
                "maxPriorityFeePerGas": "0x3b9aca00",
                "nonce": "0x1",
                "r": "0x53686f9d6ae39bf242763b5faf143ceaa43b244fbcbf64c87134280355d2cb6d",
                "s": "0x7f04abfc73bbe3d511a4fb71826158dbdeff11be069be28717eb52a3c5d7bf5d",
                "to": "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
                "transactionIndex": null,
                "type": "0x2",
                "v": "0x0",
                "value": "0x2",
                "yParity": "0x0",
              },
            },
          },
        },
      }
    `)
  })
})
