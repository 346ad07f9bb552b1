/** Options that restrict what a subscription sends are applied or refused. */
import { pad } from 'viem'
import { describe, expect, it } from 'vitest'
import type { Address, Hash, Provider } from '../../../src/index.ts'
import { startChain } from '../../harness.ts'
import { ask } from '../scene.ts'

const [A, B]: [Address, Address] = [`0x${'aa'.repeat(20)}`, `0x${'bb'.repeat(20)}`]
const TOPIC: Hash = pad('0x7', { size: 32 })
const OTHER_TOPIC: Hash = pad('0x8', { size: 32 })

/** A chain with two contracts that log the topic, and its sender. */
async function start() {
  const chain = await startChain({ mining: 'manual' })
  const provider = chain.preconf as Provider
  // LOG1 without data.
  for (const address of [A, B]) await ask(provider, 'anvil_setCode', [address, '0x600760006000a100'])
  const { address: from } = chain.accounts[0]
  const send = (to: Address) =>
    provider.request({
      method: 'eth_sendTransaction',
      params: [{ from, to, gas: '0x186a0' }],
    }) as Promise<Hash>
  const listen = async (...params: unknown[]) => {
    const id = await provider.request({ method: 'eth_subscribe', params })
    const results: unknown[] = []
    provider.on('message', ({ data }) => {
      if (data.subscription === id) results.push(data.result)
    })
    return results
  }
  return { chain, provider, from, send, listen }
}

describe.each(['newFlashblockTransactions', 'newPreconfTransactions'])('%s', (kind) => {
  it('sends whole transactions of which a log matches, with all their logs', async () => {
    const { chain, from, send, listen } = await start()
    const received = {
      address: await listen(kind, { address: A }),
      addresses: await listen(kind, { address: [A, B] }),
      topics: await listen(kind, { topics: [TOPIC] }),
      'other topics': await listen(kind, { topics: [[OTHER_TOPIC]] }),
      hashes: await listen(kind, { address: A, transactions: false }),
      all: await listen(kind, {}),
    }
    const [toA, toB, none] = [await send(A), await send(B), await send(from)]
    await chain.tick()
    const transaction = (hash: Hash) =>
      expect.objectContaining({
        hash,
        status: '0x1',
        logs: [expect.objectContaining({ transactionHash: hash })],
      })
    expect(received).toEqual({
      address: [transaction(toA)],
      addresses: [transaction(toA), transaction(toB)],
      topics: [transaction(toA), transaction(toB)],
      'other topics': [],
      hashes: [toA],
      all: [toA, toB, none],
    })
    const later = await send(A)
    await chain.tick()
    expect(received.hashes).toEqual([toA, later])
  })

  it('refuses keys that it does not know, and stages beside a filter', async () => {
    const { provider } = await start()
    const refusal = (option: unknown) => ask(provider, 'eth_subscribe', [kind, option])
    const keys = 'transactions, stages, address, topics'
    expect(await refusal({ stage: true })).toBe(
      `error -32602 invalid argument 1.stage: expected no other key than ${keys}`,
    )
    expect(await refusal({ fromBlock: '0x1' })).toBe(
      `error -32602 invalid argument 1.fromBlock: expected no other key than ${keys}`,
    )
    expect(await refusal({ stages: true, address: A })).toBe(
      'error -32602 invalid argument 1.stages: expected no value beside address or topics',
    )
    expect(await refusal({ address: '0x1' })).toBe(
      'error -32602 invalid argument 1.address: expected a 20-byte address',
    )
  })
})

describe('logs and pendingLogs', () => {
  it('send the logs of a range of numbers only', async () => {
    const { chain, send, listen } = await start()
    const received = {
      first: await listen('logs', { toBlock: '0x1' }),
      second: await listen('logs', { fromBlock: '0x2', toBlock: 'latest' }),
      tags: await listen('logs', { fromBlock: 'latest', toBlock: 'pending' }),
      pending: await listen('pendingLogs', { fromBlock: '0x2' }),
    }
    const hashes = []
    for (let i = 0; i < 2; i++) {
      hashes.push(await send(A))
      await chain.tick()
      await chain.seal()
    }
    const [one, two] = hashes.map((transactionHash) => expect.objectContaining({ transactionHash }))
    expect(received).toEqual({ first: [one], second: [two], tags: [one, two], pending: [two] })
  })

  it('refuse a hash of a block, and keys that they do not know', async () => {
    const { provider } = await start()
    for (const kind of ['logs', 'pendingLogs']) {
      for (const [key, value] of [
        ['blockHash', TOPIC],
        ['addresses', [A]],
      ] as const) {
        expect(await ask(provider, 'eth_subscribe', [kind, { [key]: value }])).toBe(
          `error -32602 invalid argument 1.${key}: expected no other key than fromBlock, toBlock, address, topics`,
        )
      }
    }
  })
})
