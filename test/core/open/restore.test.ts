/** What a chain with a database restores beside its blocks. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DatabaseCorruptError, DatabaseInUseError } from '../../../src/core/ledger/errors.ts'
import {
  type ChainOptions,
  createManualClock,
  GenesisMismatchError,
  type Hash,
  InvalidOptionError,
} from '../../../src/index.ts'
import { provenBlob, signBare, wrap } from '../../blobs.ts'
import { CONFIGURATIONS, type Configuration, runsOf } from '../../configurations.ts'
import { startChain, type TestChain } from '../../harness.ts'
import {
  CONTRACT,
  type Operation,
  operations,
  orRevert,
  perform,
  preconfirmed,
  STRANGER,
} from '../../operations.ts'
import { ask } from '../../rpc/scene.ts'
import { copyOf, memoryLevel, type TestLevel, withFailingWrites } from '../ledger/failingDatabase.ts'
import { send, sign } from '../sequencer/support.ts'

/** Starts a chain on a database, at the time of another one. */
function start(level: TestLevel, options: ChainOptions = {}, like?: TestChain): Promise<TestChain> {
  const clock = createManualClock(like?.clock.now() ?? 1_700_000_000_000)
  return startChain({ clock, ...options, database: level as never }, {}, { skipHeaderValidation: true })
}

/** Starts a chain on a copy of a database, as after a kill, or on the database itself once its chain is closed. */
async function restart(chain: TestChain, level: TestLevel, options: ChainOptions = {}, closes = false) {
  if (closes) await chain.close()
  const resumed = await start(closes ? level : await copyOf(level), options, chain)
  const events: unknown[] = []
  resumed.on('preconf', ({ block }) =>
    events.push({ preconf: block.transactions.map((tx) => (tx as { hash: Hash }).hash) }),
  )
  resumed.on('dropped', (dropped) => events.push({ dropped }))
  await resumed.clock.yield()
  await resumed.clock.yield()
  return { resumed, events }
}

/** What a restart restores, as far as requests can read it. */
async function observe(chain: TestChain): Promise<Record<string, unknown>> {
  const read = (method: string, ...params: unknown[]) => ask(chain.standard, method, params)
  const next = (await read('eth_getBlockByNumber', 'pending', false)) as Record<string, unknown>
  const { timestamp, baseFeePerGas, miner, gasLimit, mixHash, number } = next
  const isRunning = (await read('anvil_getIntervalMining')) !== null
  return {
    content: await read('txpool_content'),
    preconfirmed: await preconfirmed(chain),
    accounts: await read('eth_accounts'),
    chainId: await read('eth_chainId'),
    automine: await read('anvil_getAutomine'),
    interval: await read('anvil_getIntervalMining'),
    next: { baseFeePerGas, miner, gasLimit, mixHash, number, timestamp: isRunning ? undefined : timestamp },
  }
}

const modes: readonly fc.Arbitrary<Operation>[] = [
  fc.boolean().map((on) => ({ kind: 'ask', method: 'evm_setAutomine', params: [on] })),
  fc.constantFrom(0, 500, 3000).map((ms) => ({ kind: 'ask', method: 'evm_setIntervalMining', params: [ms] })),
]
const steps = operations((operation) =>
  fc.array(
    fc.oneof({ weight: 12, arbitrary: orRevert(operation) }, { weight: 1, arbitrary: fc.oneof(...modes) }),
    { minLength: 1, maxLength: 12 },
  ),
)

async function checkRestart(
  { options }: Configuration,
  steps: readonly Operation[],
  closes: boolean,
): Promise<void> {
  const level = memoryLevel()
  const chain = await start(level, options)
  for (const step of steps) await perform(chain, step, options)
  const before = await observe(chain)
  const { resumed, events } = await restart(chain, level, options, closes)
  expect(await observe(resumed)).toEqual(before)
  const included = before['preconfirmed'] as readonly Hash[]
  expect(events).toEqual(included.length > 0 ? [{ preconf: included }] : [])
  // It can be resumed as often as one likes.
  const { resumed: again } = await restart(resumed, level, options, closes)
  if (closes) expect(await observe(again)).toEqual(before)
  await Promise.all([chain.finish(), resumed.finish(), again.finish()])
}

