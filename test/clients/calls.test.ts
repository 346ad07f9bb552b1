/** Batches of calls (EIP-5792) and tokens (EIP-747) in stock clients, in process and over HTTP. */
import {
  connect,
  createConfig,
  getCallsStatus,
  getCapabilities,
  getConnectors,
  injected,
  sendCalls,
  sendCallsSync,
  showCallsStatus,
  waitForCallsStatus,
  watchAsset,
} from '@wagmi/core'
import {
  BaseError,
  createWalletClient,
  custom,
  encodeDeployData,
  getContractAddress,
  http,
  publicActions,
  type RpcErrorType,
} from 'viem'
import { foundry } from 'viem/chains'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createHandler } from '../../src/kits/server/index.ts'
import { Probe, Token } from '../contracts/artifacts.ts'
import { startChain, type TestChain } from '../harness.ts'
import { failure } from './viemSetup.ts'

type ViewName = 'standard' | 'preconf'

const transports = {
  'in process': (chain: TestChain, view: ViewName) => custom(chain[view]),
  'over HTTP': (chain: TestChain, view: ViewName) => {
    const handler = createHandler(chain[view])
    return http('http://localhost', {
      fetchFn: (url, init) => handler(new Request(url, init)),
      retryCount: 0,
    })
  },
}

/** A chain on which the first account has tokens, and a client for whose account the chain signs. */
async function start(view: ViewName, how: keyof typeof transports = 'in process') {
  const chain = await startChain({ gasLimit: 5_000_000n })
  const [alice, bob] = chain.accounts.map(({ address }) => address) as [`0x${string}`, `0x${string}`]
  const client = createWalletClient({
    account: alice,
    chain: foundry,
    transport: transports[how](chain, view),
    pollingInterval: 10,
    cacheTime: 0,
  }).extend(publicActions)
  const token = getContractAddress({ from: alice, nonce: 0n })
  const probe = getContractAddress({ from: alice, nonce: 1n })
  await client.sendTransaction({ data: encodeDeployData(Token), gas: 2_000_000n })
  await client.sendTransaction({ data: encodeDeployData(Probe), gas: 3_000_000n })
  await chain.seal()
  return {
    chain,
    client,
    token,
    probe,
    bob,
    transfer: { abi: Token.abi, to: token, functionName: 'transfer', args: [bob, 5n] } as const,
    show: async () => void (view === 'preconf' ? await chain.tick() : await chain.seal()),
    /** Resolves after this many further transactions have entered the mempool. */
    sent: (count: number) =>
      new Promise<void>((resolve) => {
        let left = count
        chain.on('transaction', () => --left === 0 && resolve())
      }),
  }
}

