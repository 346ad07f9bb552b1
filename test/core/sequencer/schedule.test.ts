import { describe, expect, it } from 'vitest'
import { type ChainOptions, type PresealChain, systemClock } from '../../../src/index.ts'
import { startChain, type TestChain } from '../../harness.ts'
import { send, TestClock } from './support.ts'

const START = 1_700_000_000_000

/** Records the times of preconf blocks and sealed blocks, in milliseconds since the chain's start. */
function record(chain: PresealChain): string[] {
  const events: string[] = []
  const at = () => chain.clock.now() - START
  chain.on('preconf', ({ index, block }) => events.push(`${at()} ${Number(block.number)}.${index}`))
  chain.on('block', ({ block }) => events.push(`${at()} sealed ${Number(block.number)}`))
  return events
}

const startInterval = (options: ChainOptions = {}) => startChain({ mining: 'interval', ...options })

async function startOnTestClock(options: ChainOptions = {}) {
  const clock = new TestClock()
  const chain = (await startInterval({ clock, blockTime: 1000, ...options })) as PresealChain
  return { clock, chain, events: record(chain) }
}

describe('schedule', () => {
  it('publishes a preconf block every interval and seals at the end of the slot', async () => {
    const chain = await startInterval({ blockTime: 1000 })
    const events = record(chain)
    await chain.clock.advance(2200)
    expect(events).toEqual([
      '200 1.1',
      '400 1.2',
      '600 1.3',
      '800 1.4',
      '1000 sealed 1',
      '1000 2.0',
      '1200 2.1',
      '1400 2.2',
      '1600 2.3',
      '1800 2.4',
      '2000 sealed 2',
      '2000 3.0',
      '2200 3.1',
    ])
    expect(chain.missedTicks).toBe(0)
  })

  it('publishes nine preconf blocks after index 0 in a slot of default length', async () => {
    const chain = await startInterval()
    const events = record(chain)
    await chain.clock.advance(2000)
    expect(events.map((event) => event.split(' ')[1])).toEqual([
      '1.1',
      '1.2',
      '1.3',
      '1.4',
      '1.5',
      '1.6',
      '1.7',
      '1.8',
      '1.9',
      'sealed',
      '2.0',
    ])
  })

  it('publishes one more preconf block before the seal if anything waits', async () => {
    const chain = await startInterval({ blockTime: 400 })
    const events = record(chain)
    await chain.clock.advance(399)
    await send(chain, { nonce: 0 })
    await chain.clock.advance(1)
    expect(events).toEqual(['200 1.1', '400 1.2', '400 sealed 1', '400 2.0'])
  })

  it('ticks at whole intervals of a slot that is not a multiple of them', async () => {
    const chain = await startInterval({ blockTime: 500, preconfInterval: 200 })
    const events = record(chain)
    await chain.clock.advance(1000)
    expect(events).toEqual([
      '200 1.1',
      '400 1.2',
      '500 sealed 1',
      '500 2.0',
      '700 2.1',
      '900 2.2',
      '1000 sealed 2',
      '1000 3.0',
    ])
  })

  it('only seals if the interval is as long as the slot', async () => {
    const chain = await startInterval({ blockTime: 1000, preconfInterval: 1000 })
    const events = record(chain)
    await chain.clock.advance(2000)
    expect(events).toEqual(['1000 sealed 1', '1000 2.0', '2000 sealed 2', '2000 3.0'])
  })

  it('does not accumulate delays', async () => {
    const { clock, chain, events } = await startOnTestClock()
    for (let fired = 0; fired < 10; fired++) await clock.fire(50)
    expect(events).toEqual([
      '250 1.1',
      '450 1.2',
      '650 1.3',
      '850 1.4',
      '1050 sealed 1',
      '1050 2.0',
      '1250 2.1',
      '1450 2.2',
      '1650 2.3',
      '1850 2.4',
      '2050 sealed 2',
      '2050 3.0',
    ])
    expect(clock.dues).toEqual([START + 2200])
    expect(chain.missedTicks).toBe(0)
  })

  it('keeps to the schedule if the host fires early', async () => {
    const { clock, chain, events } = await startOnTestClock({ blockTime: 400 })
    for (let fired = 0; fired < 4; fired++) await clock.fire(-1)
    expect(events.map((event) => event.split(' ').slice(1).join(' '))).toEqual([
      '1.1',
      'sealed 1',
      '2.0',
      '2.1',
      'sealed 2',
      '3.0',
    ])
    expect(clock.dues).toEqual([START + 1000])
    expect(chain.missedTicks).toBe(0)
  })

  it('skips and counts the ticks that a late timer missed', async () => {
    const { clock, chain, events } = await startOnTestClock()
    await clock.fire(450)
    expect(events).toEqual(['650 1.1'])
    expect(chain.missedTicks).toBe(2)
    expect(clock.dues).toEqual([START + 800])
  })

  it('skips and counts the ticks that fell due while one was executing', async () => {
    const { clock, chain, events } = await startOnTestClock()
    chain.once('preconf', () => {
      clock.time += 450
    })
    await clock.fire()
    expect(chain.missedTicks).toBe(2)
    await clock.fire()
    expect(events).toEqual(['200 1.1', '800 1.2'])
  })

  it('seals a late slot once and starts the next one from then', async () => {
    const { clock, chain, events } = await startOnTestClock()
    await clock.fire(3000)
    expect(events).toEqual(['3200 sealed 1', '3200 2.0'])
    expect(chain.missedTicks).toBe(4)
    expect(clock.dues).toEqual([START + 3400])
    for (let fired = 0; fired < 5; fired++) await clock.fire()
    expect(events.slice(2)).toEqual([
      '3400 2.1',
      '3600 2.2',
      '3800 2.3',
      '4000 2.4',
      '4200 sealed 2',
      '4200 3.0',
    ])
  })

  it('seals at once if a tick took until after the end of the slot', async () => {
    const { clock, chain, events } = await startOnTestClock()
    chain.once('preconf', () => {
      clock.time += 1500
    })
    await clock.fire()
    expect(clock.dues).toEqual([START + 1700])
    await clock.fire()
    expect(events).toEqual(['200 1.1', '1700 sealed 1', '1700 2.0'])
    expect(clock.dues).toEqual([START + 1900])
  })

  it('starts a new slot if the clock was set back', async () => {
    const { clock, events } = await startOnTestClock()
    clock.time -= 3_600_000
    // Hosts measure timers by another clock.
    Object.assign(clock.timers[0]!, { due: clock.time })
    await clock.fire()
    expect(clock.dues).toEqual([START - 3_600_000 + 200])
    expect(events).toHaveLength(1)
  })

  it('pauses between stop and start, and begins a slot at the start', async () => {
    const chain = await startInterval({ blockTime: 1000 })
    const events = record(chain)
    await chain.clock.advance(300)
    chain.stop()
    await chain.clock.advance(10_000)
    chain.start()
    chain.start()
    await chain.clock.advance(1000)
    expect(events).toEqual([
      '200 1.1',
      '10500 1.2',
      '10700 1.3',
      '10900 1.4',
      '11100 1.5',
      '11300 sealed 1',
      '11300 2.0',
    ])
  })

  it('keeps one timer if it is stopped and started while a tick is under way', async () => {
    const { clock, chain } = await startOnTestClock()
    chain.once('preconf', () => {
      chain.stop()
      chain.start()
    })
    await clock.fire()
    expect(clock.dues).toEqual([START + 400])
  })

  it('does nothing that fell due before it was stopped', async () => {
    const { clock, chain, events } = await startOnTestClock()
    const busy = chain.tick()
    const fired = clock.fire()
    chain.stop()
    await Promise.all([busy, fired])
    expect(events).toEqual(['200 1.1'])
    expect(clock.timers).toEqual([])
  })

  it('keeps its times after a manual tick', async () => {
    const chain = await startInterval({ blockTime: 600 })
    const events = record(chain)
    await chain.clock.advance(100)
    await chain.tick()
    await chain.clock.advance(500)
    expect(events).toEqual(['100 1.1', '200 1.2', '400 1.3', '600 sealed 1', '600 2.0'])
  })

  it('begins a slot after a manual seal', async () => {
    const chain = await startInterval({ blockTime: 600 })
    const events = record(chain)
    await chain.clock.advance(550)
    await chain.seal()
    await chain.clock.advance(600)
    expect(events.slice(2)).toEqual([
      '550 sealed 1',
      '550 2.0',
      '750 2.1',
      '950 2.2',
      '1150 sealed 2',
      '1150 3.0',
    ])
  })

  it('does not seal twice if a manual seal comes just as the slot ends', async () => {
    const { clock, chain, events } = await startOnTestClock({ blockTime: 200 })
    clock.time += 200
    const [sealed] = await Promise.all([chain.seal(), clock.fire()])
    expect(sealed.block.number).toBe('0x1')
    expect(events).toEqual(['200 sealed 1', '200 2.0'])
    expect(clock.dues).toEqual([START + 400])
  })

  it('retries a failed seal an interval later', async () => {
    const clock = new TestClock()
    let failing = true
    const chain = await startChain(
      { mining: 'interval', clock, blockTime: 400 },
      {
        store: (own) =>
          new Proxy(own, {
            get(_target, name) {
              if (name === 'write' && failing) return () => Promise.reject(new Error('disk full'))
              const value = Reflect.get(own, name)
              return typeof value === 'function' ? value.bind(own) : value
            },
          }),
      },
    )
    const events = record(chain)
    chain.on('error', ({ message }) => events.push(message))
    await clock.fire()
    await clock.fire()
    expect(clock.dues).toEqual([START + 600])
    await clock.fire()
    expect(clock.dues).toEqual([START + 800])
    failing = false
    await clock.fire()
    expect(events).toEqual(['200 1.1', 'disk full', 'disk full', '800 sealed 1', '800 2.0'])
    expect(clock.dues).toEqual([START + 1000])
  })

  it('runs on the timer in manual mining too, once started', async () => {
    const chain: TestChain = await startChain({ blockTime: 400 })
    const events = record(chain)
    await chain.clock.advance(1000)
    expect(events).toEqual([])
    chain.start()
    await chain.clock.advance(400)
    expect(events).toEqual(['1200 1.1', '1400 sealed 1', '1400 2.0'])
  })

  it('runs on the system clock', async () => {
    const chain = (await startChain({
      mining: 'interval',
      clock: systemClock,
      blockTime: 20,
      preconfInterval: 5,
      allowBlocksWithSameTimestamp: true,
    })) as PresealChain
    const numbers: number[] = []
    const [hash] = await Promise.all([
      send(chain, { nonce: 0 }),
      new Promise<void>((resolve) => {
        chain.on('block', ({ block }) => {
          numbers.push(Number(block.number))
          if (numbers.length === 3) resolve()
        })
      }),
    ])
    expect(numbers.slice(0, 3)).toEqual([1, 2, 3])
    const receipt = await chain.standard.request({ method: 'eth_getTransactionReceipt', params: [hash] })
    expect(receipt?.status).toBe('0x1')
  })

  it.each(['seal', 'evm_mine', 'anvil_reorg'] as const)(
    'ticks one interval after a block that %s makes, wherever in the slot it falls',
    async (act) => {
      for (const wait of [0, 100, 200, 1000, 1900]) {
        const chain = await startInterval()
        await chain.clock.advance(wait)
        if (act === 'seal') await chain.seal()
        else if (act === 'evm_mine') await chain.preconf.request({ method: act })
        else {
          await chain.seal()
          await chain.clock.advance(70)
          await chain.preconf.request({ method: act, params: [{ depth: 1, txBlockPairs: [] }] })
        }
        const sealedAt = chain.clock.now()
        const hash = await send(chain, { nonce: 0 })
        const shown: [number, readonly string[]][] = []
        chain.on('preconf', ({ block }) =>
          shown.push([chain.clock.now() - sealedAt, block.transactions.map((tx) => tx.hash)]),
        )
        await chain.clock.advance(200)
        expect({ wait, shown, missed: chain.missedTicks }).toEqual({
          wait,
          shown: [[200, [hash]]],
          missed: 0,
        })
        await chain.finish()
      }
    },
  )

  it('ends the slot that a manual seal began at its full length', async () => {
    const chain = await startInterval({ blockTime: 1000 })
    await chain.clock.advance(300)
    await chain.seal()
    const events = record(chain)
    await chain.clock.advance(2000)
    expect(events.filter((event) => event.includes('sealed'))).toEqual(['1300 sealed 2', '2300 sealed 3'])
    expect(chain.missedTicks).toBe(0)
  })
})