describe('a chain that is resumed', () => {
  it.each(CONFIGURATIONS)('has what it had: $name', async (configuration) => {
    const property = fc.asyncProperty(steps, fc.boolean(), (steps, closes) =>
      checkRestart(configuration, steps, closes),
    )
    await fc.assert(property, runsOf(configuration))
  })

  it('includes again what was pre-confirmed, first and in its order', async () => {
    const level = memoryLevel()
    const chain = await start(level, { blobs: true })
    await ask(chain.standard, 'anvil_impersonateAccount', [STRANGER])
    await ask(chain.standard, 'anvil_setBalance', [STRANGER, '0xde0b6b3a7640000'])
    const blobs = [provenBlob()]
    const bare = await signBare(chain.accounts[3]!.privateKey, blobs)
    const included: unknown[] = [await send(chain, { nonce: 0, tip: 1n })]
    await chain.tick()
    included.push(await ask(chain.preconf, 'eth_sendTransaction', [{ from: STRANGER, to: CONTRACT }]))
    await chain.tick()
    included.push(await ask(chain.preconf, 'eth_sendRawTransaction', [wrap(bare, blobs)]))
    await chain.tick()
    const [from, next] = [chain.accounts[1]!.address, chain.accounts[2]!.address]
    included.push(...(await sendBundle(chain, from)))
    await chain.tick()
    const waiting = await sendBundle(chain, next)
    waiting.push(await send(chain, { from: 4, nonce: 0, tip: 10n ** 10n }))
    const unsigned = await ask(chain.preconf, 'eth_sendTransaction', [
      { from: STRANGER, to: CONTRACT, gas: '0x186a0', nonce: '0x5' },
    ])

    const { resumed, events } = await restart(chain, level, { blobs: true })
    expect(await preconfirmed(resumed)).toEqual(included)
    expect(events).toEqual([{ preconf: included }])
    const found = await Promise.all(
      [...waiting, unsigned].map((hash) => ask(resumed.preconf, 'chain_transactionStatus', [hash])),
    )
    expect(found.map((status) => (status as { stage: string }).stage)).toEqual([
      'pending',
      'pending',
      'pending',
      'queued',
    ])
    await resumed.tick()
    expect(await preconfirmed(resumed)).toEqual([...included, waiting[2], waiting[0], waiting[1]])
    const { receipts } = await resumed.seal()
    expect(new Set(receipts.map(({ status }) => status))).toEqual(new Set(['0x1']))
  })

  it('keeps a bundle together', async () => {
    const level = memoryLevel()
    const chain = await start(level)
    const hashes = await sendBundle(chain, chain.accounts[1]!.address)
    const { resumed } = await restart(chain, level)
    // Its second transaction is dropped with the first.
    expect(await ask(resumed.standard, 'anvil_dropTransaction', [hashes[0]])).toBe(true)
    expect(await ask(resumed.standard, 'txpool_status', [])).toEqual({ pending: '0x0', queued: '0x0' })
  })

  it('keeps the order of arrival, also for what is sent later and over several restarts', async () => {
    const level = memoryLevel()
    const options = { mempool: { ordering: 'fifo' } } as const
    const sent: Hash[] = []
    let chain = await start(level, options)
    for (const from of [3, 1, 2, 0]) {
      sent.push(await send(chain, { from, nonce: 0, tip: BigInt(1 + from) }))
      await chain.finish()
      chain = await start(level, options, chain)
    }
    await chain.tick()
    expect(await preconfirmed(chain)).toEqual(sent)
  })

  it('drops what can no longer be included', async () => {
    const level = memoryLevel()
    const chain = await start(level, { hardfork: 'prague' })
    const kept = await send(chain, { from: 1, nonce: 0, tip: 2n })
    const hash = await send(chain, { nonce: 0, gas: 29_975_000n })
    await chain.tick()
    const { resumed, events } = await restart(chain, level, { hardfork: 'osaka' })
    const message =
      'transaction gas limit too high (cap: 16777216, tx: 29975000); the option transactionGasCap: false lifts the cap'
    expect(events).toEqual([{ dropped: { hash, reason: 'invalid', message } }, { preconf: [kept] }])
    expect(await preconfirmed(resumed)).toEqual([kept])
    expect(await ask(resumed.standard, 'txpool_status', [])).toEqual({ pending: '0x0', queued: '0x0' })
  })

  it('has the minimum gas price, and lets every account send if that was on', async () => {
    const level = memoryLevel()
    const chain = await start(level)
    await ask(chain.standard, 'anvil_setMinGasPrice', ['0x2540be400'])
    await ask(chain.standard, 'anvil_autoImpersonateAccount', [true])
    const { resumed } = await restart(chain, level)
    const low = await sign(resumed, { nonce: 0, cap: 10n ** 9n })
    expect(await ask(resumed.standard, 'eth_sendRawTransaction', [low])).toMatch('underpriced')
    await ask(resumed.standard, 'anvil_setBalance', [STRANGER, '0xde0b6b3a7640000'])
    expect(
      await ask(resumed.standard, 'eth_sendTransaction', [
        { from: STRANGER, to: CONTRACT, gasPrice: '0x2540be400' },
      ]),
    ).toMatch(/^0x/)
  })

  it('lets every account send as the last request, or the last start with another option, has set it', async () => {
    const level = memoryLevel()
    let chain = await start(level, { autoImpersonate: true })
    const attempt = async () => {
      await ask(chain.standard, 'anvil_setBalance', [CONTRACT, '0xde0b6b3a7640000'])
      return ask(chain.standard, 'eth_sendTransaction', [{ from: CONTRACT, to: CONTRACT, gas: '0x186a0' }])
    }
    const attemptAgain = async (options: ChainOptions = {}) => {
      chain = (await restart(chain, level, options, true)).resumed
      return attempt()
    }
    const refused = `error 4100 unknown account ${CONTRACT}`
    expect(await attempt()).toMatch(/^0x/)
    await ask(chain.standard, 'anvil_impersonateAccount', [STRANGER])
    expect(await attemptAgain()).toMatch(/^0x/)
    await ask(chain.standard, 'anvil_autoImpersonateAccount', [false])
    expect(await attemptAgain()).toBe(refused)
    expect(await attemptAgain({ autoImpersonate: true })).toBe(refused)
    expect(await attemptAgain({ autoImpersonate: false })).toBe(refused)
    expect(await attemptAgain({ autoImpersonate: true })).toMatch(/^0x/)
    expect(await attemptAgain()).toMatch(/^0x/)
    expect(await ask(chain.standard, 'eth_accounts', [])).toContain(STRANGER)
  })

  it('makes blocks by the clock as requests have set it, and without such a request as its options say', async () => {
    const level = memoryLevel()
    const chain = await start(level, { mining: 'interval' })
    await ask(chain.standard, 'evm_setIntervalMining', [3000])
    expect((await restart(chain, level, { mining: 'interval' })).resumed.blockTime).toBe(3000)
    await ask(chain.standard, 'evm_setIntervalMining', [0])
    const stopped = (await restart(chain, level, { mining: 'interval' })).resumed
    await stopped.clock.advance(10_000)
    expect(await ask(stopped.standard, 'eth_blockNumber', [])).toBe('0x0')
    const fresh = memoryLevel()
    const other = await start(fresh)
    await other.seal()
    const running = (await restart(other, fresh, { mining: 'interval', blockTime: 1000 })).resumed
    await running.clock.advance(1000)
    expect(await ask(running.standard, 'eth_blockNumber', [])).toBe('0x2')
  })

  it('makes blocks as the last request, or the last start with another option, has set it', async () => {
    const level = memoryLevel()
    let chain = await start(level, { mining: 'interval', blockTime: 3000 })
    const modes = async (options: ChainOptions = {}) => {
      chain = (await restart(chain, level, { mining: undefined, ...options }, true)).resumed
      return [await ask(chain.standard, 'anvil_getAutomine', []), chain.blockTime, chain.preconfInterval]
    }
    const isRunning = async () => (await ask(chain.standard, 'anvil_getIntervalMining', [])) !== null
    expect(await modes()).toEqual([false, 3000, 200])
    expect(await isRunning()).toBe(true)
    await ask(chain.standard, 'evm_setAutomine', [true])
    expect(await modes()).toEqual([true, 3000, 200])
    expect(await modes({ mining: 'interval', blockTime: 3000 })).toEqual([true, 3000, 200])
    expect(await modes({ mining: 'interval', blockTime: 100 })).toEqual([false, 100, 100])
    expect(await modes({ mining: 'manual' })).toEqual([false, 100, 100])
    expect(await isRunning()).toBe(false)
    expect(await modes()).toEqual([false, 100, 100])
    expect(await modes({ mining: 'auto' })).toEqual([true, 100, 100])
    expect(await modes()).toEqual([true, 100, 100])
    expect(await isRunning()).toBe(false)
  })

  it('writes nothing if it changes nothing', async () => {
    const level = memoryLevel()
    let chain = await start(level)
    for (const [method, param] of [
      ['anvil_setCoinbase', STRANGER],
      ['evm_increaseTime', '0x5'],
      ['anvil_impersonateAccount', STRANGER],
    ] as const) {
      await ask(chain.standard, method, [param])
    }
    await chain.finish()
    const writes: unknown[] = []
    const batch = level.batch.bind(level) as (...args: unknown[]) => unknown
    Object.assign(level, {
      batch: (...args: unknown[]) => {
        writes.push(args[0])
        return batch(...args)
      },
    })
    chain = await start(level)
    await chain.finish()
    expect(writes).toEqual([])
  })

  it('has a setting of a request in the place of an option that is not kept', async () => {
    const level = memoryLevel()
    const chain = await start(level, { coinbase: STRANGER })
    const minerOf = async (options: ChainOptions = {}) =>
      (await (await restart(chain, level, options)).resumed.seal()).block.miner
    expect(await minerOf()).toBe(`0x${'00'.repeat(20)}`)
    await ask(chain.standard, 'anvil_setCoinbase', [CONTRACT])
    expect([await minerOf(), await minerOf({ coinbase: STRANGER })]).toEqual([CONTRACT, CONTRACT])
  })

  it('is refused with another chain id than it began with, even without a block', async () => {
    const level = memoryLevel()
    await (await start(level, { chainId: 7 })).finish()
    const refused =
      'invalid option chainId: expected 7, the chain id with which the chain of the database began'
    await expect(start(level, { chainId: 8 })).rejects.toThrow(
      new InvalidOptionError('chainId', refused.slice(33)),
    )
    await expect(start(level)).rejects.toThrow(refused)
    expect((await start(level, { chainId: 7 })).chainId).toBe(7)
  })

  it.each([
    ['preseal:value:settings', () => 'the value settings'],
    ['preseal:preconfirmed', () => 'the pre-confirmed transactions'],
    ['preseal:pool:', (key: string) => `the entry ${key}`],
  ] as const)('is refused if an entry was changed: %s', async (prefix, nameOf) => {
    const level = memoryLevel()
    const chain = await start(level)
    await ask(chain.standard, 'evm_increaseTime', [10])
    await send(chain, { nonce: 0 })
    await chain.tick()
    await chain.finish()
    const [entry] = await level
      .iterator<string, Uint8Array>({ gte: prefix, keyEncoding: 'utf8', valueEncoding: 'view' } as never)
      .all()
    const [key, value] = entry as unknown as [string, Uint8Array]
    for (const changed of [value.with(-1, value.at(-1)! ^ 1), value.subarray(0, 2)]) {
      await level.put(key as never, changed, { keyEncoding: 'utf8', valueEncoding: 'view' })
      await expect(start(level)).rejects.toThrow(new DatabaseCorruptError(nameOf(key)))
    }
  })
})

