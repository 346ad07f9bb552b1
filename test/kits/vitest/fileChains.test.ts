import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { NonceGapsError } from '../../../src/core/open/errors.ts'
import { createManualClock, type ManualClock, type PresealChain, systemClock } from '../../../src/index.ts'
import { FileChains } from '../../../src/kits/vitest/createChainTest.ts'
import { createPreconfirm, type TestChainOptions } from '../../../src/kits/vitest/fixtures.ts'
import type { Recipe } from '../../../src/kits/vitest/preparedChain.ts'
import { dump } from '../../core/sequencer/support.ts'

const OPTIONS = {}
const ENDED = { code: 4900, message: 'disconnected' }

/** The chains of a file, and those with a deployment, which pre-confirms a payment of 1 wei. */
function openFile(recipe: Partial<Recipe> = {}) {
  const deployed: PresealChain[] = []
  const chains = new FileChains({
    createClock: createManualClock,
    async deploy({ chain }) {
      deployed.push(chain)
      await pay(chain, 1)
      await chain.tick()
    },
    ...recipe,
  })
  onTestFinished(() => chains.close())
  return { chains, deployed }
}

const ask = (chain: PresealChain, method: string, params: readonly unknown[] = []) =>
  chain.preconf.request({ method, params })

const pay = (chain: PresealChain, value: number) => {
  const [from, to] = chain.accounts.map(({ address }) => address)
  return ask(chain, 'eth_sendTransaction', [{ from, to, value: `0x${value.toString(16)}` }])
}

const payAt = (chain: PresealChain, nonce: number, index = 0) =>
  ask(chain, 'eth_sendTransaction', [
    {
      from: chain.accounts[index]!.address,
      to: chain.accounts[2]!.address,
      value: '0x1',
      nonce: `0x${nonce.toString(16)}`,
    },
  ])

const advance = (chain: PresealChain, ms: number) => (chain.clock as ManualClock).advance(ms)

/** Everything that a test can observe of its chain, including a block that it seals. */
async function observe(chain: PresealChain): Promise<unknown> {
  const before = await dump(chain)
  const now = chain.clock.now()
  const events: unknown[] = []
  chain.on('preconf', (event) => void events.push(event)).on('block', (event) => void events.push(event))
  await pay(chain, 7)
  await advance(chain, 2000)
  const offset = await ask(chain, 'evm_increaseTime', [100])
  return { now, before, events, offset, sealed: await chain.seal(), after: await dump(chain) }
}

/** Operations of tests on their chains. */
const STEPS: Readonly<Record<string, (chain: PresealChain) => unknown>> = {
  'lets half a second pass': (chain) => advance(chain, 500),
  'lets a slot pass, and a bit': (chain) => advance(chain, 2001),
  pays: (chain) => pay(chain, 2),
  ticks: (chain) => chain.tick(),
  seals: (chain) => chain.seal(),
  'takes a snapshot': (chain) => chain.snapshot(),
  'begins a slot': (chain) => {
    chain.stop()
    chain.start()
  },
  subscribes: (chain) => ask(chain, 'eth_subscribe', ['newHeads']),
  'sets a timer': (chain) => chain.clock.setTimeout(() => chain.seal().then(() => {}), 300),
  reorganises: (chain) => chain.reorg({ depth: 1 }),
  retracts: (chain) => chain.retract({ preconfBlocks: 1 }),
  'moves time on': (chain) => ask(chain, 'evm_increaseTime', [3600]),
  'spaces timestamps': (chain) => ask(chain, 'anvil_setBlockTimestampInterval', [9]),
  'sets the base fee': (chain) => ask(chain, 'anvil_setNextBlockBaseFeePerGas', ['0x5']),
  'sets a balance': (chain) => ask(chain, 'anvil_setBalance', [chain.accounts[0]!.address, '0x5']),
  'goes wrong': (chain) => chain.faults.set({ dropEvery: 1, zeroHash: true, tickDelay: 50 }),
  impersonates: (chain) => ask(chain, 'anvil_autoImpersonateAccount', [true]),
  'drops what waits': (chain) => ask(chain, 'anvil_dropAllTransactions'),
  'revokes permissions': (chain) => ask(chain, 'wallet_revokePermissions', [{ eth_accounts: {} }]),
}

