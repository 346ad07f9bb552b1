/** Who may do what at handlers and connections: classes of methods, functions that decide, and what tries to pass them. */
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  type Access,
  type AccessRequest,
  createConnection,
  createHandler,
  type HandlerOptions,
} from '../../../src/kits/server/index.ts'
import { METHODS, methods } from '../../../src/rpc/table.ts'
import { runs } from '../../full.ts'
import { startChain, type TestChain } from '../../harness.ts'
import { failure, result } from './messages.ts'

const ask = (id: unknown, method: string, params: unknown = []) => ({ jsonrpc: '2.0', id, method, params })
const unknown = (id: unknown, method: string) =>
  failure(id, -32601, `the method ${method} does not exist/is not available`)
const REFUSED = failure(1, 4100, 'access refused')
const FAILED = failure(1, 4100, 'access refused: the server could not decide it')

type Send = (message: unknown, headers?: Readonly<Record<string, string>>) => Promise<unknown>

/** Sends messages to a handler. */
function handling(provider: Parameters<typeof createHandler>[0], options: HandlerOptions): Send {
  const handler = createHandler(provider, options)
  return async (message, headers) => {
    const init = {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(message),
    }
    const text = await (await handler(new Request('http://localhost/', init))).text()
    return text === '' ? undefined : JSON.parse(text)
  }
}

/** Sends messages over a connection. */
function connecting(chain: TestChain, view: 'standard' | 'preconf', options: HandlerOptions): Send {
  const sent: string[] = []
  const { access, requestsPerSecond, rateKey } = options
  const connection = createConnection(chain.provider(view), (text) => void sent.push(text), {
    access,
    requestsPerSecond,
    rateKey,
  })
  onTestFinished(() => connection.close())
  return async (message) => {
    await connection.receive(JSON.stringify(message))
    const text = sent.shift()
    return text === undefined ? undefined : JSON.parse(text)
  }
}

const VIEWS = ['standard', 'preconf'] as const
const ENDPOINTS = VIEWS.flatMap((view) => [
  [
    `a handler on ${view}`,
    (chain: TestChain, options: HandlerOptions) => handling(chain[view], options),
  ] as const,
  [
    `a connection on ${view}`,
    (chain: TestChain, options: HandlerOptions) => connecting(chain, view, options),
  ] as const,
])

/** Whether an answer is that of a method that is not served. */
const isUnknown = (answer: unknown) =>
  (answer as { readonly error?: { readonly code: number } }).error?.code === -32601

