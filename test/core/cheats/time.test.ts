import { describe, expect, it } from 'vitest'
import {
  type ChainOptions,
  createManualClock,
  type PreconfBlock,
  type Retraction,
  systemClock,
} from '../../../src/index.ts'
import { startChain, type TestChain } from '../../harness.ts'
import { ask, cheat } from '../../rpc/scene.ts'
import { hashesOf, send } from '../sequencer/support.ts'

const START = 1_700_000_000

/** Timestamps in seconds since the chain's start. */
async function sealAfter(chain: TestChain, ms = 0): Promise<number> {
  await chain.clock.advance(ms)
  return Number((await chain.seal()).block.timestamp) - START
}

/** The timestamp of the head, in seconds since the chain's start. */
async function headTime(chain: TestChain): Promise<number> {
  const { timestamp } = (await ask(chain.standard, 'eth_getBlockByNumber', ['latest', false])) as {
    timestamp: string
  }
  return Number(timestamp) - START
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

    it.each<[string, ChainOptions]>([
      ['by default', {}],
      ['in `auto` mining', { mining: 'auto' }],
      ['in `interval` mining', { mining: 'interval' }],
      ['in the dialect of go-ethereum', { dialect: 'geth' }],
      ['in the dialect of Hardhat', { dialect: 'hardhat' }],
      ['under the clock of the system', { clock: systemClock }],
    ])('counts from the head if that is ahead of the chain, %s', async (_, options) => {
      const chain = await startChain(options)
      for (const [blocks, seconds] of [
        [25, 12],
        [0, 3600],
        [9, 1],
      ] as const) {
        await chain.mine(blocks)
        const before = await headTime(chain)
        await cheat(chain, 'evm_increaseTime', seconds)
        await cheat(chain, 'evm_mine')
        expect((await headTime(chain)) - before).toBe(seconds)
      }
    })

    it('shows the time at `pending` before the next block', async () => {
      const chain = await startChain({ mining: 'interval' })
      await chain.mine(20)
      const before = await headTime(chain)
      await chain.increaseTime(60)
      expect(await pendingTime(chain)).toEqual([before + 60, before + 60])
      await chain.clock.advance(2000)
      expect(await headTime(chain)).toBe(before + 60)
      await chain.clock.advance(2000)
      expect(await headTime(chain)).toBe(before + 62)
    })

    it('counts from the head after a revert, a reorg, and a time that was set back', async () => {
      const chain = await startChain()
      await chain.mine(10)
      const id = await chain.snapshot()
      await chain.mine(5)
      await chain.revert(id)
      const steps = [
        async () => {},
        () => cheat(chain, 'anvil_reorg', 5),
        () => cheat(chain, 'evm_setTime', START + 2),
      ]
      for (const step of steps) {
        await step()
        const before = await headTime(chain)
        await cheat(chain, 'hardhat_increaseTime', 30)
        expect(await sealAfter(chain)).toBe(before + 30)
        await chain.mine(5)
      }
    })

    it('moves the next block, whatever was set for it before', async () => {
      const chain = await startChain()
      await cheat(chain, 'anvil_setBlockTimestampInterval', 12)
      await cheat(chain, 'evm_increaseTime', 100)
      expect([await sealAfter(chain), await sealAfter(chain)]).toEqual([100, 112])
      await cheat(chain, 'evm_setNextBlockTimestamp', START + 500)
      await cheat(chain, 'evm_increaseTime', 100)
      expect([await sealAfter(chain), await sealAfter(chain)]).toEqual([212, 224])
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
      chain.on('preconf', (preconfBlock: PreconfBlock) => events.push(preconfBlock))
      await cheat(chain, 'evm_increaseTime', 60)
      expect(events).toEqual([
        {
          reason: 'cheat',
          preconfBlocks: [expect.any(String), first.block.hash],
          blocks: [],
          transactions: [],
        },
        expect.objectContaining({ index: 2, added: 0 }),
      ])
      const preconfBlock = events[1] as PreconfBlock
      expect(hashesOf(preconfBlock)).toEqual([hash])
      expect(Number(preconfBlock.block.timestamp) - START).toBe(60)
      expect((await chain.seal()).block.hash).toBe(preconfBlock.block.hash)
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

    it('beats an interval once, and the timestamp of the next block', async () => {
      const chain = await startChain()
      await cheat(chain, 'anvil_setBlockTimestampInterval', 5)
      expect(await sealAfter(chain)).toBe(5)
      expect(await cheat(chain, 'evm_setTime', START + 505)).toBe('0x1f9')
      expect(await pendingTime(chain)).toEqual([505, 505])
      expect([await sealAfter(chain), await sealAfter(chain)]).toEqual([505, 510])
      await cheat(chain, 'evm_setTime', START + 600)
      await cheat(chain, 'anvil_setBlockTimestampInterval', 7)
      expect([await sealAfter(chain), await sealAfter(chain)]).toEqual([600, 607])
      await cheat(chain, 'evm_setNextBlockTimestamp', START + 900)
      await cheat(chain, 'evm_setTime', START + 700)
      expect([await sealAfter(chain), await sealAfter(chain)]).toEqual([700, 707])
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

    it('of 0 keeps the timestamp', async () => {
      const chain = await startChain({}, {}, { skipHeaderValidation: true })
      await cheat(chain, 'evm_setNextBlockTimestamp', START + 100)
      expect(await sealAfter(chain)).toBe(100)
      for (const [method, value] of [
        ['anvil_setBlockTimestampInterval', 0],
        ['hardhat_setBlockTimestampInterval', 0],
      ] as const) {
        expect(await cheat(chain, method, value)).toBeNull()
        expect(await pendingTime(chain)).toEqual([100, 100])
        await chain.mine(4)
        expect(await sealAfter(chain, 500_000)).toBe(100)
      }
      await cheat(chain, 'evm_increaseTime', 3)
      expect([await sealAfter(chain), await sealAfter(chain)]).toEqual([1103, 1103])
      await cheat(chain, 'anvil_removeBlockTimestampInterval')
      expect([await sealAfter(chain), await sealAfter(chain)]).toEqual([1104, 1105])
    })

    it('of less than a second is one of a second', async () => {
      const chain = await startChain()
      await cheat(chain, 'hardhat_setBlockTimestampInterval', 500)
      expect([await sealAfter(chain), await sealAfter(chain, 90_000)]).toEqual([1, 2])
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