describe('a chain that is rolled back', () => {
  it('is the same for the next test as for the first, after random operations', async () => {
    const { chains, deployed } = openFile()
    const first = await chains.take(OPTIONS)
    const expected = await observe(first.chain)
    await first.end()
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...Object.keys(STEPS)), { maxLength: 8 }), async (steps) => {
        const used = await chains.take(OPTIONS)
        // Some are refused after others, such as a payment without funds.
        for (const step of steps) await Promise.resolve(STEPS[step]!(used.chain)).catch(() => {})
        await used.end()
        const next = await chains.take(OPTIONS)
        expect(await observe(next.chain)).toEqual(expected)
        await next.end()
      }),
      { numRuns: 25 },
    )
    expect(deployed).toHaveLength(1)
  })

  it('does not notify listeners of the test', async () => {
    const { chains } = openFile()
    const { chain, end } = await chains.take(OPTIONS)
    const seen: unknown[] = []
    const provider = chain.provider('standard')
    provider.on('message', (message) => seen.push(message)).on('disconnect', ({ code }) => seen.push(code))
    await provider.request({ method: 'eth_subscribe', params: ['newHeads'] })
    await chain.seal()
    expect(seen).toHaveLength(1)
    chain.on('retracted', (event) => void seen.push(event)).once('block', (event) => void seen.push(event))
    await end()
    expect(seen.slice(1)).toEqual([4900])
  })

  it('keeps the connections of its deployment', async () => {
    const { chains } = openFile({
      deploy:
        ({ standard }) =>
        () =>
          standard.request({ method: 'eth_blockNumber' }),
    })
    for (const number of ['0x1', '0x1']) {
      const { chain, deployed, end } = await chains.take(OPTIONS)
      await chain.seal()
      expect(await (deployed as () => Promise<string>)()).toBe(number)
      await end()
    }
  })

  it('resets its time, also with a clock that cannot be reset', async () => {
    const { chains, deployed } = openFile({ createClock: () => systemClock })
    const timestamps: bigint[] = []
    for (const seconds of [100_000, 0]) {
      const { chain, clock, end } = await chains.take(OPTIONS)
      expect(clock).toBe(systemClock)
      await ask(chain, 'evm_increaseTime', [seconds])
      timestamps.push(BigInt((await chain.seal()).block.timestamp))
      await end()
    }
    expect(timestamps[0]! - timestamps[1]!).toBeGreaterThan(90_000n)
    expect(deployed).toHaveLength(1)
  })
})

describe('a chain that cannot be rolled back', () => {
  it.each<[string, (chain: PresealChain) => unknown]>([
    ['is closed', (chain) => chain.close()],
    ['was reset', (chain) => ask(chain, 'anvil_reset')],
    ['was reverted to an earlier snapshot', (chain) => ask(chain, 'evm_revert', ['0x1'])],
    ['was stopped', (chain) => chain.stop()],
    ['seals at each send', (chain) => ask(chain, 'evm_setAutomine', [true])],
    ['has another block time', (chain) => ask(chain, 'anvil_setIntervalMining', [5])],
    ['has sealed more blocks than its history', (chain) => ask(chain, 'anvil_mine', ['0x9'])],
    [
      'is still being advanced',
      (chain) => {
        chain.clock.setTimeout(() => new Promise(() => {}), 1)
        void advance(chain, 1)
      },
    ],
  ])('is replaced by a new one: it %s', async (_, leave) => {
    const options = { history: { blocks: 4 } }
    const { chains, deployed } = openFile()
    const first = await chains.take(options)
    await leave(first.chain)
    await first.end()
    await expect(deployed[0]!.tick()).rejects.toMatchObject(ENDED)
    const second = await chains.take(options)
    expect(await second.chain.standard.request({ method: 'eth_blockNumber' })).toBe('0x0')
    await second.end()
    expect(deployed).toHaveLength(2)
  })
})

