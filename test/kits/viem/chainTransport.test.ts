import { createPublicClient, custom, fallback, ProviderDisconnectedError, parseAbiItem } from 'viem'
import { describe, expect, it, onTestFinished } from 'vitest'
import { PresealRpcError } from '../../../src/index.ts'
import {
  chainTransport,
  preseal,
  waitForPreconfirmation,
  watchPreconfBlocks,
} from '../../../src/kits/viem/index.ts'
import { Token } from '../../contracts/artifacts.ts'
import { startChain, viemOn } from '../../harness.ts'
import { deployToken, flush, start } from './setup.ts'

const TRANSFER = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)')
const POLLING = [
  'eth_blockNumber',
  'eth_newFilter',
  'eth_newPendingTransactionFilter',
  'eth_getFilterChanges',
]

describe.each(['standard', 'preconf'] as const)('chainTransport on %s', (view) => {
  it('pushes block numbers and blocks to viem without polling', async () => {
    const { chain, client, tap } = await start(view)
    const numbers: bigint[] = []
    const blocks: (string | null)[] = []
    onTestFinished(client.watchBlockNumber({ onBlockNumber: (number) => numbers.push(number) }))
    onTestFinished(client.watchBlocks({ onBlock: ({ hash }) => blocks.push(hash) }))
    await flush()
    const methods = await tap.during(async () => {
      await chain.tick()
      const hashes = [(await chain.seal()).block.hash, (await chain.seal()).block.hash]
      await flush()
      expect(blocks).toEqual(hashes)
    })
    expect(numbers).toEqual([1n, 2n])
    // viem itself requests the block of each new head.
    expect(methods).toEqual(['eth_getBlockByNumber', 'eth_getBlockByNumber'])
  })

  it('pushes events, plain and of a contract, without a request', async () => {
    const setup = await start(view)
    const { chain, client, tap, to } = setup
    const address = await deployToken(setup)
    const events: (bigint | undefined)[] = []
    const contractEvents: (bigint | undefined)[] = []
    onTestFinished(
      client.watchEvent({
        address,
        event: TRANSFER,
        onLogs: (logs) => events.push(...logs.map(({ args }) => args.value)),
      }),
    )
    onTestFinished(
      client.watchContractEvent({
        abi: Token.abi,
        address,
        eventName: 'Transfer',
        args: { to },
        onLogs: (logs) => contractEvents.push(...logs.map(({ args }) => args.value)),
      }),
    )
    for (const value of [1n, 2n]) {
      await client.writeContract({ abi: Token.abi, address, functionName: 'transfer', args: [to, value] })
      await chain.tick()
    }
    expect(await tap.during(() => chain.seal())).toEqual([])
    expect(events).toEqual([1n, 2n])
    expect(contractEvents).toEqual([1n, 2n])
  })

  it('pushes waiting transactions without a request', async () => {
    const { client, tap, to } = await start(view)
    const seen: string[] = []
    onTestFinished(client.watchPendingTransactions({ onTransactions: (hashes) => seen.push(...hashes) }))
    await flush()
    const hashes = [
      await client.sendTransaction({ to, value: 1n }),
      await client.sendTransaction({ to, value: 2n }),
    ]
    expect(seen).toEqual(hashes)
    expect(POLLING.filter((method) => tap.count(method) > 0)).toEqual([])
  })

  it('ends a subscription if it is unwatched', async () => {
    const { chain, client, tap } = await start(view)
    const numbers: bigint[] = []
    const unwatch = client.watchBlockNumber({ onBlockNumber: (number) => numbers.push(number) })
    await flush()
    await chain.seal()
    const methods = await tap.during(async () => {
      unwatch()
      await flush()
    })
    expect(methods).toEqual(['eth_unsubscribe'])
    await chain.seal()
    expect(numbers).toEqual([1n])
  })

  it('reports the end of the chain to watchers once', async () => {
    const { chain, client } = await start(view)
    const errors: Error[] = []
    const unwatch = client.watchBlockNumber({
      onBlockNumber: () => {},
      onError: (error) => errors.push(error),
    })
    await flush()
    await chain.close()
    expect(errors).toEqual([expect.any(ProviderDisconnectedError)])
    unwatch()
    await flush()
    await expect(client.getBlockNumber()).rejects.toThrow(ProviderDisconnectedError)
  })
})

