import { describe, expect, it } from 'vitest'
import { startChain, type TestChain } from '../../harness.ts'
import { cheat } from '../../rpc/scene.ts'
import { send } from '../sequencer/support.ts'

const START = 1_700_000_000
const latest = async (chain: TestChain) =>
  (await cheat(chain, 'eth_getBlockByNumber', 'latest', false)) as Record<string, string>

describe('evm_mine', () => {
  it('seals one block, one at a timestamp, or several', async () => {
    const chain = await startChain()
    expect(await cheat(chain, 'evm_mine')).toBe('0x0')
    expect(Number((await latest(chain))['timestamp'])).toBe(START + 1)
    expect(await cheat(chain, 'evm_mine', START + 50)).toBe('0x0')
    expect(Number((await latest(chain))['timestamp'])).toBe(START + 50)
    await cheat(chain, 'evm_mine', { blocks: 3 })
    await cheat(chain, 'evm_mine', { timestamp: START + 90, blocks: '0x2' })
    expect(await cheat(chain, 'eth_blockNumber')).toBe('0x7')
    expect(Number((await latest(chain))['timestamp'])).toBe(START + 91)
    expect(await cheat(chain, 'evm_mine', START + 5)).toBe(
      `error -32602 timestamp too low: ${START + 5}, expected at least ${START + 92}`,
    )
    expect(await cheat(chain, 'eth_blockNumber')).toBe('0x7')
  })
})

describe('mining with seconds', () => {
  const mined = async (method: string, ...params: unknown[]) => {
    const chain = await startChain()
    await cheat(chain, 'anvil_mine', 5)
    const before = Number((await latest(chain))['timestamp'])
    const answer = await cheat(chain, method, ...params)
    return [answer, Number((await latest(chain))['timestamp']) - before]
  }

  it.each<[string, unknown[], number]>([
    ['anvil_mine', [1, 86_400], 86_400],
    ['anvil_mine', ['0x3', '0x15180'], 3 * 86_400],
    ['ganache_mine', [2, 600], 1200],
    ['anvil_mine', [3, 0], 3],
    ['anvil_mine', [3], 3],
    ['hardhat_mine', [1, 86_400], 1],
    ['hardhat_mine', [3, 86_400], 1 + 2 * 86_400],
    ['hardhat_mine', [3], 3],
  ])('by %s %j is %i seconds long', async (method, params, seconds) => {
    expect(await mined(method, ...params)).toEqual([null, seconds])
  })

  it('goes on from the last block, and the interval that is set holds for `hardhat_mine`', async () => {
    const chain = await startChain({ allowBlocksWithSameTimestamp: true })
    const time = async () => Number((await latest(chain))['timestamp']) - START
    const times: number[] = []
    for (const [method, ...params] of [
      ['hardhat_mine', 30],
      ['evm_mine'],
      ['anvil_mine', 2, 100],
      ['evm_mine'],
      ['anvil_setBlockTimestampInterval', 7],
      ['hardhat_mine', 3],
      ['hardhat_mine', 3, 10],
      ['anvil_mine', 3, 10],
    ] as [string, ...number[]][]) {
      await cheat(chain, method, ...params)
      times.push(await time())
    }
    expect(times).toEqual([29, 29, 229, 229, 229, 250, 277, 307])
    await chain.advance(5000)
    await cheat(chain, 'anvil_removeBlockTimestampInterval')
    await cheat(chain, 'evm_mine')
    expect(await time()).toBe(312)
  })

  it('executes pre-confirmed transactions at the time of the first block', async () => {
    const chain = await startChain()
    const hash = await send(chain, { nonce: 0 })
    await chain.tick()
    await cheat(chain, 'anvil_mine', 1, 3600)
    const { transactions, timestamp } = await latest(chain)
    expect([transactions, Number(timestamp) - START]).toEqual([[hash], 3600])
  })

  it('is refused beyond the range of times, and changes nothing', async () => {
    const chain = await startChain()
    const before = await cheat(chain, 'eth_getBlockByNumber', 'pending', true)
    for (const method of ['anvil_mine', 'hardhat_mine']) {
      expect(await cheat(chain, method, 1_000_000, 10_000_000)).toBe(
        "error -32602 invalid argument 1: expected a time within 2^52 ms of the clock's",
      )
    }
    expect(await cheat(chain, 'eth_getBlockByNumber', 'pending', true)).toEqual(before)
  })

  it('gives each of several requests its own timestamp', async () => {
    const chain = await startChain()
    await Promise.all([cheat(chain, 'evm_mine', START + 100), cheat(chain, 'evm_mine', START + 200)])
    const first = (await cheat(chain, 'eth_getBlockByNumber', '0x1', false)) as Record<string, string>
    expect([Number(first['timestamp']), Number((await latest(chain))['timestamp'])]).toEqual([
      START + 100,
      START + 200,
    ])
  })
})

describe('mining many blocks', () => {
  it('answers reads between the blocks', async () => {
    const chain = await startChain()
    const mining = cheat(chain, 'anvil_mine', '0x40')
    let inBetween = 0
    let isOver = false
    void mining.then(() => {
      isOver = true
    })
    while (!isOver) {
      const number = Number(await cheat(chain, 'eth_blockNumber'))
      if (number > 0 && number < 64) inBetween += 1
      await chain.clock.yield()
    }
    expect(inBetween).toBeGreaterThan(32)
    expect(await cheat(chain, 'eth_blockNumber')).toBe('0x40')
  })

  it('ends if the chain is closed', async () => {
    const chain = await startChain()
    const mining = chain.standard.request({ method: 'anvil_mine', params: ['0xffff'] })
    const ended = expect(mining).rejects.toMatchObject({ code: 4900 })
    await chain.clock.yield()
    await chain.close()
    await ended
  })

  it('lets reads run between the blocks, and a snapshot after all of them', async () => {
    const chain = await startChain()
    const mining = cheat(chain, 'hardhat_mine', '0x20')
    let head = 0
    while (head === 0) {
      await chain.clock.yield()
      head = Number(await cheat(chain, 'eth_blockNumber'))
    }
    const taken = chain.snapshot()
    expect(head).toBeLessThan(0x20)
    const id = await taken
    await mining
    await chain.seal()
    await chain.revert(id)
    expect(Number(await cheat(chain, 'eth_blockNumber'))).toBe(0x20)
  })

  it.each<[string, unknown[], number]>([
    ['hardhat_mine', ['0xf4241'], 1_000_001],
    ['anvil_mine', [1e9, 12], 1e9],
    ['evm_mine', [{ timestamp: START + 500, blocks: 2e6 }], 2e6],
  ])('refuses more than a million blocks by %s, and changes nothing', async (method, params, blocks) => {
    const chain = await startChain()
    const before = await cheat(chain, 'eth_getBlockByNumber', 'pending', true)
    expect(await cheat(chain, method, ...params)).toBe(
      `error -32602 too many blocks: ${blocks}, limit 1000000`,
    )
    expect(await cheat(chain, 'eth_getBlockByNumber', 'pending', true)).toEqual(before)
    await chain.seal()
    expect(Number((await latest(chain))['timestamp'])).toBe(START + 1)
  })
})
