import { describe, expect, it } from 'vitest'
import { askBoth, startScene, UNKNOWN } from '../scene.ts'

describe('trace_transaction', () => {
  it('returns the frames of a transaction if the view shows it in a block, otherwise null', async () => {
    const { chain, first, preconfBlock, waiting } = await startScene()
    const ask = (hash: unknown) => askBoth(chain, 'trace_transaction', [hash])
    expect({
      sealed: await ask(first.block.transactions[2]!.hash),
      'pre-confirmed': await ask(preconfBlock.block.transactions[0]!.hash),
      waiting: await ask(waiting),
      unknown: await ask(UNKNOWN),
    }).toMatchInlineSnapshot(`
      {
        "pre-confirmed": {
          "preconf": [
            {
              "action": {
                "callType": "call",
                "from": "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
                "gas": "0x1325c",
                "input": "0xa9059cbb00000000000000000000000070997970c51812dc3a010c7d01b50e0d17dc79c80000000000000000000000000000000000000000000000000000000000000005",
                "to": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
                "value": "0x0",
              },
              "blockHash": "<scene: preconf block>",
              "blockNumber": 3,
              "result": {
                "gasUsed": "0x3220",
                "output": "0x0000000000000000000000000000000000000000000000000000000000000001",
              },
              "subtraces": 0,
              "traceAddress": [],
              "transactionHash": "0x1a4da674501c4b3b507db20f222e1feb42c22037d6f66e522f7d1b970a6c3233",
              "transactionPosition": 0,
              "type": "call",
            },
          ],
          "standard": null,
        },
        "sealed": {
          "both": [
            {
              "action": {
                "creationMethod": "create",
                "from": "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
                "gas": "0x2c8e0a",
                "init": "1738 bytes, keccak256 0xda37204b4397bbc1",
                "value": "0x0",
              },
              "blockHash": "<scene: block 1>",
              "blockNumber": 1,
              "result": {
                "address": "0xe7f1725e7734ce288f8367e1bb143e90bb3f0512",
                "code": "1707 bytes, keccak256 0xb0e1c9db8399db24",
                "gasUsed": "0x53714",
              },
              "subtraces": 0,
              "traceAddress": [],
              "transactionHash": "0x77c5acd25bbfec815ce3a8e0f0d22dbed0f8aa58b00c68da7b0b8d4a4cc9fd28",
              "transactionPosition": 2,
              "type": "create",
            },
          ],
        },
        "unknown": {
          "both": null,
        },
        "waiting": {
          "both": null,
        },
      }
    `)
  })
})
