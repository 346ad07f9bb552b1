/** What users do with a client, as tests for every client, every transport and both views. */
import { expect, it, onTestFinished, vi } from 'vitest'
import type { Hex, ViewKind } from '../../src/index.ts'
import type { TestChain } from '../harness.ts'
import { stepUntil } from './stepUntil.ts'
import type { ConnectClient, Place } from './storyClients.ts'

/** A chain, and the place where clients connect to one of its views. */
export interface Scene {
  readonly chain: TestChain
  readonly place: Place
}

/** Options of a connection to the preconf view: reads default to pending, and nonces count waiting transactions. */
export const PRECONF = { defaultBlock: 'pending', pendingNonce: 'pool' } as const

/**
 * Declares the story as tests of the suite that calls it.
 *
 * @param watches - whether the client can watch blocks and events over its transport.
 */
export function tellStory(
  view: ViewKind,
  connect: ConnectClient,
  setUp: () => Promise<Scene>,
  { watches = true } = {},
): void {
  async function start() {
    const { chain, place } = await setUp()
    const client = await connect(place, chain.accounts[0]!)
    return {
      chain,
      client,
      to: chain.accounts[1]!.address,
      /** Makes sent transactions visible on the view. */
      show: async () => void (view === 'preconf' ? await chain.tick() : await chain.seal()),
      at: view === 'preconf' ? ('pending' as const) : ('latest' as const),
    }
  }

  async function startWithToken() {
    const setup = await start()
    const hash = await setup.client.deployToken()
    await setup.chain.seal()
    const { contract } = await setup.client.receipt(hash)
    return { ...setup, token: contract as Hex }
  }

  it('sends a transfer, and reads its effects', async () => {
    const { chain, client, to, show, at } = await start()
    expect(await client.chainId()).toBe(31_337)
    const before = await client.balance(to, at)
    const hash = await client.transfer({ to, value: 7n })
    expect(await client.nonce('pending')).toBe(1)
    expect(await client.nonce('latest')).toBe(0)
    await show()
    const receipt = await client.receipt(hash)
    expect(receipt).toEqual({ hash, success: true, block: 1n, gasUsed: 21_000n, contract: null, logs: 0 })
    expect((await client.balance(to, at)) - before).toBe(7n)
    await chain.seal()
    expect(await client.receipt(hash)).toEqual(receipt)
    expect(await client.block(1n)).toEqual([hash])
    expect(await client.block(9n)).toBeUndefined()
    expect((await client.balance(to, 'latest')) - before).toBe(7n)
    expect(await client.nonce('latest')).toBe(1)
  })

  it('deploys, writes, and finds the events', async () => {
    const { client, token, to, show, at } = await startWithToken()
    const hash = await client.transferToken(token, to, 7n)
    await show()
    expect(await client.receipt(hash)).toMatchObject({ success: true, block: 2n, logs: 1 })
    expect(await client.tokenBalance(token, to, at)).toBe(7n)
    expect(await client.tokenTransfers(token, at)).toEqual([10n ** 24n, 7n])
  })

  it('sends concurrently, and waits for all receipts', async () => {
    const { chain, client, to, show } = await start()
    const sent = [1n, 2n, 3n].map((value) => client.transfer({ to, value }))
    const hashes = await Promise.all(sent)
    const waiting = Promise.all(hashes.map((hash) => client.wait(hash)))
    await show()
    const receipts = await stepUntil(waiting, () => chain.seal())
    expect(receipts.map(({ hash }) => hash)).toEqual(hashes)
    expect(new Set(receipts.map(({ block }) => block))).toEqual(new Set([1n]))
    expect(await client.nonce('latest')).toBe(3)
  })

  it('suggests fees that suffice for the next block', async () => {
    const { client, to, show } = await start()
    const [gasPrice, maxFeePerGas, tip] = await client.fees()
    expect(tip).toBe(10n ** 9n)
    expect(gasPrice).toBeGreaterThan(tip!)
    expect(maxFeePerGas).toBeGreaterThanOrEqual(gasPrice!)
    const hash = await client.transfer({ to, value: 1n })
    await show()
    expect(await client.receipt(hash)).toMatchObject({ success: true })
  })

  it('reports why a request or a transaction fails', async () => {
    const { client, token, to, show } = await startWithToken()
    const reasonOf = (sent: Promise<unknown>) => sent.then(() => expect.unreachable(), client.reasonOf)
    expect(await reasonOf(client.transferToken(token, to, 2n ** 200n))).toBe('revert InsufficientBalance')
    expect(await reasonOf(client.transfer({ to, value: 10n ** 30n }))).toBe('funds')
    const hash = await client.transferToken(token, to, 2n ** 200n, 100_000n)
    await show()
    expect(await client.receipt(hash)).toMatchObject({ success: false, logs: 0 })
    expect(await reasonOf(client.transfer({ to, value: 1n, nonce: 0 }))).toBe('nonce')
  })

  // Not declared for clients that cannot watch, as opposed to a skipped test.
  if (!watches) return
  it('watches blocks and events, each once', async () => {
    const { chain, client, token, to } = await startWithToken()
    const blocks: bigint[] = []
    const amounts: bigint[] = []
    onTestFinished(await client.watchBlocks((number) => blocks.push(number)))
    onTestFinished(await client.watchToken(token, (amount) => amounts.push(amount)))
    const give = async (amount: bigint) => {
      await client.transferToken(token, to, amount, 100_000n)
      await chain.seal()
    }
    // Repeats until both subscriptions have started.
    const interval = 20
    await vi.waitUntil(
      async () => {
        await give(1n)
        return blocks.length > 0 && amounts.length > 0
      },
      { interval, timeout: 10_000 },
    )
    await give(2n)
    await give(3n)
    const head = await chain.standard.request({ method: 'eth_blockNumber' })
    await vi.waitUntil(() => amounts.includes(3n) && blocks.includes(BigInt(head)), {
      interval,
      timeout: 10_000,
    })
    expect(amounts.filter((amount) => amount > 1n)).toEqual([2n, 3n])
    expect(blocks).toEqual(Array.from(blocks, (_, i) => blocks[0]! + BigInt(i)))
  })
}
