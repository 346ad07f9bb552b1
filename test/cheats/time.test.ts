import { describe, expect, it } from 'vitest'
import { createManualClock, type PreconfBlock, type Retraction } from '../../src/index.ts'
import { startChain, type TestChain } from '../harness.ts'
import { ask } from '../rpc/scene.ts'
import { hashesOf, send } from '../sequencer/support.ts'

const START = 1_700_000_000

const cheat = (chain: TestChain, method: string, ...params: unknown[]) => ask(chain.standard, method, params)

/** Timestamps in seconds since the chain's start. */
async function sealAfter(chain: TestChain, ms = 0): Promise<number> {
  await chain.clock.advance(ms)
  return Number((await chain.seal()).block.timestamp) - START
}

async function pendingTime(chain: TestChain): Promise<number[]> {
  const times = []
  for (const provider of [chain.standard, chain.preconf]) {
    const block = (await ask(provider, 'eth_getBlockByNumber', ['pending', false])) as { timestamp: string }
    times.push(Number(block.timestamp) - START)
  }
  return times
}

describe('cheats for time', () => {
  describe('evm_increaseTime', () => {
    it('adds to the time of the clock, and returns the total', async () => {
      const chain = await startChain()
      expect(await cheat(chain, 'evm_increaseTime', '0x64')).toBe('0x64')
      expect(await pendingTime(chain)).toEqual([100, 100])
      expect(await sealAfter(chain)).toBe(100)
      expect(await sealAfter(chain, 7000)).toBe(107)
      expect(await cheat(chain, 'evm_increaseTime', 50)).toBe('0x96')
      expect(await sealAfter(chain)).toBe(157)
      expect(await cheat(chain, 'ganache_increaseTime', '3')).toBe('0x99')
      expect(await sealAfter(chain)).toBe(160)
    })

    it('does not change when interval mining seals', async () => {
      const chain = await startChain({ mining: 'interval' })
      await cheat(chain, 'evm_increaseTime', 1000)
      const blocks: number[] = []
      chain.on('block', ({ block }) => blocks.push(Number(block.timestamp) - START))
      await chain.clock.advance(6000)
      expect(blocks).toEqual([1002, 1004, 1006])
      expect(chain.missedTicks).toBe(0)
    })

    it('executes pre-confirmed transactions again, after a retraction', async () => {
      const chain = await startChain()
      const hash = await send(chain, { nonce: 0 })
      const first = await chain.tick()
      const events: unknown[] = []
      chain.on('retracted', (retracted: Retraction) => events.push(retracted))
      chain.on('preconf', (snapshot: PreconfBlock) => events.push(snapshot))
      await cheat(chain, 'evm_increaseTime', 60)
      expect(events).toEqual([
        {
          reason: 'cheat',
          snapshots: [expect.any(String), first.block.hash],
          blocks: [],
          transactions: [],
        },
        expect.objectContaining({ index: 2, added: 0 }),
      ])
      const snapshot = events[1] as PreconfBlock
      expect(hashesOf(snapshot)).toEqual([hash])
      expect(Number(snapshot.block.timestamp) - START).toBe(60)
      expect((await chain.seal()).block.hash).toBe(snapshot.block.hash)
    })
  })

  describe('evm_setTime', () => {
    it('accepts seconds or milliseconds', async () => {
      const chain = await startChain()
      expect(await cheat(chain, 'evm_setTime', START + 500)).toBe('0x1f4')
      expect(await sealAfter(chain, 1000)).toBe(501)
      expect(await cheat(chain, 'evm_setTime', 1000 * (START + 600))).toBe('0x257')
      expect(await sealAfter(chain, 1000)).toBe(601)
    })

    it('can set the time back, but timestamps still rise', async () => {
      const chain = await startChain()
      expect(await sealAfter(chain, 10_000)).toBe(10)
      expect(await cheat(chain, 'evm_setTime', START + 2)).toBe('0x0')
      expect(await sealAfter(chain)).toBe(11)
      expect(await sealAfter(chain, 20_000)).toBe(22)
    })
  })

  describe('evm_setNextBlockTimestamp', () => {
    it('applies to the next block, and time continues from there', async () => {
      const chain = await startChain()
      expect(await cheat(chain, 'evm_setNextBlockTimestamp', `0x${(START + 1000).toString(16)}`)).toBeNull()
      expect(await pendingTime(chain)).toEqual([1000, 1000])
      expect(await sealAfter(chain, 3000)).toBe(1000)
      expect(await sealAfter(chain)).toBe(1001)
      expect(await sealAfter(chain, 5000)).toBe(1005)
    })

    it('applies to the next block of interval mining', async () => {
      const chain = await startChain({ mining: 'interval' })
      await cheat(chain, 'evm_setNextBlockTimestamp', START + 100)
      const blocks: number[] = []
      chain.on('block', ({ block }) => blocks.push(Number(block.timestamp) - START))
      await chain.clock.advance(6000)
      expect(blocks).toEqual([100, 102, 104])
    })

    it('is refused if it is not after the head', async () => {
      const chain = await startChain()
      await chain.seal()
      const { timestamp } = (await ask(chain.standard, 'eth_getBlockByNumber', ['latest', false])) as {
        timestamp: string
      }
      expect(await cheat(chain, 'evm_setNextBlockTimestamp', timestamp)).toBe(
        `error -32602 timestamp too low: ${START + 1}, expected at least ${START + 2}`,
      )
      const same = await startChain({ allowBlocksWithSameTimestamp: true })
      expect(await cheat(same, 'evm_setNextBlockTimestamp', START)).toBeNull()
      expect(await sealAfter(same, 5000)).toBe(0)
    })
  })

  describe('a timestamp interval', () => {
    it('sets timestamps independently of the clock, until it is removed', async () => {
      const chain = await startChain()
      expect(await cheat(chain, 'anvil_setBlockTimestampInterval', 12)).toBeNull()
      expect(await pendingTime(chain)).toEqual([12, 12])
      expect([await sealAfter(chain, 1000), await sealAfter(chain), await sealAfter(chain, 90_000)]).toEqual([
        12, 24, 36,
      ])
      expect(await cheat(chain, 'anvil_removeBlockTimestampInterval')).toBe(true)
      expect(await sealAfter(chain)).toBe(91)
      expect(await cheat(chain, 'anvil_removeBlockTimestampInterval')).toBe(false)
    })

    it('is in milliseconds by the name of Hardhat', async () => {
      const chain = await startChain()
      await cheat(chain, 'hardhat_setBlockTimestampInterval', 12_000)
      expect(await sealAfter(chain)).toBe(12)
    })

    it('yields to a requested timestamp', async () => {
      const chain = await startChain()
      await cheat(chain, 'anvil_setBlockTimestampInterval', 12)
      await cheat(chain, 'evm_setNextBlockTimestamp', START + 100)
      expect([await sealAfter(chain), await sealAfter(chain)]).toEqual([100, 112])
    })
  })

  it('refuse times that numbers cannot hold, and change nothing', async () => {
    const chain = await startChain()
    for (const value of ['0xffffffffffffffff', -1, 1.5, '', null, {}]) {
      expect(await cheat(chain, 'evm_increaseTime', value)).toBe(
        'error -32602 invalid argument 0: expected an integer >= 0',
      )
    }
    const most = Math.floor(Number.MAX_SAFE_INTEGER / 1000)
    expect(await cheat(chain, 'evm_increaseTime', most)).toBe(
      "error -32602 invalid argument 0: expected a time within 2^52 ms of the clock's",
    )
    expect(await sealAfter(chain)).toBe(1)
  })

  it('do not change another chain on the same clock', async () => {
    const clock = createManualClock()
    const [chain, other] = [await startChain({ clock }), await startChain({ clock })]
    await cheat(chain, 'evm_increaseTime', 100)
    expect([await sealAfter(chain), await sealAfter(other, 2000)]).toEqual([100, 2])
  })
})
