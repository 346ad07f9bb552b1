import { describe, expect, it } from 'vitest'
import { bytesToHex } from '../../src/base/bytes.ts'
import { createChain, createManualClock, type PresealChain } from '../../src/index.ts'
import { entriesIn, type TestLevel } from '../core/ledger/failingDatabase.ts'
import { everythingOf } from './everything.ts'
import format1 from './fixtures/format1.json' with { type: 'json' }
import older from './fixtures/withoutFormat.json' with { type: 'json' }
import { levelOf } from './levelOf.ts'

const open = (database: TestLevel): Promise<PresealChain> =>
  createChain({ mining: 'manual', clock: createManualClock(1_700_000_000_000), database: database as never })

const HEAD = '0x4'

describe('a database that was written by an earlier version', () => {
  it.each([
    ['format 1', format1],
    ['no format', older],
  ])('opens: %s', async (_, entries) => {
    const chain = await open(await levelOf(entries))
    expect(await chain.standard.request({ method: 'eth_blockNumber' })).toBe(HEAD)
    await chain.close()
  })

  it('has the same keys and answers once it is migrated', async () => {
    const [level, expected] = [await levelOf(older), await levelOf(format1)]
    const [chain, other] = [await open(level), await open(expected)]
    expect(await everythingOf(chain)).toEqual(await everythingOf(other))
    const keysOf = (entries: readonly (readonly string[])[]) => entries.map(([key]) => key)
    // An earlier version did not state the rules by which blocks were executed.
    const rules = bytesToHex(new TextEncoder().encode('preseal:rules:0'))
    expect(keysOf(await entriesIn(level))).toEqual([...keysOf(format1), rules])
    await Promise.all([chain.close(), other.close()])
  })
})
