import { Wallet } from 'ethers'
import { createPublicClient, custom, encodeDeployData, encodeFunctionData } from 'viem'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { MaybePromise } from '../../../src/base/types.ts'
import {
  type ChainOptions,
  type ChainSchedule,
  createChain,
  createManualClock,
  ImportError,
  InvalidOptionError,
  type PresealChain,
  PresealError,
  PresealRpcError,
  type Provider,
  systemClock,
} from '../../../src/index.ts'
import { PresealProvider } from '../../../src/kits/ethers/index.ts'
import { chainTransport, preseal, waitForPreconfirmation } from '../../../src/kits/viem/index.ts'
import {
  ClockNotManualError,
  connectChain,
  exposeChain,
  type RemoteChain,
} from '../../../src/kits/worker/index.ts'
import { InvalidRequestError } from '../../../src/rpc/errors.ts'
import { Token } from '../../contracts/artifacts.ts'
import { startChain } from '../../harness.ts'
import { ask, send, sign } from '../../rpc/scene.ts'
import { connectThrough, flush, startRemote } from './support.ts'

const DISCONNECTED = { name: 'DisconnectedError', code: 4900, message: 'disconnected' }

/** The error that a promise is rejected with. */
const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.unreachable(),
    (error: Error) => error,
  )

/** The given events of a chain, in order. */
function listenTo(chain: PresealChain | RemoteChain, ...names: string[]): unknown[] {
  const events: unknown[] = []
  for (const name of names) chain.on(name as 'block', (value: unknown) => events.push([name, value]))
  return events
}

