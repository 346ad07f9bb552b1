import { describe, expect, it } from 'vitest'
import type { Crypto } from '../../../src/base/crypto/crypto.ts'
import { startChain } from '../../harness.ts'
import { ask, askAll, send, startScene } from '../scene.ts'

describe('eth_feeHistory', () => {
  it('returns base fees, gas used ratios and rewards, also up to the pending block', async () => {
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
      'percentiles that stay': ['0x1', 'latest', [50, 50]],
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
          "both": {
            "baseFeePerBlobGas": [],
            "baseFeePerGas": [],
            "blobGasUsedRatio": [],
            "gasUsedRatio": [],
            "oldestBlock": "0x0",
          },
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
          "both": "error -32602 invalid argument 2[1]: expected a percentile >= 50, the one before",
        },
        "percentiles that stay": {
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
        "too many": "as all up to latest",
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

  it('ends with the fixed base fee if there is one', async () => {
    const chain = await startChain({ fixedBaseFee: 1000n })
    await chain.seal()
    await chain.seal()
    // By the formula, empty blocks would lower it to 875.
    const base = async (view: 'standard' | 'preconf', block: string) => {
      const history = await ask(chain[view], 'eth_feeHistory', ['0x4', block])
      return (history as { baseFeePerGas: string[] }).baseFeePerGas
    }
    expect(await base('standard', 'latest')).toEqual(['0x3e8', '0x3e8', '0x3e8', '0x3e8'])
    expect(await base('standard', 'pending')).toEqual(['0x3e8', '0x3e8', '0x3e8', '0x3e8', '0x3e8'])
    expect(await base('preconf', 'pending')).toEqual(['0x3e8', '0x3e8', '0x3e8', '0x3e8', '0x3e8'])
    expect(await base('preconf', 'earliest')).toEqual(['0x3e8', '0x3e8'])
  })

  it('computes the last base fee from that of the next block if it was set', async () => {
    const chain = await startChain()
    const gwei100 = 100n * 10n ** 9n
    await chain.standard.request({ method: 'anvil_setNextBlockBaseFeePerGas', params: [gwei100.toString()] })
    for (const view of ['standard', 'preconf'] as const) {
      const history = await ask(chain[view], 'eth_feeHistory', ['0x1', 'pending'])
      // The next block is empty.
      const expected = [gwei100, (gwei100 * 7n) / 8n].map((wei) => `0x${wei.toString(16)}`)
      expect((history as { baseFeePerGas: string[] }).baseFeePerGas).toEqual(expected)
    }
  })

  it('reads only the headers of blocks that are older than the history', async () => {
    let recovered = 0
    const crypto = (own: Crypto): Crypto => ({
      ...own,
      recover(...args) {
        recovered += 1
        return own.recover(...args)
      },
    })
    const chain = await startChain({ history: { blocks: 2, proofs: 1 } }, { crypto })
    for (let nonce = 0; nonce < 6; nonce++) {
      await send(chain, 0, { nonce, to: `0x${'c0de'.repeat(10)}`, value: 1n })
      await chain.seal()
    }
    recovered = 0
    const history = (await ask(chain.standard, 'eth_feeHistory', ['0x400', 'latest'])) as Record<
      string,
      unknown
    >
    expect(history['gasUsedRatio']).toEqual([0, ...Array(6).fill(21_000 / 30_000_000)])
    expect(recovered).toBe(0)
    const rewards = await ask(chain.standard, 'eth_feeHistory', ['0x400', 'latest', [50]])
    expect(rewards).toBe('error -32000 state not available')
    // Whole transactions need their senders, which are recovered once.
    const block = (await ask(chain.standard, 'eth_getBlockByNumber', ['0x1', true])) as {
      transactions: { from: string }[]
    }
    expect(block.transactions.map(({ from }) => from)).toEqual([chain.accounts[0]!.address])
    expect(recovered).toBe(1)
  })
})
