/** A forked node behind an EIP-1193 provider: another chain in the process, or the provider of a library. */
import { BaseError, RpcRequestError, UnknownRpcError } from 'viem'
import { expect, it } from 'vitest'
import { createManualClock } from '../../../src/base/manualClock.ts'
import type { ForkedProvider } from '../../../src/base/options/forkOptions.ts'
import { json, quantity } from '../../../src/core/fork/answers.ts'
import { askAll, createRemote } from '../../../src/core/fork/remote.ts'
import { startChain } from '../../harness.ts'
import { ask } from '../../rpc/scene.ts'
import { between, forkOf } from './remoteChain.ts'
import { balanceOf, transferFrom } from './support.ts'

const clock = createManualClock()
const connect = (provider: ForkedProvider, concurrency = 8) =>
  createRemote({ provider, concurrency, batch: 100, timeout: 20_000, clock })
const request = (method = 'test', ...params: unknown[]) => ({ method, params, read: json, isPinned: false })
const failureOf = (provider: ForkedProvider['request']) =>
  connect({ request: provider })
    .ask(request())
    .then(
      (answer) => ({ answer }),
      ({ name, code, message, data }) => ({ name, code, message, data }),
    )

const failureIn = (asked: Promise<unknown>): Promise<Error & { cause?: Error }> =>
  asked.then(
    () => new Error('it was answered'),
    (error) => error,
  )

/** What a promise resolves to, while the time passes. */
async function passing<T>(promise: Promise<T>): Promise<T> {
  let isSettled = false
  const settle = () => {
    isSettled = true
  }
  promise.then(settle, settle)
  while (!isSettled) await clock.advance(1000)
  return promise
}

it('answers from another chain, side by side', async () => {
  const chain = await startChain()
  const blockHash = await transferFrom(chain)
  const [from] = chain.accounts
  const remote = connect(chain.standard as never)
  const to = `0x${'77'.repeat(20)}` as const
  const [balance, unknown, block] = await askAll(remote, [
    balanceOf(to, blockHash),
    request('eth_unknown'),
    { ...request('eth_chainId'), read: quantity(256) },
  ])
  expect(balance).toEqual({ status: 'fulfilled', value: 1n })
  expect(unknown).toMatchObject({
    reason: { code: -32601, message: 'the method eth_unknown does not exist/is not available' },
  })
  expect(block).toEqual({ status: 'fulfilled', value: 31337n })
  const call = { from: from.address, to, value: '0x1', data: '0xffffffff' }
  expect(await remote.ask(request('eth_call', call, { blockHash }))).toBe('0x')
})

it('has at most `concurrency` requests in flight', async () => {
  const open: (() => void)[] = []
  let most = 0
  let inFlight = 0
  const provider: ForkedProvider = {
    async request({ params }) {
      most = Math.max(most, ++inFlight)
      await new Promise<void>((resolve) => open.push(resolve))
      inFlight -= 1
      return params[0]
    },
  }
  const answers = askAll(
    connect(provider, 3),
    Array.from({ length: 7 }, (_, i) => request('test', i)),
  )
  for (let i = 0; i < 7; i++) {
    while (open.length === 0) await clock.yield()
    open.shift()!()
  }
  expect(await answers).toEqual(Array.from({ length: 7 }, (_, value) => ({ status: 'fulfilled', value })))
  expect(most).toBe(3)
})

it("keeps the node's error, whatever a library wraps it in", async () => {
  const reverted = { code: 3, message: 'execution reverted', data: '0x08c379a0' }
  expect(await failureOf(() => Promise.reject(reverted))).toEqual({ name: 'RemoteRpcError', ...reverted })
  const url = 'https://example.com/secret-key'
  const inner = new RpcRequestError({ body: {}, error: reverted, url })
  expect(await failureOf(() => Promise.reject(new UnknownRpcError(inner)))).toEqual({
    name: 'RemoteRpcError',
    ...reverted,
  })
  const wrapped = new BaseError('outer', { cause: inner })
  expect(await failureOf(() => Promise.reject(wrapped))).toEqual({ name: 'RemoteRpcError', ...reverted })
})

it.each<[string, () => unknown, string]>([
  ['nothing', () => undefined, 'a result'],
  ['a bigint', () => 1n, 'JSON'],
  ['a function', () => () => 1, 'JSON'],
  ['not a number', () => Number.NaN, 'JSON'],
  [
    'a getter that throws',
    () => ({
      get a() {
        throw new Error('no')
      },
    }),
    'JSON',
  ],
  ['a key __proto__', () => JSON.parse('{"__proto__":{"polluted":true}}'), 'no key __proto__'],
  [
    'a circle',
    () => {
      const circle: unknown[] = []
      circle.push(circle)
      return circle
    },
    'at most 2500 levels',
  ],
  [
    'an error without a message',
    () => {
      throw { code: 3 }
    },
    'an error with a code and a message',
  ],
])('refuses %s', async (_, answer, expected) => {
  expect(await failureOf(async () => answer())).toMatchObject({
    name: 'InvalidRemoteAnswerError',
    code: -32000,
    message: `invalid answer of the forked node to test []: expected ${expected}`,
  })
  expect('polluted' in {}).toBe(false)
})