describe('a chain in a worker', () => {
  it('answers on the page as it does in the worker', async () => {
    const { chain, remote } = await startRemote()
    expect(remote.accounts).toEqual(chain.accounts)
    await send(chain, 0, { nonce: 0, to: chain.accounts[1]!.address, value: 1n })
    expect(await remote.tick()).toMatchObject({
      index: 1,
      added: 0,
      block: { transactions: [{ nonce: '0x0' }] },
    })
    const request = ['eth_getBalance', [chain.accounts[1]!.address, 'pending']] as const
    expect(await ask(remote.preconf, ...request)).toBe(await ask(chain.preconf, ...request))
    expect(await ask(remote.standard, ...request)).toBe(await ask(chain.standard, ...request))
    const sealed = await remote.seal()
    expect(sealed).toEqual({
      block: await chain.standard.request({ method: 'eth_getBlockByNumber', params: ['0x1', true] }),
      receipts: await chain.standard.request({ method: 'eth_getBlockReceipts', params: ['0x1'] }),
    })
    expect(await remote.missedTicks()).toBe(0)
  })

  it('explains transactions and calls on the page as it does in the worker', async () => {
    const { chain, remote } = await startRemote()
    const artifacts = { Token }
    const hash = await send(chain, 0, { nonce: 0, data: encodeDeployData(Token) })
    await chain.tick()
    const explanation = await remote.explain(hash, { artifacts })
    expect(explanation).toEqual(await chain.explain(hash, { artifacts }))
    const { contract, to } = explanation.root
    expect(contract).toBe('Token')
    const data = encodeFunctionData({ abi: Token.abi, functionName: 'balanceOf', args: [to!] })
    const call = [{ to: to!, data }, { artifacts }] as const
    expect(await remote.explain(...call)).toEqual(await chain.explain(...call))
    await expect(remote.explain(`0x${'12'.repeat(32)}`)).rejects.toMatchObject({
      name: 'TransactionNotFoundError',
      code: -32000,
    })
  })

  it('is advanced from the page, and stopped and started', async () => {
    const { remote } = await startRemote({ mining: 'interval' })
    await remote.advance(2000)
    expect(await ask(remote.standard, 'eth_blockNumber')).toBe('0x1')
    await remote.stop()
    await remote.advance(4000)
    expect(await ask(remote.standard, 'eth_blockNumber')).toBe('0x1')
    await remote.start()
    await remote.advance(2000)
    expect(await ask(remote.standard, 'eth_blockNumber')).toBe('0x2')
  })

  it('reverts to a snapshot', async () => {
    const { remote } = await startRemote()
    const events = listenTo(remote, 'retracted')
    const id = await remote.snapshot()
    const { block } = await remote.seal()
    await remote.revert(id)
    expect(await ask(remote.standard, 'eth_blockNumber')).toBe('0x0')
    expect(events).toMatchObject([['retracted', { blocks: [block.hash] }]])
    await expect(remote.revert('0x99')).rejects.toMatchObject({ name: 'UnknownSnapshotError', code: -32000 })
  })

  it('injects the faults that the page sets', async () => {
    const { chain, remote } = await startRemote({ faults: 'zero-hash' })
    expect(await remote.faults.current()).toEqual({ zeroHash: true })
    await remote.faults.set({ dropEvery: 1 })
    expect(chain.faults.current).toEqual({ dropEvery: 1 })
    const refused = await failureOf(remote.faults.set({ dropEvery: 0 }))
    expect(refused).toEqual(new InvalidOptionError('faults.dropEvery', 'an integer >= 1'))
    expect(await remote.faults.current()).toEqual({ dropEvery: 1 })
    await remote.faults.clear()
    expect(chain.faults.current).toEqual({})
  })

  it('imports external blocks', async () => {
    const genesis = { start: 1_700_000_000_000 }
    const maker = await startChain({ clock: createManualClock(genesis.start) })
    await send(maker, 0, { nonce: 0, to: maker.accounts[1]!.address })
    const { block } = await maker.seal()
    const raw = await maker.standard.request({ method: 'debug_getRawBlock', params: ['0x1'] })
    const { remote } = await startRemote({ clock: createManualClock(genesis.start) })
    const bytes = Uint8Array.from(raw.slice(2).match(/../g)!, (byte) => Number.parseInt(byte, 16))
    expect((await remote.importBlocks(bytes)).block.hash).toBe(block.hash)
    expect(bytes.byteLength).toBeGreaterThan(0)
  })

  it('has its own connection for every provider and every page', async () => {
    const { chain, remote } = await startRemote()
    const { remote: other } = await connectThrough((endpoint) => exposeChain(chain, endpoint))
    const filter = await remote.preconf.request({ method: 'eth_newBlockFilter' })
    await chain.seal()
    const changes = { method: 'eth_getFilterChanges', params: [filter] } as const
    for (const provider of [remote.provider('preconf'), other.preconf, chain.preconf]) {
      await expect(provider.request(changes)).rejects.toMatchObject({ message: 'filter not found' })
    }
    expect(await remote.preconf.request(changes)).toHaveLength(1)
    const further = remote.provider('preconf', { defaultBlock: 'pending', pendingNonce: 'pool' })
    await send(chain, 0, { nonce: 0, to: chain.accounts[1]!.address })
    const nonce = ['eth_getTransactionCount', [chain.accounts[0]!.address]] as const
    expect(await ask(further, ...nonce)).toBe('0x1')
    expect(await ask(remote.live, ...nonce)).toBe('0x1')
    expect(await ask(remote.preconf, ...nonce)).toBe('0x0')
    expect(remote.live).toBe(remote.live)
    expect(remote.live).not.toBe(further)
  })

  it('pushes a notification before the answer to the request that caused it', async () => {
    const { remote } = await startRemote()
    const order: unknown[] = []
    remote.preconf.on('message', ({ data }) => order.push(data.subscription))
    remote.on('preconf', ({ index }) => order.push(index))
    const id = await remote.preconf.request({ method: 'eth_subscribe', params: ['newPreconfBlocks'] })
    await remote.tick()
    order.push('ticked')
    await remote.preconf.request({ method: 'eth_unsubscribe', params: [id] })
    await remote.tick()
    expect(order).toEqual([1, id, 'ticked', 2])
  })

  it('emits the events of a wallet like a chain of the same thread', async () => {
    const { chain, remote } = await startRemote()
    const events: unknown[] = []
    remote.standard.on('connect', (info) => events.push(info))
    remote.standard.on('accountsChanged', (accounts) => events.push(accounts))
    await flush(remote)
    expect(events).toEqual([{ chainId: '0x7a69' }])
    remote.standard.on('connect', () => expect.unreachable())
    const permission = { eth_accounts: {} }
    await remote.standard.request({ method: 'wallet_revokePermissions', params: [permission] })
    await remote.standard.request({ method: 'eth_requestAccounts' })
    expect(events.slice(1)).toEqual([[], chain.accounts.map(({ address }) => address)])
  })

  it('has the current chain id, also after it changes', async () => {
    const { remote } = await startRemote()
    const changed = vi.fn()
    remote.standard.on('chainChanged', changed)
    await remote.preconf.request({ method: 'anvil_setChainId', params: [5] })
    expect(changed.mock.calls).toEqual([['0x5']])
    const connected = vi.fn()
    remote.provider('preconf').on('connect', connected)
    await flush(remote)
    expect(connected.mock.calls).toEqual([[{ chainId: '0x5' }]])
  })

  it('emits its events while there is a listener', async () => {
    const { chain, remote } = await startRemote()
    const there = listenTo(chain, 'transaction', 'preconf', 'block', 'dropped')
    const here = listenTo(remote, 'transaction', 'preconf', 'block', 'dropped')
    const once = vi.fn()
    remote.once('block', once)
    await flush(remote)
    await send(chain, 0, { nonce: 0, to: chain.accounts[1]!.address })
    await chain.seal()
    await chain.seal()
    await flush(remote)
    expect(here).toEqual(there)
    expect(there.length).toBeGreaterThanOrEqual(6)
    expect(once).toHaveBeenCalledTimes(1)
  })

  it('posts no event without a listener', async () => {
    const { chain, remote } = await startRemote()
    const on = vi.spyOn(chain, 'on')
    const off = vi.spyOn(chain, 'off')
    const [first, second] = [vi.fn(), vi.fn()]
    remote.on('block', first).on('block', second)
    await flush(remote)
    expect(on.mock.calls.map(([event]) => event)).toEqual(['block'])
    remote.off('block', first)
    await flush(remote)
    expect(off).not.toHaveBeenCalled()
    remote.off('block', second)
    await flush(remote)
    expect(off.mock.calls.map(([event]) => event)).toEqual(['block'])
  })

  it("works with viem's custom transport and pushing ones like a chain of the same thread", async () => {
    const { chain, remote } = await startRemote({ mining: 'interval' })
    const stock = createPublicClient({ transport: custom(remote.standard) })
    expect(await stock.getChainId()).toBe(31_337)
    const client = createPublicClient({ chain: preseal, transport: chainTransport(remote) })
    const numbers: bigint[] = []
    onTestFinished(client.watchBlockNumber({ onBlockNumber: (number) => numbers.push(number) }))
    const hash = await send(chain, 0, { nonce: 0, to: chain.accounts[1]!.address })
    const seen: unknown[] = []
    void waitForPreconfirmation(client, { hash }).then(({ status }) => seen.push(status))
    await client.getChainId()
    await remote.advance(200)
    // It has resolved before the advance.
    expect(seen).toEqual(['success'])
    await remote.advance(1800)
    expect(numbers).toEqual([1n])

    const provider = new PresealProvider(remote)
    onTestFinished(() => provider.destroy())
    const wallet = new Wallet(remote.accounts[1]!.privateKey, provider)
    const sent = await wallet.sendTransaction({ data: Token.bytecode })
    const receipt = sent.wait()
    await remote.advance(200)
    expect((await receipt)!.status).toBe(1)
  })
})

