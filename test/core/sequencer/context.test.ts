import { describe, expect, it } from 'vitest'
import type { PresealChain } from '../../../src/index.ts'
import { startChain } from '../../harness.ts'
import { send } from './support.ts'

const START = 1_700_000_000

/** Seconds from the chain's start to the timestamp of its pending block. */
async function pendingAt(chain: PresealChain): Promise<number> {
  const block = await chain.preconf.request({ method: 'eth_getBlockByNumber', params: ['pending', false] })
  return Number(block!.timestamp) - START
}

const sealedAt = async (chain: PresealChain) => Number((await chain.seal()).block.timestamp) - START

describe('timestamps of blocks', () => {
  it('are the ends of their slots', async () => {
    const chain = await startChain({ mining: 'interval', blockTime: 2000 })
    const times: number[] = []
    chain.on('block', ({ block }) => times.push(Number(block.timestamp) - START))
    expect(await pendingAt(chain)).toBe(2)
    await chain.clock.advance(6000)
    expect(times).toEqual([2, 4, 6])
    expect(await pendingAt(chain)).toBe(8)
  })

  it('rise strictly if slots are shorter than a second', async () => {
    const chain = await startChain({ mining: 'interval', blockTime: 250, preconfInterval: 250 })
    const times: number[] = []
    chain.on('block', ({ block }) => times.push(Number(block.timestamp) - START))
    await chain.clock.advance(1000)
    expect(times).toEqual([1, 2, 3, 4])
  })

  it('may be equal if the option allows it', async () => {
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

  it('are the time of the clock if no slot runs', async () => {
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

  it('are renewed at the ticks of an empty block and never by reads', async () => {
    const chain = await startChain()
    await chain.clock.advance(30_000)
    expect(await pendingAt(chain)).toBe(1)
    const { index, block, added } = await chain.tick()
    expect({ index, added, at: Number(block.timestamp) - START }).toEqual({ index: 1, added: 0, at: 30 })
    expect(await pendingAt(chain)).toBe(30)
  })

  it('are fixed when the first transaction is included', async () => {
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

  it('are the time of the seal for an empty block', async () => {
    const chain = await startChain()
    const indices: number[] = []
    chain.on('preconf', ({ index }) => indices.push(index))
    await chain.clock.advance(5000)
    expect(await sealedAt(chain)).toBe(5)
    expect(indices).toEqual([1, 0])
  })

  it('need no further preconf block before a seal at which they are the same', async () => {
    const chain = await startChain()
    const indices: number[] = []
    chain.on('preconf', ({ index }) => indices.push(index))
    expect(await sealedAt(chain)).toBe(1)
    expect(indices).toEqual([0])
  })

  it('are those of a block sealed now for the candidate on standard', async () => {
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
