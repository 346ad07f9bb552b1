/** Chains that sleep while nobody uses them. */
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../../src/base/clock.ts'
import {
  type ChainOptions,
  createChain,
  createManualClock,
  type ManualClock,
  type PresealChain,
} from '../../../src/index.ts'
import { runs } from '../../full.ts'
import { startChain, type TestChain } from '../../harness.ts'
import { ask } from '../../rpc/scene.ts'
import { memoryLevel, withFailingWrites } from '../ledger/failingDatabase.ts'
import { hashesOf, LOGGING, send, sign } from './support.ts'

const START = 1_700_000_000_000

/** Starts a chain with 2 s slots that may sleep after 5 s, and records when it falls asleep and wakes up. */
async function startIdle(options: ChainOptions = {}) {
  const chain = await startChain({ mining: 'interval', idle: 'sleep', idleAfter: 5000, ...options })
  const log = record(chain)
  return { chain, log }
}

/** The events of a chain by name, with the milliseconds on its clock. */
function record(chain: TestChain): string[] {
  const log: string[] = []
  const note = (event: string) => log.push(`${event} ${chain.clock.now() - START}`)
  chain.on('sleep', () => note('sleep'))
  chain.on('wake', () => note('wake'))
  return log
}

const heightOf = async (chain: PresealChain) => Number(await ask(chain.standard, 'eth_blockNumber'))

async function timesOf(chain: PresealChain): Promise<number[]> {
  const times: number[] = []
  const height = await heightOf(chain)
  for (let number = 1; number <= height; number++) {
    const block = (await ask(chain.standard, 'eth_getBlockByNumber', [
      `0x${number.toString(16)}`,
      false,
    ])) as {
      timestamp: string
    }
    times.push(Number(block.timestamp) * 1000 - START)
  }
  return times
}

describe("idle: 'sleep'", () => {
  it('falls asleep after idleAfter without a request, and begins a slot at the next one', async () => {
    const { chain, log } = await startIdle()
    await chain.advance(60_000)
    expect(log).toEqual(['sleep 5000'])
    await chain.advance(300)
    expect(await heightOf(chain)).toBe(2)
    expect(log).toEqual(['sleep 5000', 'wake 60300'])
    await chain.advance(4000)
    // The time of a block is the end of its slot.
    expect(await timesOf(chain)).toEqual([2000, 4000, 62_000, 64_000])
  })

  it('shows the time of the new slot to the request that wakes it', async () => {
    const { chain } = await startIdle()
    await chain.advance(60_000)
    const pending = (await ask(chain.preconf, 'eth_getBlockByNumber', ['pending', false])) as {
      timestamp: string
    }
    expect(Number(pending.timestamp) * 1000).toBe(START + 62_000)
  })

  it('seals at the end of the slot what is pre-confirmed, and sleeps then', async () => {
    const { chain, log } = await startIdle({ idleAfter: 1000 })
    await chain.advance(500)
    const hash = await send(chain, { nonce: 0 })
    const blocks: unknown[] = []
    chain.on('block', (block) => blocks.push([hashesOf(block), chain.clock.now() - START]))
    await chain.advance(60_000)
    expect(blocks).toEqual([[[hash], 2000]])
    expect(log).toEqual(['sleep 2000'])
  })

  it('stays awake while requests come, a send waits for its receipt, or a snapshot is in memory', async () => {
    const { chain, log } = await startIdle({ blockTime: 20_000 })
    for (let i = 0; i < 4; i++) {
      await chain.advance(4000)
      await heightOf(chain)
    }
    expect(log).toEqual([])
    const sync = ask(chain.standard, 'eth_sendRawTransactionSync', [await sign(chain, { nonce: 0 }), 40_000])
    await chain.advance(8000)
    await sync
    const snapshot = await ask(chain.standard, 'evm_snapshot')
    await chain.advance(100_000)
    expect(log).toEqual([])
    await ask(chain.standard, 'evm_revert', [snapshot])
    await chain.advance(5000)
    expect(log.length).toBe(1)
  })

  it('sleeps although it has subscriptions', async () => {
    const { chain, log } = await startIdle()
    const heads: unknown[] = []
    chain.standard.on('message', ({ data }) => heads.push(data))
    await ask(chain.standard, 'eth_subscribe', ['newHeads'])
    await chain.advance(60_000)
    expect(log).toEqual(['sleep 5000'])
    expect(heads.length).toBe(2)
  })

  it.each(['manual', 'auto'] as const)('seals nothing in %s mining', async (mining) => {
    const { chain, log } = await startIdle({ mining: 'manual' })
    if (mining === 'auto') await ask(chain.standard, 'evm_setAutomine', [true])
    const held = mining === 'manual'
    const hash = await send(chain, { nonce: 0 })
    if (held) await chain.tick()
    const height = await heightOf(chain)
    await chain.advance(60_000)
    expect(log).toEqual(['sleep 5000'])
    expect(await heightOf(chain)).toBe(height)
    expect(log).toEqual(['sleep 5000', 'wake 60000'])
    const sealed = held ? await chain.seal() : undefined
    if (sealed) expect(hashesOf(sealed)).toEqual([hash])
  })

  it('falls asleep on request: seals, and waits for requests in flight', async () => {
    const { chain, log } = await startIdle()
    const hash = await send(chain, { nonce: 0 })
    const blocks: unknown[] = []
    chain.on('block', (block) => blocks.push(hashesOf(block)))
    const inFlight = chain.mine(2)
    await chain.sleep()
    await inFlight
    expect(log).toEqual(['sleep 0'])
    expect(blocks).toEqual([[hash], []])
    await chain.sleep()
    await chain.tick()
    expect(log).toEqual(['sleep 0', 'wake 0'])
  })

  it('answers requests that arrive together in their order', async () => {
    const { chain } = await startIdle()
    await chain.advance(60_000)
    const sends = await Promise.all([0, 1, 2, 3].map((nonce) => send(chain, { nonce })))
    expect(hashesOf(await chain.seal())).toEqual(sends)
  })

  it('wakes up for start, and lets the timer be stopped while it sleeps', async () => {
    const { chain, log } = await startIdle()
    await chain.advance(6000)
    chain.stop()
    chain.start()
    await chain.advance(2000)
    expect(log).toEqual(['sleep 5000', 'wake 6000'])
    expect(await timesOf(chain)).toEqual([2000, 4000, 8000])
  })

  it('goes on after its head if the clock went back meanwhile', async () => {
    let offset = 0
    const clock = createManualClock()
    const back = { ...wrap(clock), now: () => clock.now() + offset }
    const { chain } = await startIdle({ clock: back as never })
    await clock.advance(60_000)
    offset = -3_600_000
    expect(await heightOf(chain)).toBe(2)
    await clock.advance(4000)
    expect(await timesOf(chain)).toEqual([2000, 4000, 5000, 6000])
  })
})

