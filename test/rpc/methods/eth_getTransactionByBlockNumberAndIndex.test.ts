import { describe, expect, it } from 'vitest'
import { askAll, startScene } from '../scene.ts'

describe('eth_getTransactionByBlockNumberAndIndex', () => {
  it('returns the transaction at an index, null if there is none', async () => {
    const { chain } = await startScene()
    const calls = {
      sealed: ['0x2', '0x0'],
      latest: ['latest', '0x1'],
      pending: ['pending', '0x3'],
      'pending by number': ['0x3', '0x2'],
      earliest: ['earliest', '0x0'],
      unknown: ['0x4', '0x0'],
    }
    expect(await askAll(chain, 'eth_getTransactionByBlockNumberAndIndex', calls)).toMatchInlineSnapshot(`
      {
        "earliest": {
          "both": null,
        },
        "latest": {
          "both": null,
        },
        "pending": {
          "preconf": {
            "accessList": [],
            "blockHash": "<scene: snapshot>",
            "blockNumber": "0x3",
            "blockTimestamp": "0x6553f104",
            "chainId": "0x7a69",
            "from": "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
            "gas": "0x186a0",
            "gasPrice": "0x63df142a",
            "hash": "0xaa8c554d8b1055dd5fde8f117b3913b211883e875ce14a797574ceea9ef3907f",
            "input": "0xa9cc4718",
            "maxFeePerGas": "0x2540be400",
            "maxPriorityFeePerGas": "0x3b9aca00",
            "nonce": "0x2",
            "r": "0x7af12131f491cd0de62b8df5ddd3a48139c71220419e74d9fba2fc7b64dbc885",
            "s": "0xa0c4ac0d88152b9f9ad1e37cf0e51242890e9646e9f9dbbc4890666a7a7c8ca",
            "to": "0xe7f1725e7734ce288f8367e1bb143e90bb3f0512",
            "transactionIndex": "0x3",
            "type": "0x2",
            "v": "0x0",
            "value": "0x0",
            "yParity": "0x0",
          },
          "standard": null,
        },
        "pending by number": {
          "preconf": {
            "accessList": [],
            "blockHash": "<scene: snapshot>",
            "blockNumber": "0x3",
            "blockTimestamp": "0x6553f104",
            "chainId": "0x7a69",
            "from": "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
            "gas": "0x186a0",
            "gasPrice": "0x63df142a",
            "hash": "0x82433dffd1f76e2a59242f2fbd9f36152a48cd8f04d8b4f622faaa1962f2e1f8",
            "input": "0x",
            "maxFeePerGas": "0x2540be400",
            "maxPriorityFeePerGas": "0x3b9aca00",
            "nonce": "0x1",
            "r": "0x9fbb12f1454fbb7896d921fa754e2f11ff2bcfdbc5c470f3d4a3749f08313a2c",
            "s": "0x2c3c782e738316d22febed8c2d6b2bd13425f573d68b4719ca10a644b3538dea",
            "to": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
            "transactionIndex": "0x2",
            "type": "0x2",
            "v": "0x1",
            "value": "0x29a2241af62c0000",
            "yParity": "0x1",
          },
          "standard": null,
        },
        "sealed": {
          "both": {
            "accessList": [],
            "blockHash": "<scene: block 2>",
            "blockNumber": "0x2",
            "blockTimestamp": "0x6553f102",
            "chainId": "0x7a69",
            "from": "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
            "gas": "0x186a0",
            "gasPrice": "0x6999ea6c",
            "hash": "0xccf1e56c9e36588480fcd844ca89c4b5f82d282272ce57fe874f178f55bb9612",
            "input": "0xa9059cbb00000000000000000000000070997970c51812dc3a010c7d01b50e0d17dc79c80000000000000000000000000000000000000000000000000000000000000002",
            "maxFeePerGas": "0x2540be400",
            "maxPriorityFeePerGas": "0x3b9aca00",
            "nonce": "0x2",
            "r": "0xada81bea50da44a27d38dcaa028b64396a7a887def7b04f4a8b91e2d5b7ce6f",
            "s": "0x55874ebcf56c8f382ab406bf82d2037d6ca1bc9dcadf832bbd5f5cfbe13228fb",
            "to": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
            "transactionIndex": "0x0",
            "type": "0x2",
            "v": "0x1",
            "value": "0x0",
            "yParity": "0x1",
          },
        },
        "unknown": {
          "both": null,
        },
      }
    `)
  })
})
