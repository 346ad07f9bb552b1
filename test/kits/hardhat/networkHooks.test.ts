import { describe, expect, it } from 'vitest'
import type { Hex, PresealChain } from '../../../src/index.ts'
import { type ResolvedNetwork, resolveNetwork, type UserNetwork } from '../../../src/kits/hardhat/config.ts'
import { ConnectionFailedError, NetworkNotServedError } from '../../../src/kits/hardhat/errors.ts'
import type { ArtifactManager } from '../../../src/kits/hardhat/gasStats.ts'
import {
  type Connection,
  createNetworkHooks,
  type HookManager,
  type JsonRpcRequest,
} from '../../../src/kits/hardhat/networkHooks.ts'
import { ALICE_KEY } from '../../signing.ts'

const secret = (text: string) => ({ get: async () => text })

const NETWORK: ResolvedNetwork = {
  type: 'edr-simulated',
  accounts: [{ privateKey: secret(ALICE_KEY), balance: 5n }],
  coinbase: new Uint8Array(20),
  hardfork: 'osaka',
  throwOnCallFailures: true,
  throwOnTransactionFailures: true,
  mining: { auto: true, interval: 0 },
}

/** A provider of Hardhat: closed, it refuses requests. */
class Provider {
  isClosed = false
  readonly emitted: (readonly [event: string, ...values: unknown[]])[] = []

  async request(): Promise<unknown> {
    return this.isClosed ? Promise.reject(new Error('closed')) : 'of Hardhat'
  }

  async close(): Promise<void> {
    this.isClosed = true
  }

  emit(event: string, ...values: unknown[]): boolean {
    this.emitted.push([event, ...values])
    return true
  }
}

interface Opened {
  readonly connection: Connection & { readonly preseal: PresealChain }
  readonly provider: Provider
  /** The requests that passed Hardhat's handlers. */
  readonly handled: readonly JsonRpcRequest[]
  /** What Hardhat's `--coverage` got. */
  readonly covered: readonly unknown[]
  close(): Promise<void>
}

/** Opens a connection as Hardhat does. @throws what the hook throws, once the provider is closed */
async function open(
  user: UserNetwork,
  {
    network = NETWORK,
    reports = [],
    fail,
  }: {
    readonly network?: ResolvedNetwork
    readonly reports?: readonly string[]
    /** The answer of a handler of Hardhat's, in place of the chain's. */
    readonly fail?: { readonly code: number; readonly message: string }
  } = {},
): Promise<Opened> {
  const provider = new Provider()
  const handled: JsonRpcRequest[] = []
  const covered: unknown[] = []
  const hooks: HookManager = {
    hasHandlers: async (_category, hook) => reports.includes(hook),
    runParallelHandlers: async (_category: string, hook: string, [value]: readonly unknown[]) =>
      hook === 'onCoverageData' && covered.push(value),
    async runHandlerChain(_category, _hook, [connection, request], last) {
      handled.push(request)
      return fail === undefined ? last({}, connection, request) : { error: fail }
    },
  }
  const config = { paths: { artifacts: 'artifacts' } }
  const networkConfig = user.preseal ? resolveNetwork(user, network) : network
  const created: Connection = { networkName: 'net', networkConfig, provider }
  const artifacts: ArtifactManager = {
    getAllBuildInfoIds: async () => new Set(),
    getBuildInfoPath: async () => undefined,
    getBuildInfoOutputPath: async () => undefined,
  }
  const { newConnection } = createNetworkHooks((error) => error)
  try {
    const connection = (await newConnection(
      { hooks, config, artifacts },
      async () => created,
    )) as Opened['connection']
    return { connection, provider, handled, covered, close: () => connection.provider.close() }
  } catch (error) {
    expect(provider.isClosed).toBe(true)
    throw error
  }
}

const ask = ({ connection }: Opened, method: string, ...params: unknown[]) =>
  connection.provider.request({ method, params })