/** The error of each call, or 'done'. */
async function refusals(calls: Readonly<Record<string, () => unknown>>): Promise<Record<string, unknown>> {
  const outcomes: Record<string, unknown> = {}
  for (const [name, call] of Object.entries(calls)) {
    outcomes[name] = await Promise.resolve()
      .then(call)
      .then(
        () => 'done',
        ({ code, message }) => ({ code, message }),
      )
  }
  return outcomes
}

describe('a test that is over', () => {
  /** Everything that a test can do to its chain. */
  const everything = (chain: PresealChain): Readonly<Record<string, () => unknown>> => ({
    provider: () => chain.provider('preconf').request({ method: 'eth_blockNumber' }),
    standard: () => chain.standard.request({ method: 'eth_blockNumber' }),
    preconf: () => chain.preconf.request({ method: 'eth_blockNumber' }),
    live: () => chain.live.request({ method: 'eth_blockNumber' }),
    start: () => chain.start(),
    stop: () => chain.stop(),
    tick: () => chain.tick(),
    seal: () => chain.seal(),
    importBlocks: () => chain.importBlocks(new Uint8Array()),
    snapshot: () => chain.snapshot(),
    revert: () => chain.revert('0x1'),
    reorg: () => chain.reorg({ depth: 1 }),
    retract: () => chain.retract({ preconfBlocks: 1 }),
    reopenDatabase: () => chain.reopenDatabase(),
    mine: () => chain.mine(),
    increaseTime: () => chain.increaseTime(1),
    setBalance: () => chain.setBalance(chain.accounts[3]!.address, 5n),
    setCode: () => chain.setCode(chain.accounts[3]!.address, '0x00'),
    setStorageAt: () => chain.setStorageAt(chain.accounts[3]!.address, 0n, 1n),
    impersonateAccount: () => chain.impersonateAccount(`0x${'ab'.repeat(20)}`),
    stopImpersonatingAccount: () => chain.stopImpersonatingAccount(`0x${'ab'.repeat(20)}`),
    deal: () => chain.deal(`0x${'ab'.repeat(20)}`, chain.accounts[3]!.address, 1n),
    setFaults: () => chain.faults.set({ dropEvery: 1 }),
    clearFaults: () => chain.faults.clear(),
    on: () => chain.on('block', () => {}),
    once: () => chain.once('block', () => {}),
    advance: () => (chain as PresealChain<ManualClock>).advance(2000),
    clock: () => (chain.clock as ManualClock).advance(2000),
    setTimeout: () => chain.clock.setTimeout(() => {}, 1),
  })

  it('can no longer use its chain, which is rolled back or closed', async () => {
    for (const deploy of [() => {}, undefined]) {
      const { chains } = openFile({ deploy })
      const over = await chains.take(OPTIONS)
      const unopened = await chains.take(OPTIONS)
      void over.chain.standard
      void over.chain.preconf
      await over.end()
      await unopened.end()
      for (const { chain } of [over, unopened]) {
        const calls = everything(chain)
        expect(await refusals(calls)).toEqual(
          Object.fromEntries(Object.keys(calls).map((name) => [name, ENDED])),
        )
        // These still work, as on a closed chain.
        await chain.close()
        chain.off('block', () => {})
        expect(chain.accounts).toHaveLength(10)
        expect(chain.faults.current).toEqual({})
        expect([chain.chainId, chain.blockTime, chain.preconfInterval]).toEqual([31_337, 2000, 200])
      }
    }
  })

  it('has no effect on the next test, which has the same chain', async () => {
    const { chains, deployed } = openFile()
    const first = await chains.take(OPTIONS)
    const expected = await observe(first.chain)
    await first.end()
    const over = await chains.take(OPTIONS)
    const { clock } = over
    await over.end()
    const next = await chains.take(OPTIONS)
    await refusals({ ...everything(over.chain), close: () => over.chain.close() })
    await refusals({ fixture: () => (clock as ManualClock).advance(100) })
    expect(await observe(next.chain)).toEqual(expected)
    await next.end()
    expect(deployed).toHaveLength(1)
  })

  it.each<[string, (chain: PresealChain) => unknown]>([
    ['a request', (chain) => ask(chain, 'anvil_setBalance', [chain.accounts[3]!.address, '0x5'])],
    ['a call', (chain) => chain.seal()],
    ['an advance of the chain', (chain) => (chain as PresealChain<ManualClock>).advance(2000)],
    ['an advance of the clock', (chain) => advance(chain, 2000)],
  ])('does not share its chain while %s is in progress', async (_, call) => {
    const { chains, deployed } = openFile()
    const over = await chains.take(OPTIONS)
    const late = refusals({ late: () => call(over.chain) })
    await Promise.resolve()
    await over.end()
    await late
    await expect(deployed[0]!.tick()).rejects.toMatchObject(ENDED)
    const next = await chains.take(OPTIONS)
    expect(await ask(next.chain, 'eth_getBalance', [next.chain.accounts[3]!.address])).toBe(
      '0x21e19e0c9bab2400000',
    )
    await next.end()
    expect(deployed).toHaveLength(2)
  })

  it('does not share its chain while a request of its deployment is in progress', async () => {
    const { chains, deployed } = openFile({
      deploy({ chain, preconf }) {
        deployed.push(chain)
        return () =>
          preconf.request({ method: 'anvil_setBalance', params: [chain.accounts[3]!.address, '0x5'] })
      },
    })
    const over = await chains.take(OPTIONS)
    const late = refusals({ late: over.deployed as () => unknown })
    await Promise.resolve()
    await over.end()
    await late
    const next = await chains.take(OPTIONS)
    expect(await ask(next.chain, 'eth_getBalance', [next.chain.accounts[3]!.address])).toBe(
      '0x21e19e0c9bab2400000',
    )
    await next.end()
    expect(deployed).toHaveLength(2)
  })
})