/** The members of a clock, bound to it. */
function wrap(clock: ManualClock) {
  return {
    setTimeout: clock.setTimeout.bind(clock),
    clearTimeout: clock.clearTimeout.bind(clock),
    yield: clock.yield.bind(clock),
  }
}

describe("idle: 'run'", () => {
  it('never sleeps, and refuses to', async () => {
    const { chain, log } = await startIdle({ idle: 'run' })
    await chain.advance(60_000)
    expect(log).toEqual([])
    expect(await heightOf(chain)).toBe(30)
    await expect(chain.sleep()).rejects.toMatchObject({ name: 'NeverIdleError' })
  })
})

/** A step of both twins: time passes, or a request comes. */
type Step =
  | { readonly kind: 'advance'; readonly ms: number }
  | { readonly kind: 'send'; readonly from: number; readonly logs: boolean }
  | { readonly kind: 'read' }
  | { readonly kind: 'tick' }
  | { readonly kind: 'seal' }
  | { readonly kind: 'sleep' }
  | { readonly kind: 'fault'; readonly settings: object }

/** Steps without faults, whose counts end with a run of a chain. */
const quiet: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('advance' as const), ms: fc.integer({ min: 1, max: 3000 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('advance' as const),
      ms: fc.integer({ min: 3000, max: 60_000 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('send' as const), from: fc.nat(2), logs: fc.boolean() }),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Step>({ kind: 'read' }, { kind: 'tick' }, { kind: 'seal' }, { kind: 'sleep' }),
  },
)

const step = fc.oneof(
  { weight: 11, arbitrary: quiet },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom({ tickDelay: 250 }, { missTickEvery: 3 }, { dropEvery: 2 }, {})
      .map((settings): Step => ({ kind: 'fault', settings })),
  },
)