describe('an error', () => {
  it('arrives with its class, code, message, data and details', async () => {
    const { chain, remote } = await startRemote()
    const reverting = { data: '0x60aa60005260206000fd' }
    const requests = [
      { method: 'nope' },
      { method: 'eth_getBalance', params: ['0x1'] },
      { method: 'eth_call', params: [reverting, 'latest'] },
      { method: 'eth_sendRawTransaction', params: ['0x00'] },
      {} as { method: string },
    ]
    for (const request of requests) {
      const there = await failureOf(chain.preconf.request(request))
      const here = await failureOf(remote.preconf.request(request))
      expect(here).toBeInstanceOf(PresealRpcError)
      expect(here).toMatchObject({
        shortMessage: there.message,
        docsPath: `/reference/errors.html#${there.name}`,
      })
      expect({ ...here, message: here.message, stack: here.stack }).toEqual({
        ...there,
        message: there.message,
        stack: expect.stringContaining(there.message),
      })
    }
  })

  it.each<[string, (remote: RemoteChain) => Promise<unknown>, new (...args: never[]) => Error, object]>([
    ['an import', (remote) => remote.importBlocks(Uint8Array.of(0xc0)), ImportError, { blockNumber: 1n }],
    ['invalid bytes', (remote) => remote.importBlocks([] as never), InvalidOptionError, {}],
    ['an advance backwards', (remote) => remote.advance(-1), InvalidOptionError, {}],
  ])('keeps its class for %s', async (_, call, kind, fields) => {
    const { remote } = await startRemote()
    const error = await failureOf(call(remote))
    expect(error).toBeInstanceOf(kind)
    expect(error).toBeInstanceOf(PresealError)
    expect(error).toMatchObject(fields)
  })

  it('arrives without properties that a message cannot carry, such as itself as its cause', async () => {
    const { chain, remote } = await startRemote()
    const failing = Object.assign(new Error('a listener of the worker'), { retry: () => {}, status: 7 })
    failing.cause = failing
    const events = listenTo(remote, 'error')
    chain.on('block', () => {
      throw failing
    })
    await remote.seal()
    expect(events).toEqual([['error', expect.objectContaining({ message: failing.message, status: 7 })]])
    const refused = failureOf(
      connectThrough((endpoint) => exposeChain(() => Promise.reject(failing), endpoint)),
    )
    expect(await refused).toMatchObject({ message: failing.message, status: 7 })
  })

  it('is thrown at once for an invalid option', async () => {
    const { remote } = await startRemote()
    expect(() => remote.provider('pending' as never)).toThrow(
      new InvalidOptionError('view', "'standard' or 'preconf'"),
    )
    expect(() => remote.provider('preconf', { pendingNonce: 'x' as never })).toThrow(InvalidOptionError)
  })

  it('has the current chain id, block time and interval on every page', async () => {
    const chain = await startChain({ chainId: 10, blockTime: 1000, preconfInterval: 300 })
    const connect = () => connectThrough((endpoint) => exposeChain(chain, endpoint))
    const [one, other] = [(await connect()).remote, (await connect()).remote]
    const settings = ({ chainId, blockTime, preconfInterval }: RemoteChain) => [
      chainId,
      blockTime,
      preconfInterval,
    ]
    const events: ChainSchedule[] = []
    const listener = (schedule: ChainSchedule) => events.push(schedule)
    one.on('schedule', listener)
    expect([settings(one), settings(other)]).toEqual([
      [10, 1000, 300],
      [10, 1000, 300],
    ])

    await one.standard.request({ method: 'anvil_setChainId', params: [11] })
    await one.standard.request({ method: 'anvil_setIntervalMining', params: [5] })
    // The event arrives before the answer to the request that caused it.
    expect(settings(one)).toEqual([11, 5000, 300])
    await flush(other)
    expect(settings(other)).toEqual([11, 5000, 300])

    one.off('schedule', listener)
    await chain.standard.request({ method: 'evm_setIntervalMining', params: [100] })
    await flush(one)
    expect(settings(one)).toEqual([11, 100, 100])
    expect(settings((await connect()).remote)).toEqual([11, 100, 100])
    expect(events).toEqual([{ blockTime: 5000, preconfInterval: 300 }])
  })

  it('rejects a request that a message cannot carry', async () => {
    const { remote } = await startRemote()
    const request = remote.preconf.request({ method: 'eth_call', params: [() => {}] })
    await expect(request).rejects.toThrow(new InvalidRequestError('values that structured clone can copy'))
    expect(await ask(remote.preconf, 'eth_chainId')).toBe('0x7a69')
  })

  it('rejects an advance of a clock that is not manual', async () => {
    const chain = await createChain({ mining: 'manual' })
    onTestFinished(() => chain.close())
    const { remote } = await connectThrough((endpoint) => exposeChain(chain, endpoint))
    const error = await failureOf(remote.advance(1))
    expect(error).toBeInstanceOf(ClockNotManualError)
    expect({ name: error.name, message: error.message }).toEqual({
      name: 'ClockNotManualError',
      message: new ClockNotManualError().message,
    })
  })

  describe('of the chain', () => {
    const failing = new Error('a listener of the worker')
    afterEach(() => vi.restoreAllMocks())

    it('is emitted on the page', async () => {
      const { chain, remote } = await startRemote()
      const events = listenTo(remote, 'error')
      chain.on('block', () => {
        throw failing
      })
      await chain.seal()
      await flush(remote)
      expect(events).toEqual([['error', failing]])
    })

    it('is emitted if a listener of the page throws', async () => {
      const { remote } = await startRemote()
      remote.on('block', () => {
        throw failing
      })
      remote.standard.on('disconnect', () => {
        throw failing
      })
      const events = listenTo(remote, 'error')
      await remote.seal()
      remote.standard.close()
      expect(events).toEqual([
        ['error', failing],
        ['error', failing],
      ])
    })

    it.each<[string, (remote: RemoteChain) => void]>([
      ['without a listener', () => {}],
      [
        'if a listener throws it',
        (remote) =>
          remote.on('error', (error) => {
            throw error
          }),
      ],
    ])('is an uncaught exception of the page %s', async (_, listen) => {
      const { chain, remote } = await startRemote()
      listen(remote)
      const uncaught: unknown[] = []
      vi.spyOn(globalThis, 'queueMicrotask').mockImplementation((task) => {
        try {
          task()
        } catch (error) {
          uncaught.push(error)
        }
      })
      chain.on('block', () => {
        throw failing
      })
      await chain.seal()
      await flush(remote)
      expect(uncaught).toEqual([failing])
    })
  })
})

