import { describe, expect, it } from 'vitest'
import { createChain, createManualClock } from '../../src/index.ts'
import { ask } from '../rpc/scene.ts'
import { everythingOf } from './everything.ts'
import format1 from './fixtures/format1.json' with { type: 'json' }
import { levelOf } from './levelOf.ts'

describe('a database of format 1', () => {
  it('opens with its chain, its waiting transaction and what was pre-confirmed', async () => {
    const database = await levelOf(format1)
    const open = () =>
      createChain({
        mining: 'manual',
        clock: createManualClock(1_700_000_100_000),
        database: database as never,
      })
    const chain = await open()
    expect(await ask(chain.standard, 'eth_blockNumber')).toBe('0x4')
    expect(await ask(chain.preconf, 'txpool_status')).toEqual({ pending: '0x1', queued: '0x1' })
    expect(
      await chain.preconf.request({ method: 'eth_getBlockTransactionCountByNumber', params: ['pending'] }),
    ).toBe('0x1')
    const everything = await everythingOf(chain)
    await chain.close()
    const again = await open()
    expect(await everythingOf(again)).toEqual(everything)
    await again.close()
  })
})
