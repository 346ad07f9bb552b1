import { describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../../src/base/clock.ts'
import {
  type ChainOptions,
  createChain,
  createManualClock,
  type PresealRpcBlock,
} from '../../../src/index.ts'
import { FULL } from '../../full.ts'
import { startChain, type TestChain } from '../../harness.ts'
import { hashesOf, send } from './support.ts'

const START = 1_700_000_000_000
const DAY = 24 * 60 * 60 * 1000

/** A chain whose blocks no oracle executes again. */
async function startUnchecked(options: ChainOptions = {}): Promise<TestChain> {
  const chain = await createChain({ mining: 'interval', clock: createManualClock(), ...options })
  onTestFinished(() => chain.close())
  return chain as TestChain
}

async function readBlock(chain: TestChain, tag: string | number): Promise<PresealRpcBlock> {
  const at = typeof tag === 'number' ? `0x${tag.toString(16)}` : tag
  return (await chain.preconf.request({
    method: 'eth_getBlockByNumber',
    params: [at as 'latest', false],
  })) as PresealRpcBlock
}

const heightOf = async (chain: TestChain) => Number((await readBlock(chain, 'latest')).number)

describe('long advances of the clock', () => {
  it('make 256 regular blocks at both ends of 30 days, and one slot of the rest', async () => {
    const start = FULL ? startChain : startUnchecked
    const chain = await start({ mining: 'interval' })
    await chain.clock.advance(30 * DAY)
    expect(chain.clock.now()).toBe(START + 30 * DAY)
    expect(chain.missedTicks).toBe(0)
    expect(await heightOf(chain)).toBe(512)

    const times: number[] = []
    for (let number = 0; number <= 512; number++) {
      times.push(Number((await readBlock(chain, number)).timestamp) - START / 1000)
    }
    const end = (30 * DAY) / 1000
    const before = Array.from({ length: 257 }, (_, i) => 2 * i)
    const after = Array.from({ length: 256 }, (_, i) => end - 2 * (255 - i))
    expect(times).toEqual([...before, ...after])
    // The value after a block for every slot.
    expect(Number((await readBlock(chain, 'latest')).baseFeePerGas)).toBe(7)

    const hash = await send(chain, { nonce: 0 })
    const shown = new Promise((resolve) =>
      chain.once('preconf', (preconfBlock) => resolve(hashesOf(preconfBlock))),
    )
    await chain.clock.advance(200)
    expect(await shown).toEqual([hash])
  })

  it('let the timers of the host fire meanwhile', async () => {
    const chain = await startUnchecked()
    let turns = 0
    let isOver = false
    const counting = (async () => {
      for (; !isOver; turns++) await systemClock.yield()
    })()
    await chain.clock.advance(6000)
    isOver = true
    await counting
    // One for each tick and each seal.
    expect(turns).toBeGreaterThanOrEqual(30)
  })

  it('give the same hashes as a chain that was stopped meanwhile', async () => {
    const [slept, stopped] = [await startUnchecked(), await startUnchecked()]
    const slots = (10 * DAY) / 2000
    await slept.clock.advance(slots * 2000)
    await stopped.clock.advance(256 * 2000)
    stopped.stop()
    await stopped.clock.advance((slots - 512) * 2000)
    stopped.start()
    await stopped.clock.advance(256 * 2000)
    expect(await readBlock(slept, 'latest')).toEqual(await readBlock(stopped, 'latest'))
  })

  it('include a transaction sent during skipped slots in the slot of its time', async () => {
    const chain = await startUnchecked({ preconfInterval: 1000 })
    const sent: Promise<unknown>[] = []
    chain.clock.setTimeout(() => void sent.push(send(chain, { nonce: 0 })), 10 * DAY + 234)
    await chain.clock.advance(30 * DAY)
    const hash = (await sent[0]) as `0x${string}`
    const receipt = await chain.preconf.request({ method: 'eth_getTransactionReceipt', params: [hash] })
    const { timestamp } = await readBlock(chain, receipt!.blockNumber)
    expect(Number(timestamp)).toBe(START / 1000 + (10 * DAY) / 1000 + 2)
  })
})