describe('a database', () => {
  it('is refused while another chain has it, and not afterwards', async () => {
    const level = memoryLevel()
    const chain = await start(level)
    const refusal = new DatabaseInUseError(undefined)
    expect(refusal.message).toBe('the database is in use: expected one that no other chain has open')
    await expect(start(level)).rejects.toThrow(refusal)
    await chain.finish()
    // Nor after a chain that could not be opened.
    await expect(start(level, { accounts: { count: 1 } })).rejects.toBeInstanceOf(GenesisMismatchError)
    expect((await start(level)).chainId).toBe(31_337)
  })

  it.each([
    ['process', [false, false, false]],
    ['disk', [false, false, true]],
  ] as const)('waits for the disk at seals only if durability says so: %s', async (durability, expected) => {
    const level = memoryLevel()
    const syncs: boolean[] = []
    const watched = new Proxy(level, {
      get(target, name) {
        if (name !== 'batch') {
          const value = Reflect.get(target, name)
          return typeof value === 'function' ? value.bind(target) : value
        }
        return (operations: never[], batchOptions: { readonly sync?: boolean }) => {
          syncs.push(batchOptions.sync === true)
          return target.batch(operations, batchOptions as never)
        }
      },
    })
    const chain = await start(watched, { durability })
    syncs.length = 0
    await send(chain, { nonce: 0 })
    await chain.tick()
    await chain.seal()
    expect(syncs).toEqual(expected)
  })

  it('gets transactions that are sent together in few batches', async () => {
    const level = memoryLevel()
    let writes = 0
    const chain = await start(
      withFailingWrites(level, (write) => {
        writes = write
        return false
      }),
    )
    const raws = await Promise.all(Array.from({ length: 60 }, (_, nonce) => sign(chain, { nonce })))
    const before = writes
    await Promise.all(
      raws.map((raw) => chain.standard.request({ method: 'eth_sendRawTransaction', params: [raw] })),
    )
    expect(writes - before).toBeLessThan(60)
    const { resumed } = await restart(chain, level)
    expect(await ask(resumed.standard, 'txpool_status', [])).toEqual({ pending: '0x3c', queued: '0x0' })
  })

  it('has the rest of what was sent together as some of it leaves, and nothing once all of it is sealed', async () => {
    const level = memoryLevel()
    const chain = await start(level)
    const raws = await Promise.all(Array.from({ length: 10 }, (_, nonce) => sign(chain, { nonce })))
    const hashes = await Promise.all(
      raws.map((raw) => chain.standard.request({ method: 'eth_sendRawTransaction', params: [raw] })),
    )
    const keys = async (): Promise<unknown[]> =>
      level.keys({ gte: 'preseal:pool', lt: 'preseal:pooz', keyEncoding: 'utf8' } as never).all()
    expect(await keys()).toContain('preseal:pool:0')
    expect(await ask(chain.standard, 'hardhat_dropTransaction', [hashes[9]])).toBe(true)
    const { resumed } = await restart(chain, level)
    expect(await waitingHashes(resumed)).toEqual(hashes.slice(0, 9))
    await resumed.finish()

    const damaged = await copyOf(level)
    await damaged.put('preseal:pool:0' as never, new Uint8Array(40), {
      keyEncoding: 'utf8',
      valueEncoding: 'view',
    } as never)
    await expect(start(damaged)).rejects.toThrow(new DatabaseCorruptError('the entry preseal:pool:0'))

    await chain.tick()
    await chain.seal()
    expect(await keys()).toEqual([])
  })
})

/** Sends two calls as a bundle. */
async function sendBundle(chain: TestChain, from: string): Promise<unknown[]> {
  const known = new Set(await waitingHashes(chain))
  const calls = [{ to: CONTRACT }, { to: STRANGER, value: '0x1' }]
  const request = { version: '2.0.0', from, chainId: '0x7a69', atomicRequired: true, calls }
  expect(await ask(chain.preconf, 'wallet_sendCalls', [request])).toHaveProperty('id')
  return (await waitingHashes(chain)).filter((hash) => !known.has(hash))
}

async function waitingHashes(chain: TestChain): Promise<Hash[]> {
  const { pending } = await chain.standard.request({ method: 'txpool_content' })
  return Object.values(pending).flatMap((byNonce) => Object.values(byNonce).map(({ hash }) => hash))
}
