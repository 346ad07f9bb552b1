import { MemoryLevel } from 'memory-level'
import { describe, expect, it } from 'vitest'
import { assembleChain } from '../../../src/chain/chain.ts'
import type { ChainOptions, Hash, PresealChain } from '../../../src/index.ts'
import { Probe } from '../../contracts/artifacts.ts'
import { FULL } from '../../full.ts'
import { startChain, viemOn } from '../../harness.ts'
import { Fault, type Place, partsWith } from './fault.ts'
import { dump, send, sign, TestClock } from './support.ts'

async function startWithFault(place: Place, fault: Fault, options: ChainOptions = {}) {
  const clock = new TestClock()
  if (place === 'clock') clock.onNow = () => fault.pass()
  const chain: PresealChain = await startChain({ clock, ...options }, partsWith(place, fault, ['write']))
  const errors: string[] = []
  chain.on('error', ({ message }) => errors.push(message))
  return { chain, clock, errors }
}

/** Seals a contract, pre-confirms a transaction and sends three more. @returns the hashes of these four. */
async function prepare(chain: PresealChain, clock: TestClock): Promise<Hash[]> {
  await viemOn(chain).wallet(9).deployContract(Probe)
  const { receipts } = await chain.seal()
  const to = receipts[0]!.contractAddress
  // set(1, 2), which needs the EVM.
  const data = `0x1ab06ee5${'1'.padStart(64, '0')}${'2'.padStart(64, '0')}` as const
  const hashes = [await send(chain, { from: 0, nonce: 0, tip: 9n })]
  await chain.tick()
  hashes.push(
    await send(chain, { from: 0, nonce: 1, tip: 9n }),
    await send(chain, { from: 1, nonce: 0, tip: 8n, to, data, value: 0n, gas: 100_000n }),
    await send(chain, { from: 2, nonce: 0, tip: 7n }),
  )
  clock.time += 3000
  return hashes
}

/** The hashes of all sealed transactions after the block of `prepare`. */
async function sealedHashes(chain: PresealChain): Promise<Hash[]> {
  const hashes: Hash[] = []
  const head = Number(await chain.standard.request({ method: 'eth_blockNumber', params: [] }))
  for (let number = 2; number <= head; number++) {
    const block = await chain.standard.request({
      method: 'eth_getBlockByNumber',
      params: [`0x${number.toString(16)}`, false],
    })
    hashes.push(...(block!.transactions as Hash[]))
  }
  return hashes
}

async function runOnce(place: Place, act: 'tick' | 'seal', fault: Fault, at?: number): Promise<number> {
  const { chain, clock, errors } = await startWithFault(place, fault)
  const hashes = await prepare(chain, clock)
  // The preconf block that a seal publishes first stays even if the seal fails.
  if (act === 'seal') await chain.tick()
  const before = await dump(chain)
  const events: string[] = []
  chain.on('preconf', () => events.push('preconf'))
  chain.on('block', () => events.push('block'))
  chain.on('dropped', () => events.push('dropped'))

  fault.arm(at)
  const outcome = await chain[act]().then(
    () => 'done',
    (error: Error) => error.message,
  )
  fault.disarm()
  const { calls } = fault
  if (outcome === 'injected') {
    expect({ at, errors, events }).toEqual({ at, errors: [], events: [] })
    expect(await dump(chain)).toEqual(before)
  } else {
    // A failure after the tip is replaced is reported, and the tip stays. The header of a preconf block is computed for
    // its listeners, which it then does not reach.
    const all = act === 'seal' ? ['block', 'preconf'] : ['preconf']
    const reached = place === 'crypto' && at !== undefined ? all.slice(0, -1) : all
    expect({ at, outcome, events }).toEqual({ at, outcome: 'done', events: reached })
    expect(errors).toEqual(at === undefined ? [] : ['injected'])
  }
  clock.time += 1000
  await chain.tick()
  await chain.seal()
  expect(await sealedHashes(chain)).toEqual(hashes)
  await chain.close()
  return calls
}

/** The indices of up to `most` of `count` calls, including the first and the last. */
function spread(count: number, most: number): number[] {
  if (count <= most) return Array.from({ length: count }, (_, at) => at)
  return Array.from({ length: most }, (_, i) => Math.round((i * (count - 1)) / (most - 1)))
}

const MAX_CALLS = FULL ? 1000 : 10

