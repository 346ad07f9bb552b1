/** Databases of each format, as they were once written: they open, and have the same chain. */
import { MemoryLevel } from 'memory-level'
import { describe, expect, it } from 'vitest'
import { createChain, createManualClock, type PresealChain } from '../../src/index.ts'
import { bytesToHex, hexToBytes } from '../../src/primitives/bytes.ts'
import type { Hex } from '../../src/primitives/types.ts'
import { entriesIn, type TestLevel } from '../ledger/failingDatabase.ts'
import { everythingOf } from './everything.ts'
import format1 from './fixtures/format1.json' with { type: 'json' }
import older from './fixtures/withoutFormat.json' with { type: 'json' }

async function levelOf(entries: readonly (readonly string[])[]): Promise<TestLevel> {
  const level: TestLevel = new MemoryLevel({ storeEncoding: 'view' })
  await level.open()
  const bytes = (hex: string | undefined) => hexToBytes(hex as Hex)
  await level.batch(
    entries.map(([key, value]) => ({ type: 'put' as const, key: bytes(key), value: bytes(value) })),
    { keyEncoding: 'view', valueEncoding: 'view' },
  )
  return level
}

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
