/** What a restart does with the block under construction: it stays as it was pre-confirmed. */
import { describe, expect, it } from 'vitest'
import { type ChainOptions, createManualClock, type Hash } from '../../../src/index.ts'
import { startChain, type TestChain } from '../../harness.ts'
import { CONTRACT } from '../../operations.ts'
import { ask } from '../../rpc/scene.ts'
import { memoryLevel, type TestLevel } from '../ledger/failingDatabase.ts'
import { send } from '../sequencer/support.ts'

/** `sstore(0, timestamp())`. */
const STORES_TIMESTAMP = '0x4260005500'

function start(level: TestLevel, options: ChainOptions, ms: number): Promise<TestChain> {
  const clock = createManualClock(ms)
  return startChain({ clock, ...options, database: level as never })
}

/** Closes a chain, and starts it again `ms` milliseconds later. Returns it with the events of the restart. */
async function restart(chain: TestChain, level: TestLevel, options: ChainOptions, ms = 0) {
  await chain.finish()
  const resumed = await start(level, options, chain.clock.now() + ms)
  const events: unknown[] = []
  resumed.on('retracted', (retraction) => events.push({ retracted: retraction }))
  resumed.on('preconf', ({ index, block }) => events.push({ preconf: [index, block.hash] }))
  await resumed.clock.yield()
  await resumed.clock.yield()
  return { resumed, events }
}

const pending = (chain: TestChain) => ask(chain.preconf, 'eth_getBlockByNumber', ['pending', true])
const slotOf = (chain: TestChain) => ask(chain.preconf, 'eth_getStorageAt', [CONTRACT, '0x0', 'pending'])

describe('the block under construction', () => {
  it.each([
    ['manual', 0],
    ['manual', 60_000],
    ['interval', 0],
    ['interval', 900],
    ['interval', 60_000],
  ] as const)(
    'of %s mining is the same after a restart %i ms later, and is sealed so',
    async (mining, ms) => {
      const level = memoryLevel()
      const options: ChainOptions = { mining }
      const chain = await start(level, options, 1_700_000_000_000)
      await ask(chain.standard, 'anvil_setCode', [CONTRACT, STORES_TIMESTAMP])
      await send(chain, { nonce: 0, to: CONTRACT, gas: 100_000n })
      await chain.tick()
      await send(chain, { from: 1, nonce: 0 })
      await send(chain, { from: 1, nonce: 1 })
      const { index, block } = await chain.tick()
      const before = [await pending(chain), await slotOf(chain)]

      const { resumed, events } = await restart(chain, level, options, ms)
      expect([await pending(resumed), await slotOf(resumed)]).toEqual(before)
      expect(events).toEqual([{ preconf: [index, block.hash] }])
      if (mining === 'interval') await resumed.clock.advance(ms < 2000 ? 2000 - ms : 0)
      else await resumed.seal()
      const sealed = (await ask(resumed.standard, 'eth_getBlockByNumber', ['0x1', false])) as { hash: Hash }
      expect(sealed.hash).toBe(block.hash)
      await resumed.finish()
    },
  )

  it('keeps the index of each preconf block', async () => {
    const level = memoryLevel()
    const options: ChainOptions = { mining: 'manual' }
    const chain = await start(level, options, 1_700_000_000_000)
    const hashes: Hash[] = []
    for (const from of [0, 1, 2]) {
      await send(chain, { from, nonce: 0 })
      hashes.push((await chain.tick()).block.hash)
    }
    await chain.tick()
    const { resumed } = await restart(chain, level, options, 5000)
    expect((await resumed.tick()).index).toBe(5)
    await resumed.retract({ preconfBlocks: 1 })
    expect(((await pending(resumed)) as { hash: Hash }).hash).toBe(hashes[1])
    await resumed.finish()
  })

  it('is sealed at the end of its slot, however often the chain restarts', async () => {
    const level = memoryLevel()
    const options: ChainOptions = { mining: 'interval' }
    let chain = await start(level, options, 1_700_000_000_000)
    await send(chain, { nonce: 0 })
    for (let i = 0; i < 6; i++) {
      await chain.clock.advance(700)
      chain = (await restart(chain, level, options)).resumed
    }
    expect(await ask(chain.standard, 'eth_blockNumber')).toBe('0x2')
    await chain.finish()
  })

  it('is retracted if a restart under other rules builds another one', async () => {
    const level = memoryLevel()
    const chain = await start(level, { mining: 'manual', hardfork: 'prague' }, 1_700_000_000_000)
    // `clz`, from Osaka on; a failing instruction before.
    await ask(chain.standard, 'anvil_setCode', [CONTRACT, '0x60011e60005500'])
    const hash = await send(chain, { nonce: 0, to: CONTRACT, gas: 100_000n })
    const { block } = await chain.tick()
    const { resumed, events } = await restart(chain, level, { mining: 'manual', hardfork: 'osaka' })
    const again = (await pending(resumed)) as { hash: Hash; transactions: { hash: Hash }[] }
    expect(again.transactions.map((tx) => tx.hash)).toEqual([hash])
    expect(again.hash).not.toBe(block.hash)
    expect(events).toEqual([
      { retracted: { reason: 'restart', preconfBlocks: [block.hash], blocks: [], transactions: [] } },
      { preconf: [2, again.hash] },
    ])
    await resumed.finish()
  })
})
