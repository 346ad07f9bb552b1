import { describe, expect, it } from 'vitest'
import type { PresealChain } from '../../src/index.ts'
import { startChain } from '../harness.ts'
import { send } from './support.ts'

const START = 1_700_000_000

/** Seconds from the chain's start to the timestamp of its pending block. */
async function pendingAt(chain: PresealChain): Promise<number> {
  const block = await chain.preconf.request({ method: 'eth_getBlockByNumber', params: ['pending', false] })
  return Number(block!.timestamp) - START
}

const sealedAt = async (chain: PresealChain) => Number((await chain.seal()).block.timestamp) - START

describe('timestamps of blocks', () => {
  it('gives a block the time of the end of its slot', async () => {
    const chain = await startChain({ mining: 'interval', blockTime: 2000 })
    const times: number[] = []
    chain.on('block', ({ block }) => times.push(Number(block.timestamp) - START))
    expect(await pendingAt(chain)).toBe(2)
    await chain.clock.advance(6000)
    expect(times).toEqual([2, 4, 6])
    expect(await pendingAt(chain)).toBe(8)
  })

  it('gives blocks of less than a second strictly rising times', async () => {
    const chain = await startChain({ mining: 'interval', blockTime: 250, preconfInterval: 250 })
    const times: number[] = []
    chain.on('block', ({ block }) => times.push(Number(block.timestamp) - START))
    await chain.clock.advance(1000)
    expect(times).toEqual([1, 2, 3, 4])
  })

  it('lets blocks share a second where they may', async () => {
    const chain = await startChain({
      mining: 'interval',
      blockTime: 250,
      preconfInterval: 250,
      allowBlocksWithSameTimestamp: true,
    })
    const times: number[] = []
    chain.on('block', ({ block }) => times.push(Number(block.timestamp) - START))
    await chain.clock.advance(1250)
    expect(times).toEqual([0, 0, 0, 1, 1])
  })

  it('gives a block the time of the clock where no slot runs', async () => {
    const chain = await startChain()
    expect(await sealedAt(chain)).toBe(1)
    expect(await sealedAt(chain)).toBe(2)
    await chain.clock.advance(60_000)
    expect(await sealedAt(chain)).toBe(60)
    const stopped = await startChain({ mining: 'interval' })
    stopped.stop()
    await stopped.clock.advance(60_000)
    expect(await sealedAt(stopped)).toBe(60)
  })

  it('renews the context of an empty block at ticks and never by reads', async () => {
    const chain = await startChain()
    await chain.clock.advance(30_000)
    expect(await pendingAt(chain)).toBe(1)
    const { index, block, added } = await chain.tick()
    expect({ index, added, at: Number(block.timestamp) - START }).toEqual({ index: 1, added: 0, at: 30 })
    expect(await pendingAt(chain)).toBe(30)
  })

  it('fixes the context when the first transaction enters', async () => {
    const chain = await startChain()
    await send(chain, { nonce: 0 })
    await chain.clock.advance(10_000)
    await chain.tick()
    await chain.clock.advance(10_000)
    await chain.tick()
    await send(chain, { nonce: 1 })
    await chain.tick()
    expect(await pendingAt(chain)).toBe(10)
    expect(await sealedAt(chain)).toBe(10)
    expect(await pendingAt(chain)).toBe(20)
  })

  it('seals an empty block with the time of its seal', async () => {
    const chain = await startChain()
    const indices: number[] = []
    chain.on('preconf', ({ index }) => indices.push(index))
    await chain.clock.advance(5000)
    expect(await sealedAt(chain)).toBe(5)
    expect(indices).toEqual([1, 0])
  })

  it('publishes nothing before the seal of an empty block whose context stands', async () => {
    const chain = await startChain()
    const indices: number[] = []
    chain.on('preconf', ({ index }) => indices.push(index))
    expect(await sealedAt(chain)).toBe(1)
    expect(indices).toEqual([0])
  })

  it('shows the candidate on standard at the time a block sealed now would have', async () => {
    const chain = await startChain()
    await chain.clock.advance(7000)
    const candidate = await chain.standard.request({
      method: 'eth_getBlockByNumber',
      params: ['pending', false],
    })
    expect(Number(candidate!.timestamp) - START).toBe(7)
    expect(await sealedAt(chain)).toBe(7)
  })
})
