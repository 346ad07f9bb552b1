import { parseGwei } from 'viem'
import { describe, expect, it } from 'vitest'
import { ask, askAll, send, startScene, UNKNOWN } from '../scene.ts'

describe('chain_transactionStatus', () => {
  it('returns the stage; on standard, pre-confirmed is pending (spec.md 13, 27)', async () => {
    const { chain, accounts, first, preconfBlock, waiting, queued } = await startScene()
    const replaced = await send(chain, 4, { nonce: 0, to: accounts[0]! })
    await send(chain, 4, {
      nonce: 0,
      to: accounts[0]!,
      maxFeePerGas: parseGwei('20'),
      maxPriorityFeePerGas: parseGwei('2'),
    })
    const calls = {
      sealed: [first.block.transactions[0]!.hash],
      'pre-confirmed': [preconfBlock.block.transactions[0]!.hash],
      waiting: [waiting],
      queued: [queued],
      replaced: [replaced],
      unknown: [UNKNOWN],
    }
    expect(await askAll(chain, 'chain_transactionStatus', calls)).toMatchInlineSnapshot(`
      {
        "pre-confirmed": {
          "preconf": {
            "stage": "preconfirmed",
            "status": "Known",
          },
          "standard": {
            "stage": "pending",
            "status": "Known",
          },
        },
        "queued": {
          "both": {
            "stage": "queued",
            "status": "Known",
          },
        },
        "replaced": {
          "both": {
            "stage": "replaced",
            "status": "Unknown",
          },
        },
        "sealed": {
          "both": {
            "stage": "sealed",
            "status": "Known",
          },
        },
        "unknown": {
          "both": {
            "status": "Unknown",
          },
        },
        "waiting": {
          "both": {
            "stage": "pending",
            "status": "Known",
          },
        },
      }
    `)
  })

  it('returns the stage of a dropped transaction on both views', async () => {
    const { chain, accounts } = await startScene({ mempool: { maxTransactions: 4 } })
    const cheap = await send(chain, 5, { nonce: 0, to: accounts[0]!, maxPriorityFeePerGas: 1n })
    await send(chain, 6, { nonce: 0, to: accounts[0]! })
    await send(chain, 7, { nonce: 0, to: accounts[0]! })
    await send(chain, 8, { nonce: 0, to: accounts[0]! })
    expect(await askAll(chain, 'chain_transactionStatus', { evicted: [cheap] })).toMatchInlineSnapshot(`
      {
        "evicted": {
          "both": {
            "stage": "dropped",
            "status": "Unknown",
          },
        },
      }
    `)
  })

  it('is also called base_transactionStatus (spec.md 14)', async () => {
    const { chain, waiting } = await startScene()
    expect(await ask(chain.preconf, 'base_transactionStatus', [waiting])).toEqual({
      status: 'Known',
      stage: 'pending',
    })
  })
})