describe.each(['standard', 'preconf'] as const)('viem on %s', (view) => {
  it.each(Object.keys(transports) as (keyof typeof transports)[])(
    'sends a batch and waits for it %s',
    async (how) => {
      const { chain, client, token, bob, transfer, show } = await start(view, how)
      expect(await client.getCapabilities()).toEqual({ 31337: { atomic: { status: 'supported' } } })
      expect(await client.getCapabilities({ chainId: 31337 })).toEqual({ atomic: { status: 'supported' } })

      const { id } = await client.sendCalls({
        calls: [transfer, { to: bob, value: 3n }, transfer],
        capabilities: { paymasterService: { url: 'https://example.com', optional: true } },
      })
      const waiting = { atomic: true, chainId: 31337, id, receipts: [], version: '2.0.0' }
      expect(await client.getCallsStatus({ id })).toEqual({ ...waiting, status: 'pending', statusCode: 100 })
      const waited = client.waitForCallsStatus({ id, retryCount: 0 })
      await show()
      const { receipts, ...rest } = await waited
      expect({ ...rest, receipts: [] }).toEqual({ ...waiting, status: 'success', statusCode: 200 })
      const block = await client.getBlock({ blockTag: view === 'preconf' ? 'pending' : 'latest' })
      expect(receipts!.map(({ logs, ...receipt }) => ({ ...receipt, logs: logs.length }))).toEqual(
        [1, 0, 1].map((logs, i) => ({
          status: 'success',
          logs,
          blockHash: block.hash,
          blockNumber: block.number,
          gasUsed: expect.any(BigInt),
          transactionHash: block.transactions[i],
        })),
      )
      expect(await client.showCallsStatus({ id })).toBeUndefined()
      await chain.seal()
      const balanceOf = { abi: Token.abi, address: token, functionName: 'balanceOf', args: [bob] } as const
      expect(await client.readContract(balanceOf)).toBe(10n)
    },
  )

  it('sends a batch by the sync action, which returns its status', async () => {
    const { client, bob, transfer, show, sent } = await start(view)
    const entered = sent(2)
    const answer = client.sendCallsSync({ calls: [transfer, { to: bob, value: 1n }], forceAtomic: true })
    await entered
    await show()
    expect(await answer).toMatchObject({ status: 'success', atomic: true, receipts: [{}, {}] })
  })

  it('throws its own errors if a batch is refused', async () => {
    const { client, bob, transfer, probe } = await start(view)
    const nameOf = async (promise: Promise<unknown>) => {
      const error = (await failure(promise)).walk((at) => (at as RpcErrorType).code !== undefined)
      const { name, code } = error as RpcErrorType
      return [name, code]
    }
    const calls = [transfer]
    const needy = { calls, capabilities: { auxiliaryFunds: { optional: false } } }
    expect(await nameOf(client.sendCalls(needy as never))).toEqual([
      'UnsupportedNonOptionalCapabilityError',
      5700,
    ])
    const otherChain = { ...foundry, id: 1 }
    expect(await nameOf(client.sendCalls({ calls, chain: otherChain }))).toEqual([
      'UnsupportedChainIdError',
      5710,
    ])
    await client.sendCalls({ calls, id: 'mine' })
    expect(await nameOf(client.sendCalls({ calls, id: 'mine' }))).toEqual(['DuplicateIdError', 5720])
    expect(await nameOf(client.getCallsStatus({ id: 'other' }))).toEqual(['UnknownBundleIdError', 5730])
    const many = Array.from({ length: 1001 }, () => ({ to: bob }))
    expect(await nameOf(client.sendCalls({ calls: many }))).toEqual(['BundleTooLargeError', 5740])
    // More than two fifths of a block's gas each (EIP-7623).
    const long = { to: bob, data: `0x${'11'.repeat(55_000)}` } as const
    expect(await nameOf(client.sendCalls({ calls: [long, long, long], forceAtomic: true }))).toEqual([
      'AtomicityNotSupportedError',
      5760,
    ])
    const failing = { abi: Probe.abi, to: probe, functionName: 'failString' } as const
    const reverted = await failure(client.sendCalls({ calls: [transfer, failing] }))
    expect(reverted).toBeInstanceOf(BaseError)
    expect(reverted.message).toContain('execution reverted')
  })

  it('throws if a batch that it waits for has failed', async () => {
    const { client, transfer, show } = await start(view)
    const everything = { ...transfer, args: [transfer.args[0], 10n ** 24n] } as const
    await client.sendCalls({ calls: [everything] })
    const { id } = await client.sendCalls({ calls: [transfer, transfer] })
    await show()
    expect(await client.waitForCallsStatus({ id })).toMatchObject({
      status: 'failure',
      statusCode: 500,
      receipts: [],
    })
    const waited = client.waitForCallsStatus({ id, throwOnFailure: true, retryCount: 0 })
    await expect(waited).rejects.toThrow('Call bundle failed with status: 500')
  })

  it.each(Object.keys(transports) as (keyof typeof transports)[])('adds a token %s', async (how) => {
    const { client, token } = await start(view, how)
    const options = { address: token, symbol: 'TKN', decimals: 18 }
    expect(await client.watchAsset({ type: 'ERC20', options })).toBe(true)
    await expect(client.watchAsset({ type: 'ERC20', options: { ...options, address: 'x' } })).rejects.toThrow(
      'invalid argument 0.options.address: expected a 20-byte address',
    )
  })
})

describe.each(['standard', 'preconf'] as const)('wagmi on %s', (view) => {
  beforeEach(() => {
    if ('window' in globalThis) return
    vi.stubGlobal('window', new EventTarget())
    return () => void vi.unstubAllGlobals()
  })

  async function open() {
    const started = await start(view)
    const provider = started.chain[view]
    const config = createConfig({
      chains: [foundry],
      connectors: [injected({ target: { id: 'preseal', name: 'preseal', provider } })],
      transports: { [foundry.id]: custom(provider) },
      pollingInterval: 10,
      multiInjectedProviderDiscovery: false,
      storage: null,
    })
    await connect(config, { connector: getConnectors(config)[0]! })
    return { ...started, config }
  }

  it('sends a batch, and waits for it', async () => {
    const { config, show, bob, transfer } = await open()
    expect(await getCapabilities(config)).toEqual({ 31337: { atomic: { status: 'supported' } } })
    const { id } = await sendCalls(config, { calls: [transfer, { to: bob, value: 1n }], forceAtomic: true })
    expect(await getCallsStatus(config, { id })).toMatchObject({ status: 'pending', statusCode: 100 })
    const waited = waitForCallsStatus(config, { id, pollingInterval: 10 })
    await show()
    expect(await waited).toMatchObject({ status: 'success', atomic: true, receipts: [{}, {}] })
    expect(await showCallsStatus(config, { id })).toBeUndefined()
  })

  it('sends a batch by the sync action, which returns its status', async () => {
    const { config, show, sent, transfer } = await open()
    const entered = sent(2)
    const answer = sendCallsSync(config, { calls: [transfer, transfer], pollingInterval: 10 })
    await entered
    await show()
    expect(await answer).toMatchObject({ status: 'success', receipts: [{}, {}] })
  })

  it('adds a token', async () => {
    const { config, token } = await open()
    const options = { address: token, symbol: 'TKN', decimals: 18 }
    expect(await watchAsset(config, { type: 'ERC20', options })).toBe(true)
  })
})