/** A chain with everything that it announces. */
async function startTwin(options: ChainOptions, nonces = [0, 0, 0]) {
  const chain = (await createChain({
    mining: 'interval',
    clock: createManualClock(),
    ...options,
  })) as TestChain
  onTestFinished(() => chain.close())
  const events: unknown[] = []
  chain.on('preconf', ({ index, block }) => events.push(['preconf', index, block.hash]))
  chain.on('block', ({ block }) => events.push(['block', block.hash]))
  chain.on('dropped', (drop) => events.push(['dropped', drop]))
  chain.on('retracted', (retraction) => events.push(['retracted', retraction]))
  for (const name of ['standard', 'preconf'] as const) {
    chain[name].on('message', (message) => events.push([name, message]))
    await ask(chain[name], 'eth_subscribe', ['newHeads'])
    await ask(chain[name], 'eth_subscribe', ['logs', {}])
  }
  const perform = async (one: Step): Promise<void> => {
    if (one.kind === 'advance') await chain.advance(one.ms)
    else if (one.kind === 'read') await heightOf(chain)
    else if (one.kind === 'tick') await chain.tick()
    else if (one.kind === 'seal') await chain.seal()
    else if (one.kind === 'fault') {
      // Faults are no request.
      await heightOf(chain)
      chain.faults.set(one.settings)
    } else if (one.kind === 'sleep') {
      if (options.idle !== undefined) await chain.sleep()
    } else {
      const nonce = nonces[one.from]!++
      await send(chain, { from: one.from, nonce, ...(one.logs && LOGGING) })
    }
  }
  const everything = async () => {
    const blocks: unknown[] = []
    for (let number = await heightOf(chain); number >= 0; number--) {
      const at = `0x${number.toString(16)}`
      blocks.push(await ask(chain.standard, 'eth_getBlockByNumber', [at, true]))
      blocks.push(await ask(chain.standard, 'eth_getBlockReceipts', [at]))
    }
    const logs = await ask(chain.standard, 'eth_getLogs', [{ fromBlock: '0x0' }])
    const pending = await ask(chain.preconf, 'eth_getBlockByNumber', ['pending', true])
    return { events, blocks, logs, pending, missedTicks: chain.missedTicks }
  }
  return { chain, nonces, perform, everything }
}

/** Resolves to how often the twin that sleeps fell asleep. */
async function expectTwins(steps: readonly Step[], options: ChainOptions = {}): Promise<number> {
  const ran = await startTwin(options)
  const slept = await startTwin({ ...options, idle: 'catch-up', idleAfter: 3000 })
  let naps = 0
  slept.chain.on('sleep', () => naps++)
  for (const one of steps) for (const twin of [ran, slept]) await twin.perform(one)
  const expected = await ran.everything()
  expect(await slept.everything()).toEqual(expected)
  return naps
}

describe("idle: 'catch-up'", () => {
  it('does at the next request what was due meanwhile, at the times it was due', async () => {
    const { chain, log } = await startIdle({ idle: 'catch-up' })
    const times: number[] = []
    await chain.advance(60_100)
    chain.on('block', ({ block }) => times.push(Number(block.timestamp) * 1000 - START))
    expect(log).toEqual(['sleep 5000'])
    expect(await heightOf(chain)).toBe(30)
    expect(times).toEqual(Array.from({ length: 28 }, (_, i) => 6000 + 2000 * i))
    expect(chain.missedTicks).toBe(0)
    await chain.advance(1900)
    expect(await heightOf(chain)).toBe(31)
  })

  it('equals a chain that ran', async () => {
    let naps = 0
    const steps = fc.array(step, { minLength: 4, maxLength: 25, size: 'max' })
    const property = fc.asyncProperty(steps, async (list) => {
      naps += await expectTwins(list)
    })
    await fc.assert(property, runs(15, 1000))
    expect(naps).toBeGreaterThan(15)
  })

  it('skips idle slots as a manual clock does', async () => {
    const gap = { kind: 'advance', ms: 10_000 * 2000 + 700 } as const
    await expectTwins([gap, { kind: 'read' }, { kind: 'advance', ms: 5000 }])
  })

  it('refuses requests and ends when it is closed while it catches up', async () => {
    const chain = await createChain({ clock: createManualClock(), idle: 'catch-up' })
    await chain.clock.advance(4000 * 2000)
    const read = chain.standard.request({ method: 'eth_blockNumber' })
    const refused = expect(read).rejects.toMatchObject({ code: 4900 })
    const alsoRefused = expect(chain.mine()).rejects.toMatchObject({ code: 4900 })
    await systemClock.yield()
    await Promise.all([chain.close(), refused, alsoRefused])
    await expect(chain.sleep()).rejects.toMatchObject({ code: 4900 })
  })

  it('goes on late, and answers, if the database refuses a block', async () => {
    let fails = false
    const database = withFailingWrites(memoryLevel(), () => fails) as never
    const { chain } = await startIdle({ idle: 'catch-up', database })
    const errors: string[] = []
    chain.on('error', ({ name }) => errors.push(name))
    await chain.advance(60_000)
    fails = true
    expect(await heightOf(chain)).toBe(2)
    expect(errors).toEqual(['DatabaseWriteError'])
    fails = false
    await chain.reopenDatabase()
    await chain.advance(2000)
    expect(await heightOf(chain)).toBeGreaterThan(2)
  })

  it('gives the event loop a turn while it catches up', async () => {
    const chain = await createChain({ clock: createManualClock(), idle: 'catch-up' })
    onTestFinished(() => chain.close())
    await chain.clock.advance(2000 * 2000)
    let turns = 0
    const heights = heightOf(chain)
    let isDone = false
    void heights.then(() => {
      isDone = true
    })
    while (!isDone) {
      await systemClock.yield()
      turns += 1
    }
    expect(await heights).toBe(2000)
    expect(turns).toBeGreaterThan(3)
  })
})

