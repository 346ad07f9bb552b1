import { describe, expect, it, onTestFinished } from 'vitest'
import { realNow, replaceRealTime } from '../../../src/base/clock.ts'
import { LOGGING, send } from '../../core/sequencer/support.ts'
import { startChain } from '../../harness.ts'
import { ask } from '../scene.ts'

const MINUTE = 60_000
const NOT_FOUND = 'error -32000 filter not found'

/** Real time stands still from now on, until the returned function lets milliseconds pass. */
function startRealTime(): (ms: number) => void {
  // Whole milliseconds, whose sums and differences are exact.
  let now = Math.floor(realNow())
  onTestFinished(replaceRealTime(() => now))
  return (ms) => {
    now += ms
  }
}

describe('filters', () => {
  it.each([['eth_newFilter', [{}]], ['eth_newBlockFilter'], ['eth_newPendingTransactionFilter']] as const)(
    'of %s miss nothing if a manual clock jumps, or the time of the chain',
    async (method, params: readonly object[] = []) => {
      const chain = await startChain()
      const id = await ask(chain.preconf, method, params)
      const changes = async () => (await ask(chain.preconf, 'eth_getFilterChanges', [id])) as object[]
      for (let nonce = 0; nonce < 4; nonce += 2) {
        await send(chain, { ...LOGGING, nonce })
        await chain.seal()
        await chain.advance(3 * 24 * 60 * MINUTE)
        await chain.increaseTime(3 * 24 * 60 * 60)
        await send(chain, { ...LOGGING, nonce: nonce + 1 })
        await chain.seal()
        expect(await changes()).toHaveLength(2)
      }
    },
  )

  it('expire after five minutes of real time without a request', async () => {
    const chain = await startChain({ mining: 'manual' })
    const pass = startRealTime()
    const install = (method: string, params: unknown[] = []) => ask(chain.standard, method, params)
    const ids = [
      await install('eth_newFilter', [{}]),
      await install('eth_newBlockFilter'),
      await install('eth_newPendingTransactionFilter'),
    ]
    const [logs, blocks, transactions] = ids
    const changes = (id: unknown) => ask(chain.standard, 'eth_getFilterChanges', [id])
    pass(5 * MINUTE - 1)
    expect(await changes(blocks)).toEqual([])
    expect(await ask(chain.standard, 'eth_getFilterLogs', [logs])).toEqual([])
    pass(1)
    expect(await changes(transactions)).toBe(NOT_FOUND)
    pass(5 * MINUTE - 2)
    expect(await Promise.all([logs, blocks].map(changes))).toEqual([[], []])
    pass(5 * MINUTE)
    expect(await ask(chain.standard, 'eth_uninstallFilter', [logs])).toBe(false)
    expect(await changes(blocks)).toBe(NOT_FOUND)
  })

  it('are limited to 1000 per connection, not counting expired ones', async () => {
    const chain = await startChain({ mining: 'manual' })
    const pass = startRealTime()
    const install = () => ask(chain.standard, 'eth_newBlockFilter')
    for (let i = 0; i < 1000; i++) expect(await install()).toMatch(/^0x/)
    const refused = 'error -32005 too many filters: limit 1000'
    expect(await install()).toBe(refused)
    expect(await ask(chain.standard, 'eth_newPendingTransactionFilter')).toBe(refused)
    expect(await ask(chain.preconf, 'eth_newBlockFilter')).toBe('0x1')
    expect(await ask(chain.standard, 'eth_uninstallFilter', ['0x7'])).toBe(true)
    expect(await install()).toBe('0x3e9')
    pass(5 * MINUTE)
    expect(await install()).toBe('0x3ea')
  })
})