describe('failures of the sequencer', () => {
  it.each([
    ['tick', 'executor'],
    ['tick', 'crypto'],
    ['tick', 'clock'],
    ['seal', 'executor'],
    ['seal', 'crypto'],
    ['seal', 'store'],
    ['seal', 'clock'],
  ] as const)('change nothing, whichever call a %s makes to the %s fails', async (act, place) => {
    const fault = new Fault()
    const calls = await runOnce(place, act, fault)
    expect(calls).toBeGreaterThan(0)
    for (const at of spread(calls, MAX_CALLS)) await runOnce(place, act, fault, at)
  })

  it.each([
    ['tick', 'executor'],
    ['tick', 'clock'],
    ['seal', 'executor'],
    ['seal', 'store'],
    ['seal', 'clock'],
  ] as const)(
    'are reported once, whichever call of a timed %s to the %s fails, and the timer continues',
    async (act, place) => {
      const fault = new Fault()
      let calls = 1
      for (let at = -1; at < calls; at++) {
        const options = { mining: 'interval', blockTime: 400, preconfInterval: 200 } as const
        const { chain, clock, errors } = await startWithFault(place, fault, options)
        const hashes = await prepare(chain, clock)
        // The timer is late and seals; then a tick is due.
        await clock.fire()
        if (act === 'seal') await clock.fire()
        hashes.push(await send(chain, { from: 3, nonce: 0 }))
        fault.arm(at)
        await clock.fire()
        fault.disarm()
        if (at < 0) calls = fault.calls
        expect(calls).toBeGreaterThan(0)
        expect({ at, errors }).toEqual({ at, errors: at < 0 ? [] : ['injected'] })
        chain.start()
        for (let fired = 0; fired < 3; fired++) await clock.fire()
        expect({ at, sealed: await sealedHashes(chain) }).toEqual({ at, sealed: hashes })
        expect(clock.timers).toHaveLength(1)
        await chain.close()
      }
    },
  )

  it.each(['executor', 'crypto', 'store', 'clock'] as const)(
    'let a send in auto mining be answered, and sealed with the next, whichever call to the %s fails',
    async (place) => {
      const fault = new Fault()
      let indices = [-1]
      for (let i = 0; i < indices.length; i++) {
        const at = indices[i]!
        const { chain, errors } = await startWithFault(place, fault, { mining: 'auto' })
        const signed = await sign(chain, { from: 0, nonce: 0 })
        const hashes: Hash[] = []
        // Armed after the send itself, which calls `crypto` too and would reject.
        chain.once('transaction', () => fault.arm(at))
        hashes.push(await chain.preconf.request({ method: 'eth_sendRawTransaction', params: [signed] }))
        fault.disarm()
        if (at < 0) indices = [-1, ...spread(fault.calls, MAX_CALLS)]
        expect({ at, errors }).toEqual({ at, errors: at < 0 ? [] : ['injected'] })
        hashes.push(await send(chain, { from: 1, nonce: 0 }))
        const sealed = []
        for (const number of ['0x1', '0x2'] as const) {
          const block = await chain.standard.request({
            method: 'eth_getBlockByNumber',
            params: [number, false],
          })
          sealed.push(...(block?.transactions ?? []))
        }
        expect(sealed).toEqual(hashes)
        await chain.close()
      }
      expect(indices.length).toBeGreaterThan(1)
    },
  )

  it.each(['executor', 'crypto'] as const)(
    'delay a drop by the fault `dropEvery`, whichever call to the %s fails',
    async (place) => {
      const fault = new Fault()
      let indices = [-1]
      for (let i = 0; i < indices.length; i++) {
        const at = indices[i]!
        const { chain } = await startWithFault(place, fault, { faults: { dropEvery: 2 } })
        const hashes = [await send(chain, { from: 0, nonce: 0 })]
        const withdrawn = await send(chain, { from: 0, nonce: 1 })
        await chain.tick()
        hashes.push(await send(chain, { from: 1, nonce: 0 }))
        fault.arm(at)
        const failed = await chain.tick().then(
          () => false,
          ({ message }) => message === 'injected',
        )
        fault.disarm()
        if (at < 0) indices = [-1, ...spread(fault.calls, MAX_CALLS)]
        expect({ at, failed }).toEqual({ at, failed: at >= 0 })
        const dropped: Hash[] = []
        chain.on('dropped', ({ hash }) => dropped.push(hash))
        const { block } = await chain.seal()
        expect(block.transactions.map(({ hash }) => hash)).toEqual(hashes)
        expect([[], [withdrawn]]).toContainEqual(dropped)
        await chain.close()
      }
      expect(indices.length).toBeGreaterThan(1)
    },
  )

  it.each(['executor', 'crypto', 'store'] as const)(
    'leave a stored chain replayable, whichever call to the %s failed the first time',
    async (place) => {
      const database = new MemoryLevel<Uint8Array, Uint8Array>({ storeEncoding: 'view' }) as never
      const clock = new TestClock()
      const options = { mining: 'manual', clock, database } as const
      const first = await startChain(options)
      await prepare(first, clock)
      await first.seal()
      const before = await dump(first)
      await first.close()

      const fault = new Fault()
      fault.arm()
      const whole = await assembleChain(options, partsWith(place, fault))
      const { calls } = fault
      await whole.close()
      expect(calls).toBeGreaterThan(0)
      for (const at of spread(calls, MAX_CALLS)) {
        fault.arm(at)
        await expect(assembleChain(options, partsWith(place, fault))).rejects.toThrow('injected')
      }
      fault.disarm()
      const again = await assembleChain(options)
      expect(await dump(again)).toEqual(before)
      await again.close()
    },
  )
})