describe('a stored chain that sleeps', () => {
  it('keeps its mode, and catches up after a start with what was due while it was closed', async () => {
    const database = memoryLevel() as never
    const options = { mining: 'interval', database } as const
    const first = await startChain({ ...options, idle: 'catch-up', clock: createManualClock(START) })
    await first.advance(700)
    const hash = await send(first, { nonce: 0 })
    await first.advance(200)
    await first.finish()
    const second = await startChain({ ...options, clock: createManualClock(START + 60_100) })
    const blocks: unknown[] = []
    second.on('block', (block) => blocks.push(hashesOf(block)))
    expect(await heightOf(second)).toBe(30)
    expect(blocks).toEqual([[hash], ...Array.from({ length: 29 }, () => [])])
    expect(await timesOf(second)).toEqual(Array.from({ length: 30 }, (_, i) => 2000 * (i + 1)))
    await second.finish()
    // A given option replaces the kept one, but not with a mode of mining that it excludes.
    const wrong = createChain({ ...options, mining: 'manual', clock: createManualClock(START + 70_000) })
    await expect(wrong).rejects.toMatchObject({ name: 'InvalidOptionError', option: 'idle' })
    const third = await startChain({ ...options, idle: 'run', clock: createManualClock(START + 70_000) })
    await expect(third.sleep()).rejects.toMatchObject({ name: 'NeverIdleError' })
  })

  it('begins a slot at the start, or seals what was pre-confirmed', async () => {
    const database = memoryLevel() as never
    const open = (ms: number) =>
      startChain({ mining: 'interval', database, idle: 'sleep', clock: createManualClock(START + ms) })
    const first = await open(0)
    await first.advance(60_000)
    await first.finish()
    const second = await open(90_500)
    const pending = (await ask(second.preconf, 'eth_getBlockByNumber', ['pending', false])) as {
      timestamp: string
    }
    expect(Number(pending.timestamp) * 1000 - START).toBe(92_000)
    await second.advance(2000)
    expect(await timesOf(second)).toEqual([2000, 4000, 6000, 8000, 92_000])
    const hash = await send(second, { nonce: 0 })
    await second.advance(200)
    await second.finish()
    const third = await open(120_000)
    const blocks: unknown[] = []
    third.on('block', (block) => blocks.push(hashesOf(block)))
    await heightOf(third)
    await third.advance(0)
    expect(blocks).toEqual([[hash]])
    expect((await timesOf(third)).at(-1)).toBe(94_000)
  })

  it('equals a chain that ran and was never closed', async () => {
    const restart = fc.record({ kind: fc.constant('restart' as const), ms: fc.nat(30_000) })
    const steps = fc.array(fc.oneof({ weight: 5, arbitrary: quiet }, { weight: 1, arbitrary: restart }), {
      minLength: 4,
      maxLength: 25,
      size: 'max',
    })
    const property = fc.asyncProperty(steps, async (list) => {
      const ran = await startTwin({})
      const options = { idle: 'catch-up', idleAfter: 3000, database: memoryLevel() as never } as const
      let slept = await startTwin(options)
      for (const one of list) {
        if (one.kind === 'restart') {
          await ran.chain.advance(one.ms)
          await slept.chain.close()
          slept = await startTwin(
            { ...options, clock: createManualClock(ran.chain.clock.now()) },
            slept.nonces,
          )
        } else for (const twin of [ran, slept]) await twin.perform(one)
      }
      // Listeners and counts end with a run of a chain.
      const { events: _, missedTicks: __, ...expected } = await ran.everything()
      const { events: ___, missedTicks: ____, ...kept } = await slept.everything()
      expect(kept).toEqual(expected)
    })
    await fc.assert(property, runs(10, 1000))
  })
})
