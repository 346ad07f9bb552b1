/** wagmi's injected connector on a provider, from connecting to disconnecting; Node gets a stub of a window. */
import {
  connect,
  createConfig,
  createStorage,
  disconnect,
  getBalance,
  getConnection,
  getConnectors,
  type InjectedParameters,
  injected,
  reconnect,
  sendTransaction,
  signMessage,
  switchChain,
  waitForTransactionReceipt,
  watchBlockNumber,
  watchConnection,
} from '@wagmi/core'
import { custom, getAddress, type Transport, UserRejectedRequestError } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry, mainnet } from 'viem/chains'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { announceProvider, type ChainOptions, type Provider } from '../../src/index.ts'
import { chainTransport } from '../../src/kits/viem/index.ts'
import { startChain } from '../harness.ts'

describe('a wagmi client', () => {
  beforeEach(() => {
    if ('window' in globalThis) return
    vi.stubGlobal('window', new EventTarget())
    return () => void vi.unstubAllGlobals()
  })

  type Storage = ReturnType<typeof createStorage>

  /** Storage that survives a reload of the page. */
  function createMemory(): Storage {
    const items = new Map<string, string>()
    return createStorage({
      storage: {
        getItem: (key) => items.get(key) ?? null,
        setItem: (key, value) => void items.set(key, value),
        removeItem: (key) => void items.delete(key),
      },
    })
  }

  /** A page with wagmi on it. */
  function loadPage(provider: Provider, parameters: InjectedParameters = {}, storage = createMemory()) {
    const target = { id: 'preseal', name: 'preseal', provider }
    return createConfig({
      chains: [foundry, mainnet],
      connectors: [injected({ target, ...parameters })],
      transports: { [foundry.id]: custom(provider), [mainnet.id]: custom(provider) },
      pollingInterval: 10,
      multiInjectedProviderDiscovery: false,
      storage,
    })
  }

  type Config = ReturnType<typeof loadPage>

  const addresses = (config: Config) => getConnection(config).addresses
  const open = (config: Config) => connect(config, { connector: getConnectors(config)[0]! })

  async function start(options: ChainOptions = {}) {
    const chain = await startChain({ accounts: { count: 2 }, ...options })
    return { chain, accounts: chain.accounts.map(({ address }) => getAddress(address)) }
  }

  describe.each(['standard', 'preconf'] as const)('on %s', (view) => {
    it.each([true, false])(
      'connects on request only, and disconnects, with shimDisconnect %s',
      async (shim) => {
        const { chain, accounts } = await start()
        const config = loadPage(chain[view], { shimDisconnect: shim })
        const states: string[] = []
        onTestFinished(watchConnection(config, { onChange: ({ status }) => states.push(status) }))
        // It does not connect automatically.
        await chain[view].request({ method: 'eth_chainId' })
        expect(getConnection(config).status).toBe('disconnected')

        expect(await open(config)).toEqual({ accounts, chainId: 31337 })
        expect(getConnection(config)).toMatchObject({
          address: accounts[0],
          addresses: accounts,
          chainId: 31337,
        })
        expect(await getBalance(config, { address: accounts[1]! })).toMatchObject({
          value: 10_000n * 10n ** 18n,
        })

        await disconnect(config)
        expect(getConnection(config)).toMatchObject({ status: 'disconnected', addresses: undefined })
        expect(await chain[view].request({ method: 'eth_accounts' })).toEqual([])

        expect(await open(config)).toEqual({ accounts, chainId: 31337 })
        expect(addresses(config)).toEqual(accounts)
        expect(states).toEqual(['connecting', 'connected', 'disconnected', 'connecting', 'connected'])
      },
    )

    it('reconnects when the page is loaded again, unless it was disconnected', async () => {
      const { chain, accounts } = await start()
      const provider = chain.provider(view)
      const storage = createMemory()
      await open(loadPage(provider, {}, storage))

      const again = loadPage(provider, {}, storage)
      expect(await reconnect(again)).toMatchObject([{ accounts, chainId: 31337 }])
      expect(addresses(again)).toEqual(accounts)
      await disconnect(again)

      const later = loadPage(provider, {}, storage)
      expect(await reconnect(later)).toEqual([])
      expect(getConnection(later).status).toBe('disconnected')
      // A new provider permits its accounts, but the stored state of the page still counts.
      expect(await reconnect(loadPage(chain.provider(view), {}, storage))).toEqual([])
    })

    it('sends and signs for the connected account', async () => {
      const { chain, accounts } = await start()
      const config = loadPage(chain[view])
      await open(config)
      const hash = await sendTransaction(config, { to: accounts[1]!, value: 5n })
      await chain.seal()
      const receipt = await waitForTransactionReceipt(config, { hash })
      expect(receipt).toMatchObject({ status: 'success', from: accounts[0]!.toLowerCase() })
      expect(await getBalance(config, { address: accounts[1]! })).toMatchObject({ value: 10n ** 22n + 5n })
      const own = privateKeyToAccount(chain.accounts[0]!.privateKey)
      expect(await signMessage(config, { message: 'hello' })).toBe(
        await own.signMessage({ message: 'hello' }),
      )
    })

    it('follows a permission that is revoked and granted by other means', async () => {
      const { chain, accounts } = await start()
      const provider = chain[view]
      const config = loadPage(provider)
      await open(config)
      await provider.request({ method: 'wallet_revokePermissions', params: [{ eth_accounts: {} }] })
      await vi.waitFor(() => expect(getConnection(config).status).toBe('disconnected'), { interval: 5 })
      await provider.request({ method: 'eth_requestAccounts' })
      await vi.waitFor(() => expect(addresses(config)).toEqual(accounts), { interval: 5 })
    })

    it('is disconnected when the chain is closed', async () => {
      const { chain } = await start()
      const config = loadPage(chain[view])
      await open(config)
      await chain.close()
      await vi.waitFor(() => expect(getConnection(config).status).toBe('disconnected'), { interval: 5 })
    })

    it('stays on its chain, and fails if another one is requested', async () => {
      const { chain } = await start()
      const config = loadPage(chain[view])
      await open(config)
      expect(await switchChain(config, { chainId: foundry.id })).toMatchObject({ id: 31337 })
      const refused = await switchChain(config, { chainId: mainnet.id }).catch((error: unknown) => error)
      expect(refused).toBeInstanceOf(UserRejectedRequestError)
      expect(refused).toMatchObject({
        cause: {
          code: -32602,
          message: "invalid argument 0.chainId: expected this chain's id (0x7a69)",
        },
      })
      expect(getConnection(config).chainId).toBe(31337)

      await disconnect(config)
      const connector = getConnectors(config)[0]!
      await expect(connect(config, { connector, chainId: mainnet.id })).rejects.toThrow(
        "expected this chain's id",
      )
      expect(getConnection(config).status).toBe('disconnected')
      expect(await connect(config, { connector, chainId: foundry.id })).toMatchObject({ chainId: 31337 })
    })

    it('watches block numbers, by polling or subscription', async () => {
      const { chain } = await start()
      const numbers: [string, bigint][] = []
      const watch = (name: string, transport: Transport): void => {
        const config = createConfig({
          chains: [foundry],
          transports: { [foundry.id]: transport },
          pollingInterval: 10,
          storage: null,
        })
        const onBlockNumber = (number: bigint) => numbers.push([name, number])
        onTestFinished(watchBlockNumber(config, { onBlockNumber }))
      }
      watch('polling', custom(chain[view]))
      watch('pushed', chainTransport(chain, { view }))
      await vi.waitFor(() => expect(numbers).toContainEqual(['polling', 0n]), { interval: 5 })
      await chain.seal()
      expect(numbers).toContainEqual(['pushed', 1n])
      await vi.waitFor(() => expect(numbers).toContainEqual(['polling', 1n]), { interval: 5 })
    })
  })

  it('finds announced providers, each once', async () => {
    const { chain, accounts } = await start()
    onTestFinished(announceProvider(chain.preconf))
    const config = createConfig({
      chains: [foundry],
      transports: { [foundry.id]: custom(chain.preconf) },
      storage: null,
    })
    const info = { name: 'preseal, sealed', rdns: 'localhost.preseal.standard' }
    onTestFinished(announceProvider(chain.standard, { info }))
    const connectors = getConnectors(config)
    expect(connectors.map(({ id, name, icon }) => [id, name, icon?.slice(0, 18)])).toEqual([
      ['localhost.preseal', 'preseal', 'data:image/svg+xml'],
      ['localhost.preseal.standard', 'preseal, sealed', 'data:image/svg+xml'],
    ])
    expect(await connectors[1]!.getProvider()).toBe(chain.standard)
    expect(await connect(config, { connector: connectors[0]! })).toEqual({ accounts, chainId: 31337 })
  })
})