describe('the end', () => {
  it('of a provider rejects its requests, and ends its connection in the worker', async () => {
    const { chain, remote } = await startRemote()
    const provider = remote.provider('preconf')
    const disconnected = vi.fn()
    provider.on('disconnect', disconnected)
    const raw = await sign(chain, 0, { nonce: 0, to: chain.accounts[1]!.address })
    const waiting = provider.request({ method: 'eth_sendRawTransactionSync', params: [raw] })
    provider.close()
    provider.close()
    await expect(waiting).rejects.toMatchObject(DISCONNECTED)
    await expect(provider.request({ method: 'eth_chainId' })).rejects.toMatchObject(DISCONNECTED)
    expect(disconnected.mock.calls).toEqual([[expect.objectContaining(DISCONNECTED)]])
    expect(await ask(remote.preconf, 'eth_chainId')).toBe('0x7a69')
  })

  it.each<[string, (remote: RemoteChain, chain: PresealChain, provider: Provider) => MaybePromise<void>]>([
    ['the chain in the worker', (_, chain) => chain.close()],
    ['the chain, by its page', (remote) => remote.closeChain()],
    ['the page', (remote) => remote.close()],
    ['the provider', (_remote, _chain, provider) => provider.close()],
  ])('of %s lets filters and subscriptions be given up, in flight and later', async (_, end) => {
    const { chain, remote } = await startRemote()
    const provider = remote.provider('preconf')
    const filter = await provider.request({ method: 'eth_newBlockFilter' })
    const subscription = await provider.request({ method: 'eth_subscribe', params: ['newHeads'] })
    const giveUp = () =>
      Promise.all([
        provider.request({ method: 'eth_uninstallFilter', params: [filter] }),
        provider.request({ method: 'eth_unsubscribe', params: [subscription] }),
      ])
    const inFlight = giveUp()
    const ending = end(remote, chain, provider)
    expect(await inFlight).toEqual([true, true])
    await ending
    expect(await giveUp()).toEqual([true, true])
  })

  it('of the chain reaches the page', async () => {
    const { chain, remote } = await startRemote()
    const disconnected = vi.fn()
    remote.standard.on('disconnect', disconnected)
    const waiting = remote.preconf.request({ method: 'eth_subscribe', params: ['newHeads'] })
    await waiting
    await chain.close()
    await expect(remote.tick()).rejects.toMatchObject(DISCONNECTED)
    await expect(remote.start()).rejects.toMatchObject(DISCONNECTED)
    await expect(remote.preconf.request({ method: 'eth_chainId' })).rejects.toMatchObject(DISCONNECTED)
    expect(disconnected.mock.calls).toEqual([[expect.objectContaining(DISCONNECTED)]])
    await expect(remote.provider('preconf').request({ method: 'eth_chainId' })).rejects.toMatchObject(
      DISCONNECTED,
    )
  })

  it.each<[string, (remote: RemoteChain, chain: PresealChain) => Promise<void>]>([
    ['the chain in the worker', (_, chain) => chain.close()],
    ['the chain, by its page', (remote) => remote.closeChain()],
    ['the page', (remote) => remote.close()],
  ])('of %s is reported to a provider that is created after it', async (_, end) => {
    const { chain, remote } = await startRemote()
    await flush(remote)
    await end(remote, chain)
    // Rejected after the page has left; earlier messages have arrived by then.
    await flush(remote).catch(() => {})
    for (const connection of [
      () => remote.standard,
      () => remote.preconf,
      () => remote.provider('preconf'),
    ]) {
      const provider = connection()
      const events: unknown[] = []
      provider.on('connect', () => events.push('connect'))
      await new Promise<void>((resolve) => {
        provider.on('disconnect', (error) => {
          events.push(error)
          resolve()
        })
      })
      expect(events).toEqual([expect.objectContaining(DISCONNECTED)])
      await expect(provider.request({ method: 'eth_chainId' })).rejects.toMatchObject(DISCONNECTED)
    }
  })

  it('of a page leaves the chain open, and removes everything of the page', async () => {
    const { chain, remote, endpoint } = await startRemote()
    await flush(remote)
    const opened: string[] = []
    const connect = chain.provider.bind(chain)
    vi.spyOn(chain, 'provider').mockImplementation((...args) => {
      const provider = connect(...args)
      provider.on('disconnect', () => opened.push('closed'))
      return provider
    })
    const events = listenTo(remote, 'block', 'error')
    const provider = remote.provider('preconf')
    await provider.request({ method: 'eth_subscribe', params: ['newHeads'] })
    const raw = await sign(chain, 0, { nonce: 0, to: chain.accounts[1]!.address })
    const waiting = provider.request({ method: 'eth_sendRawTransactionSync', params: [raw] })
    await remote.close()
    await remote.close()
    await expect(waiting).rejects.toMatchObject(DISCONNECTED)
    await expect(remote.tick()).rejects.toMatchObject(DISCONNECTED)
    // Another page at the same endpoint finds the chain after the first one has left.
    const again = await connectChain(endpoint)
    await again.seal()
    expect(opened).toEqual(['closed'])
    expect(events).toEqual([])
    await again.close()
  })

  it('of the chain, requested by a page, ends all pages', async () => {
    const { chain, remote } = await startRemote()
    const { remote: other } = await connectThrough((endpoint) => exposeChain(chain, endpoint))
    await remote.closeChain()
    await remote.closeChain()
    await expect(chain.tick()).rejects.toMatchObject(DISCONNECTED)
    await expect(other.tick()).rejects.toMatchObject(DISCONNECTED)
  })

  it('of the exposure ends every page', async () => {
    const { chain, remote, endpoint, stop } = await startRemote()
    const events = listenTo(remote, 'error')
    const disconnected = vi.fn()
    remote.preconf.on('disconnect', disconnected)
    const ended = new Promise((resolve) => remote.standard.on('disconnect', resolve))
    stop()
    await ended
    expect(disconnected).toHaveBeenCalledTimes(1)
    await expect(remote.tick()).rejects.toMatchObject(DISCONNECTED)
    expect(events).toEqual([['error', expect.objectContaining(DISCONNECTED)]])
    expect((await chain.seal()).block.number).toBe('0x1')
    exposeChain(chain, endpoint as never)()
  })

  it.runIf(typeof Symbol.asyncDispose === 'symbol')('comes with the end of a scope', async () => {
    const { remote } = await startRemote()
    await remote[Symbol.asyncDispose]()
    await expect(remote.tick()).rejects.toMatchObject(DISCONNECTED)
  })
})

