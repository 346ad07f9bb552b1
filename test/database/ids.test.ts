/** Ids that a chain with a database gives out: none twice, however often it is started. */
import { describe, expect, it } from 'vitest'
import { memoryLevel } from '../core/ledger/failingDatabase.ts'
import { startChain, type TestChain } from '../harness.ts'
import { ask } from '../rpc/scene.ts'

describe('ids of a chain with a database', () => {
  const kinds = {
    snapshots: (chain: TestChain) => ask(chain.preconf, 'evm_snapshot'),
    filters: (chain: TestChain) => ask(chain.preconf, 'eth_newBlockFilter'),
    'filters of other connections': (chain: TestChain) =>
      ask(chain.provider('preconf'), 'eth_newFilter', [{}]),
    subscriptions: (chain: TestChain) => ask(chain.preconf, 'eth_subscribe', ['newHeads']),
    'subscriptions of other connections': (chain: TestChain) =>
      ask(chain.provider('standard'), 'eth_subscribe', ['newHeads']),
  }

  it.each(Object.entries(kinds))('never repeat: %s', async (_, next) => {
    const database = memoryLevel() as never
    const ids: unknown[] = []
    for (let start = 0; start < 3; start++) {
      const chain = await startChain({ database })
      ids.push(await next(chain), await next(chain))
      await chain.finish()
    }
    expect(ids.every((id) => /^0x[0-9a-f]+$/.test(id as string))).toBe(true)
    expect(new Set(ids).size).toBe(ids.length)
  })
})