describe('chainTransport', () => {
  it('has delivered every event, and let handlers finish, when advancing the clock returns', async () => {
    const { chain, client, to } = await start('preconf', { mining: 'interval' })
    const handled: string[] = []
    /** Handles an event as an app does, through a chain of promises. */
    const handle = async (what: string, layers = 20): Promise<void> => {
      if (layers > 0) return Promise.resolve().then(() => handle(what, layers - 1))
      handled.push(what)
    }
    onTestFinished(client.watchBlocks({ onBlock: ({ number }) => void handle(`block ${number}`) }))
    onTestFinished(client.watchBlockNumber({ onBlockNumber: (number) => void handle(`head ${number}`) }))
    onTestFinished(client.watchPreconfTransactions({ onTransactions: () => void handle('pre-confirmed') }))
    await flush()
    const hash = await client.sendTransaction({ to, value: 1n })
    const seen = client.waitForPreconfirmation({ hash })
    void seen
      .then(() => client.getBalance({ address: to }))
      .then((balance) => handle(`balance ${balance % 10n}`))
    await chain.clock.advance(200)
    expect(handled.sort()).toEqual(['balance 1', 'pre-confirmed'])
    await chain.clock.advance(1800)
    expect(handled.slice(2).sort()).toEqual(['block 1', 'head 1'])
  })

  it('connects to the given view, by default to preconf', async () => {
    const chain = await startChain()
    const [alice, bob] = chain.accounts
    const address = bob!.address
    const standard = createPublicClient({ transport: chainTransport(chain, { view: 'standard' }) })
    const preconf = createPublicClient({ transport: chainTransport(chain) })
    await viemOn(chain).wallet().sendTransaction({ to: address, value: 1n })
    // Waiting transactions count, as with `pendingNonce: 'pool'`.
    expect(await preconf.getTransactionCount({ address: alice!.address, blockTag: 'pending' })).toBe(1)
    await chain.tick()
    // Reads default to pending, as with `defaultBlock: 'pending'`.
    const balanceOn = async ({ request }: { request: typeof preconf.request }) =>
      BigInt(await request({ method: 'eth_getBalance', params: [address] as never }))
    expect((await balanceOn(preconf)) - (await balanceOn(standard))).toBe(1n)
  })

  it('pushes through a fallback transport, over one connection', async () => {
    const chain = await startChain()
    const client = createPublicClient({
      chain: preseal,
      transport: fallback([chainTransport(chain), custom(chain.standard)]),
    })
    const numbers: bigint[] = []
    onTestFinished(client.watchBlockNumber({ onBlockNumber: (number) => numbers.push(number) }))
    await flush()
    await chain.seal()
    expect(numbers).toEqual([1n])
    expect(await client.getBlockNumber()).toBe(1n)
  })

  it('delivers notifications that are sent while a subscription starts', async () => {
    const chain = await startChain()
    const provider = chain.provider('preconf')
    const client = createPublicClient({
      transport: chainTransport({
        request: async (args) => {
          const result = await provider.request(args)
          // As if a block were sealed before the id is known.
          if (args.method === 'eth_subscribe') await chain.seal()
          return result
        },
        on: (event, listener) => provider.on(event, listener as () => void),
        removeListener: (event, listener) => provider.removeListener(event, listener as () => void),
      }),
    })
    const numbers: string[] = []
    const subscription = await client.transport.subscribe({
      params: ['newHeads'],
      onData: ({ result }) => numbers.push(result.number),
    })
    await chain.seal()
    expect(numbers).toEqual(['0x1', '0x2'])
    expect(await subscription.unsubscribe()).toBe(true)
    expect(await subscription.unsubscribe()).toBe(false)
  })

  it('ends a subscription whose callback throws on a notification from before its id was known', async () => {
    const chain = await startChain()
    const provider = chain.provider('preconf')
    const methods: string[] = []
    const client = createPublicClient({
      transport: chainTransport({
        request: async (args) => {
          methods.push(args.method)
          const result = await provider.request(args)
          if (args.method === 'eth_subscribe') await chain.seal()
          return result
        },
        on: (event, listener) => provider.on(event, listener as () => void),
        removeListener: (event, listener) => provider.removeListener(event, listener as () => void),
      }),
    })
    let calls = 0
    const onData = () => {
      calls += 1
      throw new Error('no')
    }
    await expect(client.transport.subscribe({ params: ['newHeads'], onData })).rejects.toThrow('no')
    await chain.seal()
    expect(calls).toBe(1)
    expect(methods).toEqual(['eth_subscribe', 'eth_unsubscribe'])
  })

  it('rejects an unknown subscription', async () => {
    const { client } = await start('standard')
    const starting = client.transport.subscribe({ params: ['pendingLogs'], onData: () => {} })
    await expect(starting).rejects.toMatchObject({ name: 'MethodNotFoundRpcError', code: -32601 })
  })

  it('reports a disconnection at any moment of the start once', async () => {
    const chain = await startChain()
    for (let turns = 0; turns <= 40; turns++) {
      const provider = chain.provider('preconf')
      const endLater = async () => {
        for (let turn = 0; turn < turns; turn++) await undefined
        provider.close()
      }
      const client = createPublicClient({
        transport: chainTransport({
          request: async (args) => {
            const result = await provider.request(args)
            if (args.method === 'eth_subscribe') void endLater()
            return result
          },
          on: (event, listener) => provider.on(event, listener as () => void),
          removeListener: (event, listener) => provider.removeListener(event, listener as () => void),
        }),
      })
      const errors: Error[] = []
      const onError = (error: Error) => errors.push(error)
      client.watchBlockNumber({ onBlockNumber: () => {}, onError })
      watchPreconfBlocks(client, { onPreconfBlock: () => {}, onError })
      const waiting = waitForPreconfirmation(client, { hash: `0x${'11'.repeat(32)}` })
      await expect(waiting).rejects.toThrow(ProviderDisconnectedError)
      await flush()
      expect(errors).toEqual(Array(2).fill(expect.any(ProviderDisconnectedError)))
    }
  })

  it('sends a failed request once', async () => {
    let requests = 0
    const request = async () => {
      requests += 1
      throw new PresealRpcError(-32603, 'a fault')
    }
    const nothing = () => {}
    const source = { request, on: nothing, removeListener: nothing }
    const client = createPublicClient({ transport: chainTransport(source) })
    await expect(client.getBlockNumber()).rejects.toThrow('a fault')
    expect(requests).toBe(1)
  })
})