describe('the beginning', () => {
  it.each([true, false])('does not depend on the order of page and worker', async (pageFirst) => {
    const chain = await startChain()
    const endpoint = createWorkerScope()
    const expose = () => exposeChain(chain, endpoint.scope)
    if (!pageFirst) expose()
    const connecting = connectChain(endpoint.worker)
    if (pageFirst) expose()
    const remote = await connecting
    expect((await remote.seal()).block.number).toBe('0x1')
    await remote.close()
  })

  it('ignores other messages at the endpoint', async () => {
    const chain = await startChain()
    const { worker, scope } = createWorkerScope()
    const messages: unknown[] = []
    scope.addEventListener('message', (event) => messages.push((event as MessageEvent).data))
    exposeChain(chain, scope)
    worker.postMessage('anything', [])
    worker.postMessage(null, [])
    worker.postMessage({ id: 1 }, [])
    const [one, two] = await Promise.all([connectChain(worker), connectChain(worker)])
    expect(messages.slice(0, 3)).toEqual(['anything', null, { id: 1 }])
    await one.close()
    expect((await two.seal()).block.number).toBe('0x1')
    await two.close()
  })

  it.each<[string, Event, string]>([
    ['could not be loaded', new Event('error'), 'the worker failed: no reason given'],
    [
      'threw',
      Object.assign(new Event('error'), { message: 'x is not defined' }),
      'the worker failed: x is not defined',
    ],
    ['posts an unreadable message', new Event('messageerror'), 'the worker failed: a message cannot be read'],
  ])('fails if the worker %s', async (_, event, message) => {
    const { worker } = createWorkerScope()
    const connecting = failureOf(connectChain(worker))
    worker.dispatchEvent(event)
    expect(await connecting).toMatchObject({ ...DISCONNECTED, cause: { name: 'WorkerFailedError', message } })
  })

  it('is followed by a disconnection if the worker fails later', async () => {
    const chain = await startChain()
    const { worker, scope } = createWorkerScope()
    exposeChain(chain, scope)
    const remote = await connectChain(worker)
    const events = listenTo(remote, 'error')
    const waiting = failureOf(remote.tick())
    const error = new Error('of a line of the worker')
    worker.dispatchEvent(Object.assign(new Event('error'), { message: 'Uncaught Error', error }))
    const expected = {
      ...DISCONNECTED,
      cause: { message: 'the worker failed: Uncaught Error', cause: error },
    }
    expect(await waiting).toMatchObject(expected)
    expect(events).toEqual([['error', expect.objectContaining(DISCONNECTED)]])
    await remote.close()
  })

  it('is refused at an invalid endpoint', async () => {
    const chain = await startChain()
    const { worker } = createWorkerScope()
    const invalid = [
      null,
      {},
      { postMessage() {} },
      new EventTarget(),
      Object.assign(worker, { document: {} }),
    ]
    for (const endpoint of invalid) {
      expect(() => exposeChain(chain, endpoint as never)).toThrow(
        new InvalidOptionError('endpoint', 'the scope of a dedicated worker, or a MessagePort'),
      )
      expect(await failureOf(connectChain(endpoint as never))).toEqual(
        new InvalidOptionError('endpoint', 'a Worker, or a MessagePort such as the port of a SharedWorker'),
      )
    }
  })

  it('is refused without a chain or a function that creates one', () => {
    const { scope } = createWorkerScope()
    for (const source of [undefined, {}, Promise.resolve()]) {
      expect(() => exposeChain(source as never, scope)).toThrow(
        new InvalidOptionError('source', 'a chain, or a function that creates one'),
      )
    }
  })
})

