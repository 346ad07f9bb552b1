import { describe, expect, it } from 'vitest'
import { createManualClock } from '../../../src/index.ts'
import { startChain } from '../../harness.ts'
import { Fault } from '../../sequencer/fault.ts'
import { ask } from '../scene.ts'

const MINUTE = 60_000
const NOT_FOUND = 'error -32000 filter not found'

describe('filters', () => {
  it('expire after five minutes without a request, by the clock of the chain', async () => {
    const chain = await startChain({ mining: 'manual' })
    const install = (method: string, params: unknown[] = []) => ask(chain.standard, method, params)
    const ids = [
      await install('eth_newFilter', [{}]),
      await install('eth_newBlockFilter'),
      await install('eth_newPendingTransactionFilter'),
    ]
    const [logs, blocks, transactions] = ids
    const changes = (id: unknown) => ask(chain.standard, 'eth_getFilterChanges', [id])
    await chain.clock.advance(5 * MINUTE - 1)
    expect(await changes(blocks)).toEqual([])
    expect(await ask(chain.standard, 'eth_getFilterLogs', [logs])).toEqual([])
    await chain.clock.advance(1)
    expect(await changes(transactions)).toBe(NOT_FOUND)
    await chain.clock.advance(5 * MINUTE - 2)
    expect(await Promise.all([logs, blocks].map(changes))).toEqual([[], []])
    await chain.clock.advance(5 * MINUTE)
    expect(await ask(chain.standard, 'eth_uninstallFilter', [logs])).toBe(false)
    expect(await changes(blocks)).toBe(NOT_FOUND)
  })

  it('are kept, and none is added, if the clock fails during a request', async () => {
    const [clock, fault] = [createManualClock(), new Fault()]
    const failing = Object.assign(Object.create(clock), {
      now: () => {
        fault.pass()
        return clock.now()
      },
    }) as typeof clock
    const chain = await startChain({ clock: failing })
    for (let call = 0; call < 3; call++) {
      const id = `0x${(call + 1).toString(16)}`
      for (const [method, params, answer] of [
        ['eth_newPendingTransactionFilter', [], id],
        ['eth_getFilterChanges', [id], []],
        ['eth_uninstallFilter', [id], true],
      ] as const) {
        fault.arm(call)
        const first = await ask(chain.standard, method, params)
        const hasFailed = fault.calls > call
        fault.disarm()
        expect(hasFailed ? await ask(chain.standard, method, params) : first).toEqual(answer)
      }
    }
  })

  it('are limited to 1000 per connection, not counting expired ones', async () => {
    const chain = await startChain({ mining: 'manual' })
    const install = () => ask(chain.standard, 'eth_newBlockFilter')
    for (let i = 0; i < 1000; i++) expect(await install()).toMatch(/^0x/)
    const refused = 'error -32005 too many filters: limit 1000'
    expect(await install()).toBe(refused)
    expect(await ask(chain.standard, 'eth_newPendingTransactionFilter')).toBe(refused)
    expect(await ask(chain.preconf, 'eth_newBlockFilter')).toBe('0x1')
    expect(await ask(chain.standard, 'eth_uninstallFilter', ['0x7'])).toBe(true)
    expect(await install()).toBe('0x3e9')
    await chain.clock.advance(5 * MINUTE)
    expect(await install()).toBe('0x3ea')
  })
})