describe('transactions that wait at the end of a test', () => {
  it.each<
    [string, (chain: PresealChain) => unknown, { failed: string | undefined; timedOut: string | undefined }]
  >([
    ['nothing', () => {}, { failed: undefined, timedOut: undefined }],
    [
      'a transaction for which no time has passed',
      (chain) => pay(chain, 1),
      {
        failed:
          '1 transaction was waiting for a tick when the test ended; the manual clock was advanced by 0 ms; preconfirm() or chain.tick() includes it',
        timedOut:
          '1 transaction was waiting for a tick when the test ended; the manual clock was advanced by 0 ms; preconfirm() or chain.tick() includes it',
      },
    ],
    [
      'transactions for which too little time has passed',
      async (chain) => {
        await advance(chain, 150)
        await Promise.all([pay(chain, 1), pay(chain, 2)])
      },
      {
        failed:
          '2 transactions were waiting for a tick when the test ended; the manual clock was advanced by 150 ms; preconfirm() or chain.tick() includes them',
        timedOut:
          '2 transactions were waiting for a tick when the test ended; the manual clock was advanced by 150 ms; preconfirm() or chain.tick() includes them',
      },
    ],
    [
      'one that is pre-confirmed',
      async (chain) => {
        await pay(chain, 1)
        await advance(chain, 200)
      },
      {
        failed: undefined,
        timedOut:
          '1 transaction was waiting for the seal when the test ended; the manual clock was advanced by 200 ms; chain.seal() seals it',
      },
    ],
    ['a chain that it closed', (chain) => chain.close(), { failed: undefined, timedOut: undefined }],
  ])('are reported: %s', async (_, leave, expected) => {
    const { chains } = openFile({ deploy: undefined })
    const { chain, findPending, end } = await chains.take(OPTIONS)
    await leave(chain)
    const [failed, timedOut] = [await findPending(false), await findPending(true)]
    expect({ failed: failed?.message, timedOut: timedOut?.message }).toEqual(expected)
    await end()
  })

  it('are reported by account and nonces if nonces before theirs are missing', async () => {
    const { chains } = openFile({ deploy: undefined })
    const { chain, findPending, end } = await chains.take(OPTIONS)
    await payAt(chain, 2)
    await pay(chain, 1)
    const account = chain.accounts[0]!.address
    const gap = `a nonce gap: ${account} has sent nonce 2, but its next nonce is 1`
    expect([(await findPending(false))?.message, (await findPending(true))?.message]).toEqual([gap, gap])
    await payAt(chain, 1)
    expect((await findPending(false))?.name).toBe('TransactionsWaitingError')
    await end()
  })

  it('are not those of the deployment', async () => {
    const { chains } = openFile({
      async deploy({ chain }) {
        await payAt(chain, 0)
        await chain.tick()
        await payAt(chain, 1)
        await payAt(chain, 3)
      },
    })
    for (const _ of [1, 2]) {
      const { chain, findPending, end } = await chains.take(OPTIONS)
      expect([await findPending(false), await findPending(true)]).toEqual([undefined, undefined])
      await payAt(chain, 5, 1)
      expect((await findPending(true))?.message).toBe(
        `a nonce gap: ${chain.accounts[1]!.address} has sent nonce 5, but its next nonce is 0`,
      )
      await end()
    }
  })

  it('are reported without the time under the system clock', async () => {
    const { chains } = openFile({ deploy: undefined, createClock: () => systemClock })
    const { chain, findPending, end } = await chains.take({ mining: 'manual' })
    await pay(chain, 1)
    expect((await findPending(false))?.message).toBe(
      '1 transaction was waiting for a tick when the test ended; preconfirm() or chain.tick() includes it',
    )
    await end()
  })
})