describe.each(ENDPOINTS)('%s', (_name, open) => {
  it.each<[HandlerOptions['access'], readonly string[]]>([
    ['public', ['node']],
    [{ debug: true }, ['node', 'debug']],
    [{ debug: false }, ['node']],
    [() => 'public', ['node']],
    [async () => ({ debug: true }), ['node', 'debug']],
  ])('serves the methods of the classes of %j: %j', async (access, classes) => {
    const chain = await startChain()
    const send = open(chain, { access })
    for (const [name, method] of methods) {
      if (name === 'eth_accounts' || classes.includes(method.class)) continue
      expect(await send(ask(1, name))).toEqual(unknown(1, name))
    }
    await chain.seal()
    expect(await send(ask(1, 'eth_blockNumber'))).toEqual(result(1, '0x1'))
    expect(await send(ask(1, 'eth_accounts'))).toEqual(result(1, []))
    expect(isUnknown(await send(ask(1, 'txpool_status')))).toBe(!classes.includes('debug'))
  })

  it('serves everything by default and with full access', async () => {
    const chain = await startChain()
    const given: readonly HandlerOptions[] = [{}, { access: 'full' }, { access: () => 'full' }]
    for (const options of given) {
      const send = open(chain, options)
      expect(await send(ask(1, 'evm_snapshot'))).toMatchObject({ result: expect.stringMatching(/^0x/) })
      expect(await send(ask(1, 'eth_accounts'))).toEqual(
        result(
          1,
          chain.accounts.map(({ address }) => address),
        ),
      )
    }
  })

  it('decides each request of a batch', async () => {
    const chain = await startChain()
    const send = open(chain, { access: ({ method }) => (method === 'eth_gasPrice' ? false : 'public') })
    expect(
      await send([
        ask(1, 'eth_chainId'),
        ask(2, 'anvil_mine'),
        ask(3, 'eth_gasPrice'),
        { jsonrpc: '2.0', method: 'anvil_mine', params: [] },
        ask(4, 'eth_accounts'),
      ]),
    ).toEqual([result(1, '0x7a69'), unknown(2, 'anvil_mine'), { ...REFUSED, id: 3 }, result(4, [])])
    expect(await chain.standard.request({ method: 'eth_blockNumber' })).toBe('0x0')
  })

  it.each([
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'size',
    '',
    'ETH_CHAINID',
    'eth_chainid',
    ' eth_chainId',
    'eth_chainId\u0000',
    'Anvil_mine',
    'anvil_setBalance ',
    'eth_sendUnsignedTransaction',
    'eth_requestAccounts',
    'ganache_mine',
  ])('does not serve %j', async (name) => {
    const send = open(await startChain(), { access: { debug: true } })
    expect(await send(ask(1, name))).toEqual(unknown(1, name))
  })

  it('asks a function with the method and the params, which may wait', async () => {
    const chain = await startChain()
    const asked: unknown[] = []
    const send = open(chain, {
      access: async ({ method, params, headers, remoteAddress }) => {
        asked.push({ method, params, isHeaders: headers instanceof Headers, remoteAddress })
        await Promise.resolve()
        return method === 'eth_chainId' ? false : 'full'
      },
    })
    expect(await send(ask(1, 'eth_chainId'))).toEqual(REFUSED)
    expect(await send(ask(1, 'anvil_mine', ['0x2']))).toMatchObject({ id: 1, result: null })
    const rest = { isHeaders: true, remoteAddress: undefined }
    expect(asked).toEqual([
      { method: 'eth_chainId', params: [], ...rest },
      { method: 'anvil_mine', params: ['0x2'], ...rest },
    ])
  })

  it.each<[string, () => unknown, RegExp]>([
    [
      'throws',
      () => {
        throw new Error('no such key')
      },
      /^no such key$/,
    ],
    ['rejects', () => Promise.reject(new Error('no such key')), /^no such key$/],
    ['throws no error', () => Promise.reject('text'), /^text$/],
    ['returns nothing', () => undefined, /^invalid option access: expected a function that returns /],
    ['returns true', () => true, /^invalid option access/],
    ['returns a name that it is not', () => 'admin', /^invalid option access/],
    ['returns a class alone', () => ({ debug: 'true' }), /^invalid option access/],
    ['returns more', () => ({ debug: true, full: true }), /^invalid option access/],
    [
      'returns what throws',
      () => ({
        get debug() {
          throw new Error('a getter')
        },
      }),
      /^a getter$/,
    ],
  ])('refuses a request if the function %s, and reports why', async (_does, access, reason) => {
    const chain = await startChain()
    const send = open(chain, { access: access as () => Access })
    // Without a listener, too.
    expect(await send(ask(1, 'evm_mine'))).toEqual(FAILED)
    const errors: string[] = []
    chain.on('error', ({ message }) => errors.push(message))
    expect(await send(ask(1, 'evm_mine'))).toEqual(FAILED)
    expect(errors).toEqual([expect.stringMatching(reason)])
    expect(await chain.standard.request({ method: 'eth_blockNumber' })).toBe('0x0')
  })

  it('serves exactly the methods that are allowed, under all names', async () => {
    const chain = await startChain()
    let access: Exclude<Access, 'full'> | false = 'public'
    const send = open(chain, { access: () => access })
    const names = fc.oneof(
      fc.constantFrom(...Object.keys(METHODS)),
      fc.string(),
      fc.constantFrom(...Object.keys(METHODS)).map((name) => name.toUpperCase()),
      fc.constantFrom(...Object.getOwnPropertyNames(Object.prototype)),
    )
    const accesses = fc.constantFrom<(Exclude<Access, 'full'> | false)[]>(
      'public',
      { debug: true },
      { debug: false },
      false,
    )
    await fc.assert(
      fc.asyncProperty(names, accesses, async (name, now) => {
        access = now
        const answer = await send(ask(1, name))
        const kind = methods.get(name)?.class
        const isServed =
          kind === 'node' || (kind === 'debug' && now !== 'public' && now !== false && now.debug)
        if (now === false) expect(answer).toEqual(REFUSED)
        else if (name === 'eth_accounts') expect(answer).toEqual(result(1, []))
        else if (!isServed) expect(answer).toEqual(unknown(1, name))
        // The standard view does not serve it at all.
        else if (name !== 'eth_simulateV1' && !name.endsWith('subscribe'))
          expect(isUnknown(answer)).toBe(false)
      }),
      runs(300, 10_000),
    )
    expect(await chain.standard.request({ method: 'eth_blockNumber' })).toBe('0x0')
    expect(await chain.standard.request({ method: 'txpool_status' })).toMatchObject({ queued: '0x0' })
  })
})