describe('a connection to a network of preseal', () => {
  it("answers from its chain, once a request has passed Hardhat's handlers", async () => {
    const opened = await open({ preseal: true })
    expect(await ask(opened, 'eth_chainId')).toBe('0x7a69')
    expect(await opened.connection.provider.request({ method: 'eth_accounts' })).toEqual([
      opened.connection.preseal.accounts[0].address,
    ])
    expect(opened.handled).toEqual([
      { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] },
      { jsonrpc: '2.0', id: 2, method: 'eth_accounts', params: [] },
    ])
    await opened.close()
  })

  it('has the accounts of the network', async () => {
    const opened = await open({ preseal: true })
    const { address, privateKey } = opened.connection.preseal.accounts[0]
    expect([privateKey, await ask(opened, 'eth_getBalance', address)]).toEqual([ALICE_KEY, '0x5'])
    await opened.close()
  })

  it.each([
    [
      'the word of the first',
      { passphrase: secret('') },
      'test test test test test test test test test test test junk',
    ],
    [
      'spaces around the words',
      { passphrase: secret('') },
      ' test test test test test test test test test test test junk ',
    ],
  ])('derives accounts: %s', async (_name, own, mnemonic) => {
    const accounts = {
      mnemonic: secret(mnemonic),
      accountsBalance: 3n,
      count: 2,
      initialIndex: 0,
      path: "m/44'/60'/0'/0",
      ...own,
    }
    const opened = await open({ preseal: true }, { network: { ...NETWORK, accounts } })
    expect(opened.connection.preseal.accounts.map(({ address }) => address)).toEqual([
      '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
      '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
    ])
    await opened.close()
  })

  it('derives accounts from another index on, which are those that follow', async () => {
    const accounts = {
      mnemonic: secret('test test test test test test test test test test test junk'),
      passphrase: secret(''),
      accountsBalance: 3n,
      count: 1,
      initialIndex: 1,
      path: "m/44'/60'/0'/0/",
    }
    const opened = await open({ preseal: true }, { network: { ...NETWORK, accounts } })
    const [{ address }] = opened.connection.preseal.accounts
    expect([address, await ask(opened, 'eth_getBalance', address)]).toEqual([
      '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
      '0x3',
    ])
    await opened.close()
  })

  it('shows what the configuration states', async () => {
    const network = { ...NETWORK, mining: { auto: false, interval: 1000 } }
    const opened = await open({ preseal: { clock: 'manual' }, mining: { interval: 1000 } }, { network })
    expect(opened.connection.networkConfig.mining).toEqual({ auto: false, interval: 1000 })
    await opened.close()
  })

  it('answers from the view that the network states', async () => {
    const opened = await open({ preseal: { view: 'live', clock: 'manual' }, mining: { interval: 2000 } })
    const to = `0x${'11'.repeat(20)}`
    const { preseal: chain } = opened.connection
    const from = chain.accounts[0].address
    await chain.setBalance(from, 10n ** 18n)
    await ask(opened, 'eth_sendTransaction', { from, to, value: '0x1' })
    await (chain as PresealChain & { advance(ms: number): Promise<void> }).advance(200)
    expect(await ask(opened, 'eth_getBalance', to)).toBe('0x1')
    expect(await chain.standard.request({ method: 'eth_getBalance', params: [to, 'latest'] })).toBe('0x0')
    await opened.close()
  })

  it('begins at the time that the network states', async () => {
    const opened = await open({ preseal: true, initialDate: '2030-01-01T00:00:00Z' })
    const { timestamp } = (await ask(opened, 'eth_getBlockByNumber', '0x0', false)) as { timestamp: string }
    expect(Number(timestamp)).toBe(Date.UTC(2030, 0, 1) / 1000)
    await opened.close()
  })

  it('closes its chain with the provider, which is then as Hardhat made it', async () => {
    const opened = await open({ preseal: true })
    await opened.close()
    await opened.close()
    await expect(ask(opened, 'eth_chainId')).rejects.toThrow('closed')
    await expect(opened.connection.preseal.tick()).rejects.toMatchObject({ code: 4900 })
  })

  it('emits notifications, and that the chain was reverted', async () => {
    const opened = await open({ preseal: true })
    const subscription = await ask(opened, 'eth_subscribe', 'newHeads')
    const snapshot = await ask(opened, 'evm_snapshot')
    await ask(opened, 'evm_mine')
    await ask(opened, 'evm_revert', snapshot)
    await opened.close()
    const { emitted } = opened.provider
    const [first] = emitted as [readonly ['notification', { subscription: string; result: object }]]
    expect(first).toEqual([
      'notification',
      { subscription, result: expect.objectContaining({ number: '0x1' }) },
    ])
    expect(emitted[1]).toEqual(['message', { type: 'eth_subscription', data: first[1] }])
    expect(emitted.at(-1)).toEqual(['hardhatNetworkRevertSnapshot'])
  })

  it("has errors that Hardhat's server passes on", async () => {
    const opened = await open({ preseal: true })
    const error = await ask(opened, 'eth_nonsense').catch((error: unknown) => error)
    expect(error).toMatchObject({ code: -32004, message: 'Method eth_nonsense is not supported' })
    expect(Object.getOwnPropertyDescriptor(error, '_isProviderError')?.value).toBe(true)
    await opened.close()
  })

  it('has the error that a handler of Hardhat answers with', async () => {
    const opened = await open({ preseal: true }, { fail: { code: 7, message: 'refused' } })
    await expect(ask(opened, 'eth_chainId')).rejects.toMatchObject({ code: 7, message: 'refused' })
    await opened.close()
  })

  const REVERTING = { data: '0x60ab60005260206000fd', gas: '0x186a0' }
  const WORD = `0x${'ab'.padStart(64, '0')}`

  it('fails for failed executions', async () => {
    const opened = await open({ preseal: true })
    await opened.connection.preseal.setBalance(opened.connection.preseal.accounts[0].address, 10n ** 18n)
    const from = opened.connection.preseal.accounts[0].address
    await expect(ask(opened, 'eth_call', REVERTING)).rejects.toMatchObject({ code: 3, data: WORD })
    await expect(ask(opened, 'eth_sendTransaction', { from, ...REVERTING })).rejects.toMatchObject({
      code: 3,
    })
    await opened.close()
  })

  it('has results of failed executions if the network states so, but errors for invalid requests', async () => {
    const network = { ...NETWORK, throwOnCallFailures: false, throwOnTransactionFailures: false }
    const opened = await open({ preseal: true }, { network })
    const from = opened.connection.preseal.accounts[0].address
    await opened.connection.preseal.setBalance(from, 10n ** 18n)
    expect(await ask(opened, 'eth_call', REVERTING)).toBe(WORD)
    expect(await ask(opened, 'eth_sendTransaction', { from, ...REVERTING })).toMatch(/^0x[0-9a-f]{64}$/)
    await expect(ask(opened, 'eth_estimateGas', REVERTING)).rejects.toMatchObject({ code: 3 })
    await expect(ask(opened, 'eth_call', { to: '0x1' })).rejects.toMatchObject({ code: -32602 })
    await expect(ask(opened, 'eth_sendRawTransaction', '0x00')).rejects.toMatchObject({ code: -32000 })
    await opened.close()
  })
})