describe('preconfirm', () => {
  const sendSync = (chain: PresealChain, value: string) =>
    ask(chain, 'eth_sendTransactionSync', [
      { from: chain.accounts[0]!.address, to: chain.accounts[1]!.address, value },
    ])

  it.each<[string, TestChainOptions, number]>([
    ['interval', {}, 200],
    ['interval, with another preconfInterval', { preconfInterval: 70 }, 70],
    ['manual', { mining: 'manual' }, 0],
    ['auto', { mining: 'auto' }, 0],
  ])('resolves after the pre-confirmation of a send, in %s mining', async (_, options, elapsed) => {
    const { chains } = openFile({ deploy: undefined })
    const { chain, clock, preconfirm, end } = await chains.take(options)
    const start = clock.now()
    expect(await preconfirm(sendSync(chain, '0x1'))).toMatchObject({ status: '0x1', blockNumber: '0x1' })
    expect(clock.now() - start).toBe(elapsed)
    await end()
  })

  it('accepts consecutive sends, and promises that wait for nothing', async () => {
    const { chains } = openFile({ deploy: undefined })
    const { chain, clock, preconfirm, end } = await chains.take(OPTIONS)
    const start = clock.now()
    const both = async () => [await sendSync(chain, '0x1'), await sendSync(chain, '0x2')]
    expect(await preconfirm(both())).toMatchObject([{ transactionIndex: '0x0' }, { transactionIndex: '0x1' }])
    expect(clock.now() - start).toBe(400)
    const hash = await preconfirm(pay(chain, 3))
    expect(await ask(chain, 'eth_getTransactionReceipt', [hash])).toMatchObject({ transactionIndex: '0x2' })
    expect(clock.now() - start).toBe(600)
    expect(await preconfirm(Promise.resolve(5))).toBe(5)
    expect(clock.now() - start).toBe(600)
    await end()
  })

  it('accepts earlier sends, and advances no time for refused ones', async () => {
    const { chains } = openFile({ deploy: undefined })
    const { chain, clock, preconfirm, end } = await chains.take(OPTIONS)
    const start = clock.now()
    const refused = ask(chain, 'eth_sendRawTransactionSync', ['0x00'])
    await expect(preconfirm(refused)).rejects.toMatchObject({ code: -32000 })
    expect(clock.now() - start).toBe(0)
    const hash = await pay(chain, 1)
    const receipt = async () => {
      while ((await ask(chain, 'eth_getTransactionReceipt', [hash])) === null) await systemClock.yield()
    }
    await preconfirm(receipt())
    expect(clock.now() - start).toBe(200)
    await end()
  })

  it('rejects if nothing waits but a transaction behind a nonce gap, which a later one may fill', async () => {
    const { chains } = openFile({ deploy: undefined })
    const { chain, end } = await chains.take(OPTIONS)
    const preconfirm = createPreconfirm(chain, { patience: 10 })
    const account = chain.accounts[0]!.address
    const sending = payAt(chain, 1).then(
      (hash) =>
        new Promise((resolve) => {
          chain.on('preconf', async () => {
            const receipt = await ask(chain, 'eth_getTransactionReceipt', [hash])
            if (receipt !== null) resolve(receipt)
          })
        }),
    )
    const gap = { account, nonce: 1, nextNonce: 0 }
    await expect(preconfirm(sending)).rejects.toThrow(new NonceGapsError([gap]))
    expect(await preconfirm(payAt(chain, 0))).toMatch(/^0x/)
    expect(await sending).toMatchObject({ transactionIndex: '0x1' })
    await end()
  })

  it('is available in a deployment', async () => {
    const { chains } = openFile({
      deploy: ({ chain, preconfirm }) => preconfirm(sendSync(chain, '0x1')),
    })
    const { deployed, end } = await chains.take(OPTIONS)
    expect(deployed).toMatchObject({ status: '0x1' })
    await end()
  })
})