describe('an endpoint', () => {
  it('decides by the headers of the request', async () => {
    const chain = await startChain()
    const access = ({ headers }: AccessRequest) =>
      headers.get('authorization') === 'Bearer secret' ? 'full' : 'public'
    const send = handling(chain.standard, { access })
    expect(await send(ask(1, 'evm_snapshot'))).toEqual(unknown(1, 'evm_snapshot'))
    expect(await send(ask(1, 'evm_snapshot'), { Authorization: 'Bearer secret' })).toEqual(result(1, '0x1'))
  })

  it('guards any provider, and tells it nothing more than the request', async () => {
    const asked: unknown[] = []
    const provider = {
      async request(args: { readonly method: string }) {
        asked.push({ ...args })
        return args.method
      },
    }
    const send = handling(provider, { access: 'public' })
    expect(await send(ask(1, 'anvil_reset'))).toEqual(unknown(1, 'anvil_reset'))
    expect(await send(ask(1, 'my_method'))).toEqual(unknown(1, 'my_method'))
    expect(await send(ask(1, 'eth_chainId'))).toEqual(result(1, 'eth_chainId'))
    expect(asked).toEqual([{ method: 'eth_chainId', params: [] }])
    const throwing = handling(provider, {
      access() {
        throw new Error('there is no chain to tell')
      },
    })
    expect(await throwing(ask(1, 'eth_chainId'))).toEqual(FAILED)
  })

  it('refuses URLs of nodes to fork although access is full, unless forkUrls is set', async () => {
    const chain = await startChain()
    const message = ask(1, 'anvil_setRpcUrl', ['http://127.0.0.1:1'])
    expect(await handling(chain.standard, { access: () => 'full' })(message)).toMatchObject({
      error: { code: -32602 },
    })
    const open = await handling(chain.standard, { access: () => 'full', forkUrls: true })(message)
    expect(open).toMatchObject({ error: { code: -32000 } })
    expect(await handling(chain.standard, { access: 'public', forkUrls: true })(message)).toEqual(
      unknown(1, 'anvil_setRpcUrl'),
    )
  })

  it.each([0, null, 'admin', 'Full', {}, [], { debug: 1 }, { debug: true, x: 1 }])(
    'does not start with access %j',
    async (access) => {
      const chain = await startChain()
      expect(() => createHandler(chain.standard, { access: access as never })).toThrow(
        "invalid option access: expected 'full', 'public' or { debug: true }, or a function of a request",
      )
    },
  )
})
