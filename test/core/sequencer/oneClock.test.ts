/** Several chains on one manual clock, as an L1 and an L2 that messages are relayed between. */
import { describe, expect, it, onTestFinished } from 'vitest'
import type { ManualClock } from '../../../src/base/manualClock.ts'
import { type ChainOptions, createChain, createManualClock, type PresealChain } from '../../../src/index.ts'
import { send } from './support.ts'

const START = 1_700_000_000_000

async function startOn(clock: ManualClock, options: ChainOptions): Promise<PresealChain<ManualClock>> {
  const chain = await createChain({ ...options, mining: 'interval', clock })
  onTestFinished(() => chain.close())
  return chain
}

/** An L2, and an L1 whose blocks with transactions are each relayed to it as a transfer. */
async function startPair() {
  const clock = createManualClock(START)
  const log: string[] = []
  const note = (text: string) => log.push(`${clock.elapsed} ${text}`)
  const l2 = await startOn(clock, { chainId: 901, blockTime: 2000, preconfInterval: 200 })
  const l1 = await startOn(clock, { chainId: 900, blockTime: 12_000, preconfInterval: 1000 })
  let relayed = 0
  l1.on('block', async ({ block }) => {
    note(`L1 block ${Number(block.number)} ${block.hash}`)
    if (block.transactions.length > 0) await send(l2, { nonce: relayed++, chainId: 901 })
  })
  l2.on('preconf', ({ block, added }) => {
    const { length } = block.transactions
    if (length > added) note(`L2 block ${Number(block.number)} with ${length} pre-confirmed ${block.hash}`)
  })
  l2.on('block', ({ block }) => {
    note(`L2 block ${Number(block.number)} with ${block.transactions.length} ${block.hash}`)
  })
  return { clock, l1, l2, log }
}

const withoutHashes = (log: readonly string[]) => log.map((line) => line.replace(/ 0x[0-9a-f]{64}$/, ''))

describe('two chains on one clock', () => {
  it('go on in order of time, and at the same moment in the order in which their timers were set', async () => {
    const { clock, l1, log } = await startPair()
    await send(l1, { nonce: 0, chainId: 900 })
    await clock.advance(14_000)
    expect(withoutHashes(log)).toEqual([
      '2000 L2 block 1 with 0',
      '4000 L2 block 2 with 0',
      '6000 L2 block 3 with 0',
      '8000 L2 block 4 with 0',
      '10000 L2 block 5 with 0',
      // The L1's timer was set a second ago, the L2's 200 ms ago.
      '12000 L1 block 1',
      '12000 L2 block 6 with 1 pre-confirmed',
      '12000 L2 block 6 with 1',
      '14000 L2 block 7 with 0',
    ])
  })

  it('have the same hashes in every run, however the clock is advanced', async () => {
    const run = async (...steps: readonly number[]) => {
      const { clock, l1, log } = await startPair()
      await send(l1, { nonce: 0, chainId: 900 })
      await send(l1, { nonce: 1, chainId: 900 })
      for (const ms of steps) await clock.advance(ms)
      return log
    }
    const log = await run(30_000)
    expect(log).toHaveLength(18)
    expect(await run(30_000)).toEqual(log)
    expect(await run(11_999, 1, 200, 17_800)).toEqual(log)
  })

  it('have the time of the clock, whichever chain advances it', async () => {
    const { clock, l1, l2 } = await startPair()
    await l2.advance(12_000)
    expect(clock.elapsed).toBe(12_000)
    const timeOf = async ({ standard }: typeof l1) =>
      Number(
        (await standard.request({ method: 'eth_getBlockByNumber', params: ['latest', false] }))!.timestamp,
      )
    expect([await timeOf(l1), await timeOf(l2)]).toEqual([1_700_000_012, 1_700_000_012])
  })

  it('go on without one that was closed', async () => {
    const { clock, l1, l2, log } = await startPair()
    await clock.advance(2000)
    await l2.close()
    await clock.advance(10_000)
    expect(withoutHashes(log)).toEqual(['2000 L2 block 1 with 0', '12000 L1 block 1'])
    expect(Number(await l1.standard.request({ method: 'eth_blockNumber' }))).toBe(1)
  })
})