describe('a chain for each page', () => {
  const manual = (options?: ChainOptions) =>
    createChain({ mining: 'manual', clock: createManualClock(), ...options })

  it('has the options of its page, and ends with it', async () => {
    const chains: PresealChain[] = []
    const factory = async (options?: ChainOptions) => {
      const chain = await manual(options)
      chains.push(chain)
      return chain
    }
    const { port1, port2 } = new MessageChannel()
    onTestFinished(exposeChain(factory, port2))
    onTestFinished(() => port1.close())
    const [one, two] = await Promise.all([
      connectChain(port1, { options: { chainId: 1, limits: { gasCap: 30_000n } } }),
      connectChain(port1),
    ])
    expect(await ask(one.standard, 'eth_chainId')).toBe('0x1')
    expect(await ask(two.standard, 'eth_chainId')).toBe('0x7a69')
    await one.seal()
    expect(await ask(two.standard, 'eth_blockNumber')).toBe('0x0')
    await one.close()
    await one.close()
    await expect(chains[0]!.tick()).rejects.toMatchObject(DISCONNECTED)
    expect((await two.seal()).block.number).toBe('0x1')
    await two.close()
    await expect(chains[1]!.tick()).rejects.toMatchObject(DISCONNECTED)
  })

  it('is refused if it cannot be created', async () => {
    const error = await failureOf(
      connectThrough((endpoint) => exposeChain(manual, endpoint), { options: { chainId: 0 } }),
    )
    expect(error).toBeInstanceOf(InvalidOptionError)
    expect(error.message).toBe('invalid option chainId: expected an integer from 1 to 2^53 - 1')
    const clock = { options: { clock: systemClock } as never }
    const unsendable = failureOf(connectThrough((endpoint) => exposeChain(manual, endpoint), clock))
    expect(await unsendable).toEqual(
      new InvalidOptionError(
        'options',
        'values that structured clone can copy, so no clock, and databases only by their names',
      ),
    )
    const chain = await startChain()
    const late = failureOf(connectThrough((endpoint) => exposeChain(chain, endpoint), { options: {} }))
    expect(await late).toEqual(
      new InvalidOptionError('options', 'no value: the worker has created the chain already'),
    )
  })

  it('is closed if the exposure has ended meanwhile', async () => {
    const chains: Promise<PresealChain>[] = []
    const { worker, scope } = createWorkerScope()
    let stop = () => {}
    const making = new Promise<void>((resolve) => {
      stop = exposeChain((options) => {
        resolve()
        const chain = manual(options)
        chains.push(chain)
        return chain
      }, scope)
    })
    const connecting = failureOf(connectChain(worker))
    await making
    stop()
    expect(await connecting).toMatchObject(DISCONNECTED)
    await expect((await chains[0]!).tick()).rejects.toMatchObject(DISCONNECTED)
  })
})

/** The two sides of a worker, at which messages without a listener are lost. */
function createWorkerScope() {
  const connect = (target: EventTarget, other: EventTarget) =>
    Object.assign(target, {
      postMessage(data: unknown, transfer: never[]) {
        const copy = structuredClone({ data }, { transfer })
        void systemClock.yield().then(() => other.dispatchEvent(Object.assign(new Event('message'), copy)))
      },
    })
  const [worker, scope] = [new EventTarget(), new EventTarget()]
  return { worker: connect(worker, scope), scope: connect(scope, worker) }
}
