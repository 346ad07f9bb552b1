import { describe, expect, it } from 'vitest'
import { askAll, startScene, UNKNOWN } from '../scene.ts'

describe('eth_getTransactionReceipt', () => {
  it('returns the receipt after the tick on preconf, after the seal on standard (design, decision 7)', async () => {
    const { chain, first, snapshot, waiting, queued } = await startScene()
    const calls = {
      'creation, with a log': [first.block.transactions[0]!.hash],
      'legacy transfer': [first.block.transactions[2]!.hash],
      'pre-confirmed, with a log': [snapshot.block.transactions[0]!.hash],
      'pre-confirmed, reverted': [snapshot.block.transactions[3]!.hash],
      waiting: [waiting],
      queued: [queued],
      unknown: [UNKNOWN],
    }
    expect(await askAll(chain, 'eth_getTransactionReceipt', calls)).toMatchInlineSnapshot(`
      {
        "creation, with a log": {
          "both": {
            "blockHash": "<scene: block 1>",
            "blockNumber": "0x1",
            "contractAddress": null,
            "cumulativeGasUsed": "0x5208",
            "effectiveGasPrice": "0xb2d05e00",
            "from": "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
            "gasUsed": "0x5208",
            "logs": [],
            "logsBloom": "256 zero bytes",
            "status": "0x1",
            "to": "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
            "transactionHash": "0x8e86de6f62be4b8a7dd1cfc0722248516e275cb0a4a48d5d8ce29032175df088",
            "transactionIndex": "0x0",
            "type": "0x0",
          },
        },
        "legacy transfer": {
          "both": {
            "blockHash": "<scene: block 1>",
            "blockNumber": "0x1",
            "contractAddress": "0xe7f1725e7734ce288f8367e1bb143e90bb3f0512",
            "cumulativeGasUsed": "0xcb3a0",
            "effectiveGasPrice": "0x6fc23ac0",
            "from": "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
            "gasUsed": "0x66fca",
            "logs": [],
            "logsBloom": "256 zero bytes",
            "status": "0x1",
            "to": null,
            "transactionHash": "0x77c5acd25bbfec815ce3a8e0f0d22dbed0f8aa58b00c68da7b0b8d4a4cc9fd28",
            "transactionIndex": "0x2",
            "type": "0x2",
          },
        },
        "pre-confirmed, reverted": {
          "preconf": {
            "blockHash": "<scene: snapshot>",
            "blockNumber": "0x3",
            "contractAddress": null,
            "cumulativeGasUsed": "0x1d691",
            "effectiveGasPrice": "0x63df142a",
            "from": "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
            "gasUsed": "0x536e",
            "logs": [],
            "logsBloom": "256 zero bytes",
            "status": "0x0",
            "to": "0xe7f1725e7734ce288f8367e1bb143e90bb3f0512",
            "transactionHash": "0xaa8c554d8b1055dd5fde8f117b3913b211883e875ce14a797574ceea9ef3907f",
            "transactionIndex": "0x3",
            "type": "0x2",
          },
          "standard": null,
        },
        "pre-confirmed, with a log": {
          "preconf": {
            "blockHash": "<scene: snapshot>",
            "blockNumber": "0x3",
            "contractAddress": null,
            "cumulativeGasUsed": "0x8664",
            "effectiveGasPrice": "0x63df142a",
            "from": "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
            "gasUsed": "0x8664",
            "logs": [
              {
                "address": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
                "blockHash": "<scene: snapshot>",
                "blockNumber": "0x3",
                "blockTimestamp": "0x6553f104",
                "data": "0x0000000000000000000000000000000000000000000000000000000000000005",
                "logIndex": "0x0",
                "removed": false,
                "topics": [
                  "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
                  "0x000000000000000000000000f39fd6e51aad88f6f4ce6ab8827279cfffb92266",
                  "0x00000000000000000000000070997970c51812dc3a010c7d01b50e0d17dc79c8",
                ],
                "transactionHash": "0x1a4da674501c4b3b507db20f222e1feb42c22037d6f66e522f7d1b970a6c3233",
                "transactionIndex": "0x0",
              },
            ],
            "logsBloom": "256 bytes, keccak256 0x042cc1805aa6ca5e",
            "status": "0x1",
            "to": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
            "transactionHash": "0x1a4da674501c4b3b507db20f222e1feb42c22037d6f66e522f7d1b970a6c3233",
            "transactionIndex": "0x0",
            "type": "0x2",
          },
          "standard": null,
        },
        "queued": {
          "both": null,
        },
        "unknown": {
          "both": null,
        },
        "waiting": {
          "both": null,
        },
      }
    `)
    await chain.seal()
    const receipts = await Promise.all(
      [chain.standard, chain.preconf].map((provider) =>
        provider.request({
          method: 'eth_getTransactionReceipt',
          params: [snapshot.block.transactions[3]!.hash],
        }),
      ),
    )
    expect(receipts[0]).toEqual(receipts[1])
    expect(receipts[0]!.status).toBe('0x0')
  })
})