describe('the chains of a file', () => {
  it('are as many as are in use at the same time, and are closed with the file', async () => {
    const { chains, deployed } = openFile()
    const taken = await Promise.all([1, 2].map(() => chains.take(OPTIONS)))
    for (const one of taken) await one.end()
    const again = await Promise.all([1, 2].map(() => chains.take(OPTIONS)))
    for (const one of again) await one.end()
    expect(deployed).toHaveLength(2)
    await chains.close()
    for (const chain of deployed) await expect(chain.tick()).rejects.toMatchObject(ENDED)
  })

  it('are new for each test without a deployment', async () => {
    const { chains } = openFile({ deploy: undefined })
    const first = await chains.take(OPTIONS)
    await first.end()
    await expect(first.chain.tick()).rejects.toMatchObject(ENDED)
    const second = await chains.take(OPTIONS)
    await second.chain.tick()
    await second.end()
  })

  it('are closed after a deployment that fails', async () => {
    const opened: PresealChain[] = []
    const { chains } = openFile({
      deploy({ chain }) {
        opened.push(chain)
        throw new Error('out of luck')
      },
    })
    await expect(chains.take(OPTIONS)).rejects.toThrow('out of luck')
    await expect(opened[0]!.tick()).rejects.toMatchObject(ENDED)
  })

  it.each([
    [{ clock: createManualClock() }, 'chainOptions.clock: expected no value: createClock'],
    [{ database: {} }, 'chainOptions.database: expected no value'],
    [{ chainId: -1 }, 'chainId'],
  ])('are not created with options such as %o', async (options, message) => {
    await expect(openFile().chains.take(options as TestChainOptions)).rejects.toThrow(
      `invalid option ${message}`,
    )
  })
})
