import { describe, expect, it } from 'vitest'
import { askAll, startScene, UNKNOWN } from '../scene.ts'

describe('eth_getTransactionByBlockHashAndIndex', () => {
  it('returns the transaction at an index, null if there is none', async () => {
    const { chain, first, empty, snapshot } = await startScene()
    const calls = {
      sealed: [first.block.hash, '0x2'],
      snapshot: [snapshot.block.hash, '0x0'],
      'index beyond': [first.block.hash, '0x3'],
      'index in an earlier snapshot': [empty.block.hash, '0x0'],
      'largest index': [first.block.hash, '0x1fffffffffffff'],
      unknown: [UNKNOWN, '0x0'],
    }
    expect(await askAll(chain, 'eth_getTransactionByBlockHashAndIndex', calls)).toMatchInlineSnapshot(`
      {
        "index beyond": {
          "both": null,
        },
        "index in an earlier snapshot": {
          "both": null,
        },
        "largest index": {
          "both": null,
        },
        "sealed": {
          "both": {
            "accessList": [],
            "blockHash": "<scene: block 1>",
            "blockNumber": "0x1",
            "blockTimestamp": "0x6553f101",
            "chainId": "0x7a69",
            "from": "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
            "gas": "0x2dc6c0",
            "gasPrice": "0x6fc23ac0",
            "hash": "0x77c5acd25bbfec815ce3a8e0f0d22dbed0f8aa58b00c68da7b0b8d4a4cc9fd28",
            "input": "1738 bytes, keccak256 0xda37204b4397bbc1",
            "maxFeePerGas": "0x2540be400",
            "maxPriorityFeePerGas": "0x3b9aca00",
            "nonce": "0x1",
            "r": "0xbaea80fe1cf39e8f9b29dea2e97393d52ecd60a8c3c6458f125b3bd975ab6a8e",
            "s": "0x760fabb2b3b06ace835f7e11466e35d8adb8301e8ba617dc7dec8e7421768b16",
            "to": null,
            "transactionIndex": "0x2",
            "type": "0x2",
            "v": "0x1",
            "value": "0x0",
            "yParity": "0x1",
          },
        },
        "snapshot": {
          "preconf": {
            "accessList": [],
            "blockHash": "<scene: snapshot>",
            "blockNumber": "0x3",
            "blockTimestamp": "0x6553f104",
            "chainId": "0x7a69",
            "from": "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
            "gas": "0x186a0",
            "gasPrice": "0x63df142a",
            "hash": "0x1a4da674501c4b3b507db20f222e1feb42c22037d6f66e522f7d1b970a6c3233",
            "input": "0xa9059cbb00000000000000000000000070997970c51812dc3a010c7d01b50e0d17dc79c80000000000000000000000000000000000000000000000000000000000000005",
            "maxFeePerGas": "0x2540be400",
            "maxPriorityFeePerGas": "0x3b9aca00",
            "nonce": "0x3",
            "r": "0x2484ed10cfb9c0a10188c09b4514964580e39e7af56d3ed5550447396055a3cd",
            "s": "0x2dbb72c021bfbf2455d509dcd525988a24932a95f6370b2e8d9a49a303ce2e13",
            "to": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
            "transactionIndex": "0x0",
            "type": "0x2",
            "v": "0x0",
            "value": "0x0",
            "yParity": "0x0",
          },
          "standard": null,
        },
        "unknown": {
          "both": null,
        },
      }
    `)
  })
})
