import { createPublicClient, createWalletClient, custom } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { Token } from '../contracts/artifacts.ts'
import { startChain } from '../harness.ts'
import { stepUntil } from './stepUntil.ts'
import { wiretap } from './wiretap.ts'

/** With this field, viem reads `pending` instead of `latest`, and polls at this interval. */
const preconfirming = { ...foundry, experimental_preconfirmationTime: 200 } as const

async function start(view: 'standard' | 'preconf', definition: typeof foundry = foundry) {
  const chain = await startChain()
  const tap = wiretap(chain[view])
  const options = { chain: definition, transport: custom(tap), pollingInterval: 5, cacheTime: 0 } as const
  const account = privateKeyToAccount(chain.accounts[0]!.privateKey)
  const client = createPublicClient(options)
  const wallet = createWalletClient({ ...options, account })
  const hash = await wallet.deployContract({ abi: Token.abi, bytecode: Token.bytecode })
  await chain.seal()
  const { contractAddress } = await client.waitForTransactionReceipt({ hash })
  const address = contractAddress!
  const to = chain.accounts[1]!.address
  const transfer = (value: bigint) =>
    wallet.writeContract({ abi: Token.abi, address, functionName: 'transfer', args: [to, value] })
  return { chain, tap, client, wallet, address, to, transfer }
}

/** Resolves after viem has called the method once more. */
function nextCall(tap: ReturnType<typeof wiretap>, method: string): Promise<unknown> {
  const from = tap.count(method)
  return vi.waitUntil(() => tap.count(method) > from, { interval: 2 })
}

/** What a watcher reported; `until` waits for a number of values, and one more poll to catch extra ones. */
function collector<T>(tap: ReturnType<typeof wiretap>, polled: string) {
  const values: T[] = []
  return {
    values,
    async until(count: number) {
      await vi.waitUntil(() => values.length >= count, { interval: 2 })
      await nextCall(tap, polled)
      return values
    },
  }
}