describe('a connection that fails', () => {
  it('names the reason, and leaves nothing open', async () => {
    const network = { ...NETWORK, accounts: [{ privateKey: secret(`0x${'00'.repeat(32)}`), balance: 1n }] }
    const error = await open({ preseal: true }, { network }).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(ConnectionFailedError)
    expect((error as Error).message).toBe(
      'the network net cannot be opened: invalid option accounts[0]: expected a valid privateKey and its address',
    )
  })
})

describe("Hardhat's --coverage", () => {
  it('gets the statements that transactions and calls execute, once each, also if they fail', async () => {
    const opened = await open({ preseal: true }, { reports: ['onCoverageData'] })
    const [{ address: from }] = opened.connection.preseal.accounts
    await ask(opened, 'hardhat_setBalance', from, '0x8ac7230489e80000')
    // An initcode that calls the address with a number.
    const hit = (number: string) => `60${number}5f525f5f60205f73${'c0be'.repeat(10)}5afa50`
    const init = (number: string, end: string): Hex => `0x${hit(number)}${end}`
    await ask(opened, 'eth_sendTransaction', { from, data: init('01', '5f5ff3'), gas: '0x100000' })
    await ask(opened, 'eth_call', { from, data: init('02', '5f5ff3') })
    await ask(opened, 'eth_call', { from, data: init('02', '5f5ff3') })
    await expect(ask(opened, 'eth_call', { from, data: init('03', '5f5ffd') })).rejects.toThrow()
    await opened.close()
    expect(opened.covered).toEqual([['01', '02', '03'].map((number) => number.padStart(64, '0'))])
    const next = await open({ preseal: true })
    await ask(next, 'eth_call', { from, data: init('04', '5f5ff3') })
    await next.close()
    expect(next.covered).toEqual([])
  })

  it.each(['preseal', 'ethereumjs'] as const)(
    'leaves the return data of a call as it is: %s',
    async (engine) => {
      // Initcode that is called with itself as data: it calls the identity precompile with a word, does `between`, and returns the size of
      // the return data, and the return data.
      const hit = `60ab5f525f5f60205f73${'c0be'.repeat(10)}5afa50`
      const code = (between: string): Hex =>
        `0x60075f525f5f60205f60045afa50${between}3d5f523d5f60203e3d6020015ff3`
      const results = async (reports: readonly string[]) => {
        const opened = await open({ preseal: { engine } }, { reports })
        const call = (between: string) => ask(opened, 'eth_call', { data: code(between), gas: '0x100000' })
        const trace = async (between: string) => {
          const tx = { data: code(between), gas: '0x100000' }
          const { returnValue } = (await ask(opened, 'debug_traceCall', tx, 'latest', {})) as {
            returnValue: Hex
          }
          return returnValue
        }
        const values = [await call(''), await call(hit), await trace(hit)]
        await opened.close()
        return values
      }
      const [plain, cleared] = await results([])
      expect([plain, cleared]).toEqual([
        `0x${'20'.padStart(64, '0')}${'07'.padStart(64, '0')}`,
        `0x${''.padStart(64, '0')}`,
      ])
      expect(await results(['onCoverageData'])).toEqual([plain, plain, plain])
      expect(await results([])).toEqual([plain, cleared, cleared])
    },
  )
})

describe('a connection to another network', () => {
  it('is as Hardhat made it, and has no chain', async () => {
    const opened = await open({ preseal: false }, { reports: ['onCoverageData'] })
    expect(await ask(opened, 'eth_chainId')).toBe('of Hardhat')
    expect(() => opened.connection.preseal).toThrow(new NetworkNotServedError('net'))
    expect(Object.keys({ ...opened.connection })).toEqual(['networkName', 'networkConfig', 'provider'])
  })
})