it('tries again if the provider fails without an answer, and shows nothing of its error', async () => {
  let attempts = 0
  const provider: ForkedProvider = {
    request() {
      attempts += 1
      if (attempts === 1) throw new Error('https://example.com/secret-key')
      if (attempts === 2) return Promise.reject(Object.assign(new Error('gone'), { code: 4900 }))
      return Promise.resolve(attempts)
    },
  }
  expect(await passing(connect(provider).ask(request()))).toBe(3)
  const failing = connect({ request: () => Promise.reject(new Error('secret-key')) })
  const error = await passing(failureIn(failing.ask(request())))
  expect(error.message).toBe('the forked node did not answer test: the provider: the request failed')
  expect(error.cause?.message).toBe('the provider: the request failed')
})

it('is left by a request that never ends, after `timeout`', async () => {
  let asked = 0
  const provider = { request: () => (asked++ === 0 ? new Promise<never>(() => {}) : Promise.resolve('0x1')) }
  const remote = connect(provider, 1)
  const stuck = failureIn(remote.ask(request()))
  await clock.advance(20_000)
  expect((await stuck).message).toBe(
    'the forked node did not answer test: the provider: no answer within 20000 ms',
  )
  expect(await remote.ask(request())).toBe('0x1')
})

it('leaves of a URL in an error its scheme and host', async () => {
  const message =
    "couldn't connect to https://me:secret@node.example:8545/v3/secret?key=secret, or WSS://a.b/secret"
  expect(
    await failureOf(() => Promise.reject({ code: 500, message, data: ['http://c/secret#x y'] })),
  ).toEqual({
    name: 'RemoteRpcError',
    code: 500,
    message: "couldn't connect to https://node.example:8545 or WSS://a.b",
    data: ['http://c y'],
  })
})

const plainError = () => Promise.reject(new Error('Cannot wrap a "object" as a json-rpc type'))
const byHash = request('eth_getBalance', `0x${'77'.repeat(20)}`, { blockHash: `0x${'ab'.repeat(32)}` })

it.each([
  ['a hash of a block', byHash],
  ['a method that few nodes have', request('eth_config')],
])(
  'takes an error without a code for a refusal of %s, if other requests are answered',
  async (_, refused) => {
    const asked: string[] = []
    const remote = connect({
      request: ({ method }) => {
        asked.push(method)
        return method === 'eth_chainId' ? Promise.resolve('0x1') : plainError()
      },
    })
    const reason = {
      name: 'RemoteRpcError',
      code: -32000,
      message: 'Cannot wrap a "object" as a json-rpc type',
    }
    await expect(remote.ask(refused)).rejects.toMatchObject(reason)
    expect(asked).toEqual([refused.method, refused.method, 'eth_chainId'])
    await expect(remote.ask(refused)).rejects.toMatchObject(reason)
    expect(asked).toHaveLength(4)
  },
)

it('takes an error without a code for an outage if nothing is answered, or the request is the next time', async () => {
  const message = 'the forked node did not answer eth_getBalance: the provider: the request failed'
  await expect(passing(connect({ request: plainError }).ask(byHash))).rejects.toThrow(message)
  let attempts = 0
  const remote = connect({ request: () => (attempts++ === 0 ? plainError() : Promise.resolve('0x7')) })
  expect(await passing(remote.ask(byHash))).toBe('0x7')
})

it('forks a node that takes no hash and says so without a code, and has `0x` in empty slots', async () => {
  const remote = await startChain()
  await transferFrom(remote)
  const node = between(remote.standard, async (asked) => {
    const { method, params } = asked
    if (method === 'eth_config' || params.some((param) => typeof param === 'object')) return plainError()
    if (method !== 'eth_getStorageAt') return undefined
    const word = await remote.standard.request(asked as never)
    return BigInt(word as string) === 0n ? '0x' : word
  })
  const fork = await forkOf(node)
  const [from] = fork.accounts
  const to = `0x${'77'.repeat(20)}` as const
  await fork.setBalance(from.address, 10n ** 18n)
  await ask(fork.standard, 'eth_sendTransaction', [{ from: from.address, to, value: '0x1' }])
  await fork.seal()
  expect(await ask(fork.standard, 'eth_getBalance', [to, 'latest'])).toBe('0x2')
  expect(await ask(fork.standard, 'eth_getStorageAt', [to, '0x5', 'latest'])).toBe(`0x${'0'.repeat(64)}`)
})