describe.each(['standard', 'preconf'] as const)('viem on %s', (view) => {
  it.each<[string, (unwatch: () => void, chain: { close(): Promise<void> }) => Promise<void>]>([
    [
      'before',
      async (unwatch, chain) => {
        unwatch()
        await chain.close()
      },
    ],
    [
      'after',
      async (unwatch, chain) => {
        await chain.close()
        unwatch()
      },
    ],
  ])('stops polling if it is unwatched %s the chain is closed', async (_, end) => {
    const [{ chain, tap, client }, other] = [await start(view), await start(view)]
    onTestFinished(other.client.watchBlockNumber({ onBlockNumber: () => {} }))
    const watchers = [
      client.watchEvent({ onLogs: () => {} }),
      client.watchPendingTransactions({ onTransactions: () => {} }),
    ]
    await nextCall(tap, 'eth_getFilterChanges')
    await end(() => {
      for (const unwatch of watchers) unwatch()
    }, chain)
    await nextCall(other.tap, 'eth_blockNumber')
    const polls = tap.count('eth_getFilterChanges')
    // Both have the same interval.
    for (let poll = 0; poll < 4; poll++) await nextCall(other.tap, 'eth_blockNumber')
    expect(tap.count('eth_getFilterChanges')).toBe(polls)
  })

  it('watches block numbers and blocks, each once', async () => {
    const { chain, tap, client } = await start(view)
    const numbers = collector<bigint>(tap, 'eth_blockNumber')
    const blocks = collector<string | null>(tap, 'eth_getBlockByNumber')
    onTestFinished(client.watchBlockNumber({ onBlockNumber: (number) => numbers.values.push(number) }))
    onTestFinished(client.watchBlocks({ onBlock: ({ hash }) => blocks.values.push(hash) }))
    await nextCall(tap, 'eth_blockNumber')
    const hashes: (string | null)[] = [(await client.getBlock()).hash]
    await blocks.until(1)
    for (const number of [2, 3]) {
      await chain.tick()
      const { block } = await chain.seal()
      hashes.push(block.hash)
      await blocks.until(number)
    }
    expect(blocks.values).toEqual(hashes)
    expect((await numbers.until(2)).slice(-2)).toEqual([2n, 3n])
  })

  it('watches contract events and plain events, each log once', async () => {
    const { chain, tap, client, address, transfer } = await start(view)
    const events = collector<bigint | undefined>(tap, 'eth_getFilterChanges')
    const logs = collector<readonly unknown[]>(tap, 'eth_getFilterChanges')
    const installed = nextCall(tap, 'eth_newFilter')
    onTestFinished(
      client.watchContractEvent({
        abi: Token.abi,
        address,
        eventName: 'Transfer',
        onLogs: (found) => events.values.push(...found.map(({ args }) => args.value)),
      }),
    )
    await installed
    const both = nextCall(tap, 'eth_newFilter')
    onTestFinished(
      client.watchEvent({
        address,
        onLogs: (found) => logs.values.push(...found.map(({ topics }) => topics)),
      }),
    )
    await both
    await transfer(1n)
    await chain.tick()
    await transfer(2n)
    await chain.seal()
    await transfer(3n)
    await chain.seal()
    expect(await events.until(3)).toEqual([1n, 2n, 3n])
    expect(await logs.until(3)).toHaveLength(3)
  })

  it('watches waiting transactions, each once', async () => {
    const { chain, tap, client, to, wallet } = await start(view)
    const seen = collector<string>(tap, 'eth_getFilterChanges')
    const installed = nextCall(tap, 'eth_newPendingTransactionFilter')
    onTestFinished(
      client.watchPendingTransactions({ onTransactions: (hashes) => seen.values.push(...hashes) }),
    )
    await installed
    const first = await wallet.sendTransaction({ to, value: 1n })
    await chain.tick()
    const second = await wallet.sendTransaction({ to, value: 2n })
    await chain.seal()
    expect(await seen.until(2)).toEqual([first, second])
  })

  it('waits for a receipt, and for further confirmations', async () => {
    const { chain, tap, client, transfer } = await start(view)
    const hash = await transfer(1n)
    const polled = nextCall(tap, 'eth_getTransactionByHash')
    const [one, two] = [1, 2].map((confirmations) =>
      client.waitForTransactionReceipt({ hash, confirmations }),
    )
    await polled
    await chain.tick()
    const { block } = await chain.seal()
    expect((await stepUntil(one!, () => chain.seal())).blockHash).toBe(block.hash)
    expect((await stepUntil(two!, () => chain.seal())).blockHash).toBe(block.hash)
  })
})

describe('viem with experimental_preconfirmationTime on preconf', () => {
  it('reads pre-confirmed balances, blocks and contracts without naming a block', async () => {
    const { chain, client, address, to, transfer } = await start('preconf', preconfirming)
    const balanceOf = () =>
      client.readContract({ abi: Token.abi, address, functionName: 'balanceOf', args: [to] })
    const hash = await transfer(5n)
    expect(await balanceOf()).toBe(0n)
    const { block } = await chain.tick()
    expect(await balanceOf()).toBe(5n)
    expect((await client.getBlock()).hash).toBe(block.hash)
    expect((await client.getBlock()).transactions).toEqual([hash])
    const receipt = await client.waitForTransactionReceipt({ hash })
    expect(receipt.blockHash).toBe(block.hash)
    expect((await chain.seal()).block.hash).toBe(block.hash)
  })

  it('watches blocks from the start of their construction', async () => {
    const { chain, tap, client, transfer } = await start('preconf', preconfirming)
    const blocks = collector<[bigint, number]>(tap, 'eth_getBlockByNumber')
    onTestFinished(
      client.watchBlocks({
        pollingInterval: 5,
        onBlock: ({ number, transactions }) => blocks.values.push([number, transactions.length]),
      }),
    )
    expect(await blocks.until(1)).toEqual([[2n, 0]])
    await transfer(1n)
    await chain.tick()
    await chain.seal()
    // viem compares numbers, so it does not report what ticks add to a reported block.
    expect(await blocks.until(2)).toEqual([
      [2n, 0],
      [3n, 0],
    ])
  })
})
