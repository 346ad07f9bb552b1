import { parseGwei } from 'viem'
import { describe, expect, it } from 'vitest'
import type { Hex, PresealRpcTransaction } from '../../../src/index.ts'
import { startChain } from '../../harness.ts'
import { ask, send, sign, startScene } from '../scene.ts'

describe('eth_sendRawTransaction', () => {
  it.each(['standard', 'preconf'] as const)(
    'accepts a transaction on %s, and returns its hash',
    async (view) => {
      const { chain, accounts } = await startScene()
      const events: PresealRpcTransaction[] = []
      chain.on('transaction', (transaction) => events.push(transaction))
      const raw = await sign(chain, 5, { nonce: 0, to: accounts[0]!, value: 1n })
      const hash = await chain[view].request({ method: 'eth_sendRawTransaction', params: [raw] })
      expect(hash).toBe(await ask(chain.preconf, 'web3_sha3', [raw]))
      expect(events).toEqual([await ask(chain.standard, 'eth_getTransactionByHash', [hash])])
      expect((await chain.tick()).block.transactions.at(-1)!.hash).toBe(hash)
    },
  )

  it('accepts hex in either case', async () => {
    const { chain, accounts } = await startScene()
    const raw = await sign(chain, 5, { nonce: 0, to: accounts[0]! })
    const upper = raw.toUpperCase().replace('X', 'x') as Hex
    const hash = await chain.preconf.request({ method: 'eth_sendRawTransaction', params: [upper] })
    expect(await chain.preconf.request({ method: 'eth_getRawTransactionByHash', params: [hash] })).toBe(raw)
  })

  it('queues a transaction behind a nonce gap or with a fee cap below the base fee (spec.md 22)', async () => {
    const { chain, accounts } = await startScene()
    const gapped = await send(chain, 5, { nonce: 1, to: accounts[0]! })
    const cheap = await send(chain, 6, {
      nonce: 0,
      to: accounts[0]!,
      maxFeePerGas: 7n,
      maxPriorityFeePerGas: 0n,
    })
    const stage = async (hash: string) => ask(chain.preconf, 'chain_transactionStatus', [hash])
    expect([await stage(gapped), await stage(cheap)]).toEqual(
      Array(2).fill({ status: 'Known', stage: 'queued' }),
    )
    await send(chain, 5, { nonce: 0, to: accounts[0]! })
    const { block } = await chain.tick()
    expect(block.transactions.map(({ hash }) => hash)).toContain(gapped)
    expect(await stage(cheap)).toEqual({ status: 'Known', stage: 'queued' })
  })

  it('includes a waiting transaction once the base fee has fallen to its cap (spec.md 22)', async () => {
    const chain = await startChain()
    const to = chain.accounts[1]!.address
    const hash = await send(chain, 0, {
      nonce: 0,
      to,
      maxFeePerGas: parseGwei('0.7'),
      maxPriorityFeePerGas: 0n,
    })
    const sealed = []
    for (let i = 0; i < 4; i++) sealed.push((await chain.seal()).block)
    expect(sealed.map(({ transactions }) => transactions.length)).toEqual([0, 0, 1, 0])
    expect(sealed[2]!.transactions[0]).toMatchObject({ hash, gasPrice: sealed[2]!.baseFeePerGas })
  })

  it('replaces a waiting transaction if both fees rise by a tenth (spec.md 22)', async () => {
    const { chain, accounts } = await startScene()
    const dropped: unknown[] = []
    chain.on('dropped', (drop) => dropped.push(drop))
    const fees = (gwei: number, tip: number) => ({
      maxFeePerGas: parseGwei(`${gwei}`),
      maxPriorityFeePerGas: parseGwei(`${tip}`),
    })
    const first = await send(chain, 5, { nonce: 0, to: accounts[0]!, ...fees(10, 1) })
    const replace = async (gwei: number, tip: number) =>
      ask(chain.preconf, 'eth_sendRawTransaction', [
        await sign(chain, 5, { nonce: 0, to: accounts[1]!, ...fees(gwei, tip) }),
      ])
    expect(await replace(11, 1.09)).toBe('error -32000 replacement transaction underpriced')
    expect(await replace(10.9, 1.1)).toBe('error -32000 replacement transaction underpriced')
    const second = await replace(11, 1.1)
    expect(dropped).toEqual([{ hash: first, reason: 'replaced' }])
    const { block } = await chain.tick()
    expect(block.transactions.map(({ hash }) => hash)).toContain(second)
    expect(block.transactions.map(({ hash }) => hash)).not.toContain(first)
  })

  it('resolves in auto mining after the transaction is sealed, at once if it is only queued', async () => {
    const chain = await startChain({ mining: 'auto' })
    const to = chain.accounts[9]!.address
    const hash = await send(chain, 0, { nonce: 0, to })
    const receipt = await chain.standard.request({ method: 'eth_getTransactionReceipt', params: [hash] })
    expect(receipt).toMatchObject({ blockNumber: '0x1', status: '0x1' })
    await send(chain, 0, { nonce: 2, to })
    expect(await ask(chain.standard, 'eth_blockNumber')).toBe('0x1')
    await Promise.all([1, 2, 3].map((i) => send(chain, i, { nonce: 0, to })))
    expect(await ask(chain.standard, 'eth_getBlockTransactionCountByNumber', ['0x2'])).toBe('0x3')
    expect(await ask(chain.standard, 'eth_blockNumber')).toBe('0x2')
  })

  it('adds a transaction for the next tick in interval mining (spec.md §4.2, rule 5)', async () => {
    const chain = await startChain({ mining: 'interval' })
    const hash = await send(chain, 0, { nonce: 0, to: chain.accounts[1]!.address })
    expect(await ask(chain.preconf, 'eth_getTransactionReceipt', [hash])).toBeNull()
    await chain.clock.advance(200)
    expect(await ask(chain.preconf, 'eth_getTransactionReceipt', [hash])).toMatchObject({
      blockNumber: '0x1',
    })
    expect(await ask(chain.standard, 'eth_getTransactionReceipt', [hash])).toBeNull()
    await chain.clock.advance(1800)
    expect(await ask(chain.standard, 'eth_getTransactionReceipt', [hash])).toMatchObject({
      blockNumber: '0x1',
    })
  })
})
