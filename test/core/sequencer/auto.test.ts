import { describe, expect, it } from 'vitest'
import type { Core } from '../../../src/core/open/core.ts'
import type { Hash, PresealChain, SealedBlock } from '../../../src/index.ts'
import { startChain } from '../../harness.ts'
import { hashesOf, send, sign } from './support.ts'

function recordBlocks(chain: PresealChain): Hash[][] {
  const blocks: Hash[][] = []
  chain.on('block', (block: SealedBlock) => blocks.push(hashesOf(block)))
  return blocks
}

const receiptOf = (chain: PresealChain, hash: Hash) =>
  chain.standard.request({ method: 'eth_getTransactionReceipt', params: [hash] })

/** Sends a transaction from each of the first `count` accounts, all at once. */
async function sendTogether(chain: PresealChain, count: number): Promise<Hash[]> {
  const signed = await Promise.all(
    Array.from({ length: count }, (_, from) => sign(chain, { from, nonce: 0 })),
  )
  const send = (raw: Hash) => chain.preconf.request({ method: 'eth_sendRawTransaction', params: [raw] })
  return Promise.all(signed.map(send))
}

describe('auto mining', () => {
  it('resolves a send after the seal that contains it, on both endpoints', async () => {
    const chain = await startChain({ mining: 'auto' })
    const blocks = recordBlocks(chain)
    const first = await send(chain, { nonce: 0 })
    expect((await receiptOf(chain, first))?.blockNumber).toBe('0x1')
    const second = await send(chain, { nonce: 1 }, chain.standard)
    expect((await receiptOf(chain, second))?.blockNumber).toBe('0x2')
    expect(blocks).toEqual([[first], [second]])
  })

  it('resolves a send that is only queued at once, and seals nothing for it', async () => {
    const chain = await startChain({ mining: 'auto', initialBaseFeePerGas: 1000n })
    const blocks = recordBlocks(chain)
    const preconfBlocks: unknown[] = []
    chain.on('preconf', (preconfBlock) => preconfBlocks.push(preconfBlock))
    await chain.clock.advance(5000)
    const ahead = await send(chain, { nonce: 1 })
    const cheap = await send(chain, { from: 1, nonce: 0, cap: 100n, tip: 0n })
    expect([await receiptOf(chain, ahead), await receiptOf(chain, cheap)]).toEqual([null, null])
    expect([blocks, preconfBlocks]).toEqual([[], []])
    const filler = await send(chain, { nonce: 0 })
    expect(blocks).toEqual([[filler, ahead]])
  })

  it('seals concurrent sends in fewer blocks', async () => {
    const chain = await startChain({ mining: 'auto' })
    const blocks = recordBlocks(chain)
    const hashes = await sendTogether(chain, 9)
    expect(blocks).toEqual([hashes])
  })

  it('seals as many blocks as the transactions need', async () => {
    const chain = await startChain({ mining: 'auto', gasLimit: 50_000n })
    const blocks = recordBlocks(chain)
    const preconfBlocks: string[] = []
    chain.on('preconf', ({ index, block }) => preconfBlocks.push(`${Number(block.number)}.${index}`))
    const later = []
    for (let nonce = 1; nonce < 6; nonce++) later.push(await send(chain, { nonce }))
    const first = await send(chain, { nonce: 0 })
    const [second, third, fourth, fifth, sixth] = later
    expect(blocks).toEqual([
      [first, second],
      [third, fourth],
      [fifth, sixth],
    ])
    expect(preconfBlocks).toEqual(['1.1', '2.0', '2.1', '3.0', '3.1', '4.0'])
  })

  it('seals what a tick pre-confirmed meanwhile', async () => {
    let core: Core | undefined
    const chain = await startChain({ mining: 'auto' }, { inspect: (opened) => (core = opened) })
    const [hash, preconfBlock] = await Promise.all([
      send(chain, { nonce: 0 }),
      new Promise<Hash[]>((resolve) => {
        // A request for a tick would wait for the seal.
        chain.once('transaction', () => {
          core!.sequencer.tick().then(({ block }) => resolve(block.transactions.map(({ hash }) => hash)))
        })
      }),
    ])
    expect(preconfBlock).toEqual([hash])
    expect((await receiptOf(chain, hash))?.blockNumber).toBe('0x1')
  })

  it('answers a send whose seal failed, emits the error once, and seals it with the next', async () => {
    let failing = true
    const chain = await startChain(
      { mining: 'auto' },
      {
        executor: (own) => ({
          ...own,
          execute: (...args) => {
            if (failing) throw new Error('engine')
            return own.execute(...args)
          },
        }),
      },
    )
    const errors: string[] = []
    chain.on('error', ({ message }) => errors.push(message))
    const blocks = recordBlocks(chain)
    const waiting = await sendTogether(chain, 2)
    expect(errors).toEqual(['engine'])
    failing = false
    const next = await send(chain, { from: 2, nonce: 0 })
    expect(blocks).toEqual([[...waiting, next]])
  })

  it('seals nothing in manual mining', async () => {
    const chain = await startChain()
    const events: unknown[] = []
    chain.on('preconf', (preconfBlock) => events.push(preconfBlock))
    chain.on('block', (block) => events.push(block))
    await send(chain, { nonce: 0 })
    await chain.clock.advance(60_000)
    expect(events).toEqual([])
  })
})
