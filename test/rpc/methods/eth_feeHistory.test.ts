import { expect, it } from 'vitest'
import { startChain } from '../../harness.ts'
import { ask, askAll, startScene } from '../scene.ts'

it('gives base fees, fill and rewards; the block asked for may be the pending one', async () => {
  const { chain } = await startScene()
  const calls = {
    'all up to latest': ['0x4', 'latest', []],
    'with rewards': ['0x2', 'latest', [0, 50, 100]],
    'count as number, no percentiles': [1, '0x1'],
    pending: ['0x1', 'pending', [50]],
    'pending by number': ['0x1', '0x3'],
    unknown: ['0x1', '0x4'],
    'more than there are': ['0x400', 'earliest'],
    none: ['0x0', 'latest'],
    'too many': ['0x401', 'latest'],
    'percentile above 100': ['0x1', 'latest', [101]],
    'percentiles that fall': ['0x1', 'latest', [50, 10]],
  }
  expect(await askAll(chain, 'eth_feeHistory', calls)).toMatchInlineSnapshot(`
    {
      "all up to latest": {
        "both": {
          "baseFeePerBlobGas": [
            "0x1",
            "0x1",
            "0x1",
            "0x1",
          ],
          "baseFeePerGas": [
            "0x3b9aca00",
            "0x342770c0",
            "0x2dff206c",
            "0x28444a2a",
          ],
          "blobGasUsedRatio": [
            0,
            0,
            0,
          ],
          "gasUsedRatio": [
            0,
            0.0277472,
            0.0017168,
          ],
          "oldestBlock": "0x0",
          "reward": [
            [],
            [],
            [],
          ],
        },
      },
      "count as number, no percentiles": {
        "both": {
          "baseFeePerBlobGas": [
            "0x1",
            "0x1",
          ],
          "baseFeePerGas": [
            "0x342770c0",
            "0x2dff206c",
          ],
          "blobGasUsedRatio": [
            0,
          ],
          "gasUsedRatio": [
            0.0277472,
          ],
          "oldestBlock": "0x1",
        },
      },
      "more than there are": {
        "both": {
          "baseFeePerBlobGas": [
            "0x1",
            "0x1",
          ],
          "baseFeePerGas": [
            "0x3b9aca00",
            "0x342770c0",
          ],
          "blobGasUsedRatio": [
            0,
          ],
          "gasUsedRatio": [
            0,
          ],
          "oldestBlock": "0x0",
        },
      },
      "none": {
        "both": "error -32602 invalid argument 0: expected a number of blocks from 1 to 1024",
      },
      "pending": {
        "preconf": {
          "baseFeePerBlobGas": [
            "0x1",
            "0x1",
          ],
          "baseFeePerGas": [
            "0x28444a2a",
            "0x23461a0b",
          ],
          "blobGasUsedRatio": [
            0,
          ],
          "gasUsedRatio": [
            0.0040155,
          ],
          "oldestBlock": "0x3",
          "reward": [
            [
              "0x3b9aca00",
            ],
          ],
        },
        "standard": {
          "baseFeePerBlobGas": [
            "0x1",
            "0x1",
          ],
          "baseFeePerGas": [
            "0x28444a2a",
            "0x233bc0e5",
          ],
          "blobGasUsedRatio": [
            0,
          ],
          "gasUsedRatio": [
            0,
          ],
          "oldestBlock": "0x3",
          "reward": [
            [
              "0x0",
            ],
          ],
        },
      },
      "pending by number": {
        "preconf": {
          "baseFeePerBlobGas": [
            "0x1",
            "0x1",
          ],
          "baseFeePerGas": [
            "0x28444a2a",
            "0x23461a0b",
          ],
          "blobGasUsedRatio": [
            0,
          ],
          "gasUsedRatio": [
            0.0040155,
          ],
          "oldestBlock": "0x3",
        },
        "standard": "error -32000 header not found",
      },
      "percentile above 100": {
        "both": "error -32602 invalid argument 2[0]: expected a percentile from 0 to 100",
      },
      "percentiles that fall": {
        "both": {
          "baseFeePerBlobGas": [
            "0x1",
            "0x1",
          ],
          "baseFeePerGas": [
            "0x2dff206c",
            "0x28444a2a",
          ],
          "blobGasUsedRatio": [
            0,
          ],
          "gasUsedRatio": [
            0.0017168,
          ],
          "oldestBlock": "0x2",
          "reward": [
            [
              "0x3b9aca00",
              "0x3b9aca00",
            ],
          ],
        },
      },
      "too many": {
        "both": "error -32602 invalid argument 0: expected a number of blocks from 1 to 1024",
      },
      "unknown": {
        "both": "error -32000 header not found",
      },
      "with rewards": {
        "both": {
          "baseFeePerBlobGas": [
            "0x1",
            "0x1",
            "0x1",
          ],
          "baseFeePerGas": [
            "0x342770c0",
            "0x2dff206c",
            "0x28444a2a",
          ],
          "blobGasUsedRatio": [
            0,
            0,
          ],
          "gasUsedRatio": [
            0.0277472,
            0.0017168,
          ],
          "oldestBlock": "0x1",
          "reward": [
            [
              "0x3b9aca00",
              "0x3b9aca00",
              "0x7ea8ed40",
            ],
            [
              "0x3b9aca00",
              "0x3b9aca00",
              "0x3b9aca00",
            ],
          ],
        },
      },
    }
  `)
})

it('ends with the base fee that is fixed, where one is', async () => {
  const chain = await startChain({ fixedBaseFee: 1000n })
  await chain.seal()
  await chain.seal()
  // Of empty blocks the formula would make it 875 next.
  const base = async (view: 'standard' | 'preconf', block: string) => {
    const history = await ask(chain[view], 'eth_feeHistory', ['0x4', block])
    return (history as { baseFeePerGas: string[] }).baseFeePerGas
  }
  expect(await base('standard', 'latest')).toEqual(['0x3e8', '0x3e8', '0x3e8', '0x3e8'])
  expect(await base('standard', 'pending')).toEqual(['0x3e8', '0x3e8', '0x3e8', '0x3e8', '0x3e8'])
  expect(await base('preconf', 'pending')).toEqual(['0x3e8', '0x3e8', '0x3e8', '0x3e8', '0x3e8'])
  expect(await base('preconf', 'earliest')).toEqual(['0x3e8', '0x3e8'])
})
