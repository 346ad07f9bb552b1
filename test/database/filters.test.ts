/** Filters that a database keeps: any connection of the same view goes on with them after a restart. */
import { describe, expect, it } from 'vitest'
import { replaceRealTime } from '../../src/base/clock.ts'
import { copyOf, memoryLevel } from '../core/ledger/failingDatabase.ts'
import { startChain, type TestChain } from '../harness.ts'
import { ask } from '../rpc/scene.ts'
import { ALICE } from '../signing.ts'

const CONTRACT = '0x00000000000000000000000000000000000c0de5'

const send = (chain: TestChain) =>
  ask(chain.preconf, 'eth_sendTransaction', [{ from: ALICE, to: CONTRACT, gas: '0x186a0' }])
const poll = (chain: TestChain, id: unknown) => ask(chain.preconf, 'eth_getFilterChanges', [id])

/** A chain whose contract logs, and how it starts again: after `close`, or as after the end of the process. */
async function start() {
  let database = memoryLevel()
  let chain = await startChain({ database: database as never })
  await ask(chain.preconf, 'anvil_setCode', [CONTRACT, '0x60ff60006000a100'])
  return {
    get chain() {
      return chain
    },
    async restart() {
      await chain.finish()
      chain = await startChain({ database: database as never })
      return chain
    },
    async kill() {
      const copy = await copyOf(database)
      await chain.finish()
      database = copy
      chain = await startChain({ database: database as never })
      return chain
    },
  }
}

describe('filters of a chain with a database', () => {
  it('of blocks deliver after a restart what came since the last poll', async () => {
    const run = await start()
    const id = await ask(run.chain.preconf, 'eth_newBlockFilter')
    await run.chain.seal()
    expect(await poll(run.chain, id)).toHaveLength(1)
    const { block } = await run.chain.seal()
    expect(await poll(await run.restart(), id)).toEqual([block.hash])
    expect(await poll(await run.restart(), id)).toEqual([])
    await run.chain.finish()
  })

  it('deliver what only the database has', async () => {
    const run = await start()
    const blocks = await ask(run.chain.preconf, 'eth_newBlockFilter')
    const logs = await ask(run.chain.preconf, 'eth_newFilter', [{}])
    await send(run.chain)
    await run.chain.seal()
    await run.chain.mine(299)
    const chain = await run.restart()
    expect(new Set((await poll(chain, blocks)) as string[]).size).toBe(300)
    expect(await poll(chain, logs)).toHaveLength(1)
    await chain.finish()
  })

  it.each(['restart', 'kill'] as const)('of logs deliver each once, and their removal (%s)', async (end) => {
    const run = await start()
    const id = await ask(run.chain.preconf, 'eth_newFilter', [{ toBlock: 'pending' }])
    await send(run.chain)
    await run.chain.tick()
    expect(await poll(run.chain, id)).toHaveLength(1)
    await send(run.chain)
    await run.chain.seal()
    expect(await poll(await run[end](), id)).toHaveLength(1)
    await run.chain.reorg({ depth: 1, replace: [] })
    const removed = (await poll(await run[end](), id)) as { removed: boolean }[]
    expect(removed.map((log) => log.removed)).toEqual([true, true])
    expect(await poll(run.chain, id)).toEqual([])
    await run.chain.finish()
  })

  it('of transactions deliver what was sent before the chain was closed; if it was killed, they are gone', async () => {
    const run = await start()
    const id = await ask(run.chain.preconf, 'eth_newPendingTransactionFilter')
    const hash = await send(run.chain)
    expect(await poll(await run.restart(), id)).toEqual([hash])
    await send(run.chain)
    expect(await poll(await run.kill(), id)).toBe('error -32000 filter not found')
    await run.chain.finish()
  })

  it('belong to the first connection of their view that asks for them', async () => {
    const run = await start()
    const id = await ask(run.chain.preconf, 'eth_newBlockFilter')
    const chain = await run.restart()
    expect(await ask(chain.standard, 'eth_getFilterChanges', [id])).toBe('error -32000 filter not found')
    const other = chain.provider('preconf')
    expect(await ask(other, 'eth_getFilterChanges', [id])).toEqual([])
    expect(await poll(chain, id)).toBe('error -32000 filter not found')
    expect(await ask(other, 'eth_uninstallFilter', [id])).toBe(true)
    expect(await poll(await run.restart(), id)).toBe('error -32000 filter not found')
    await run.chain.finish()
  })

  it('are removed with their connection, and after five minutes without a poll', async () => {
    const run = await start()
    const other = run.chain.provider('preconf')
    const closed = await ask(other, 'eth_newBlockFilter')
    const kept = await ask(run.chain.preconf, 'eth_newBlockFilter')
    other.close()
    const chain = await run.restart()
    expect(await poll(chain, closed)).toBe('error -32000 filter not found')
    const now = Date.now()
    const restore = replaceRealTime(() => now + 300_001)
    expect(await poll(chain, kept)).toBe('error -32000 filter not found')
    restore()
    expect(await poll(await run.restart(), kept)).toBe('error -32000 filter not found')
    await run.chain.finish()
  })
})
