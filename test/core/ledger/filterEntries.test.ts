import { describe, expect, it } from 'vitest'
import { BytesDatabase } from '../../../src/core/ledger/bytesDatabase.ts'
import { FilterEntries } from '../../../src/core/ledger/filterEntries.ts'
import { memoryLevel } from './failingDatabase.ts'

const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i)

describe('the filters of a database', () => {
  it('are at most 10,000: the ones that changed longest ago go', async () => {
    const db = new BytesDatabase(memoryLevel() as never)
    await db.open()
    const filters = new FilterEntries()
    const set = async (ids: readonly number[]) => {
      const { entries, removed, applied } = filters.set(ids.map((id) => [id, { id }]))
      await db.write(entries, removed)
      applied()
    }
    await set(numbers(1, 10_001))
    await set([1])
    await set([10_001, 10_002])
    const again = new FilterEntries()
    const found = await again.read(db as never)
    expect([...found.keys()]).toEqual([1, ...numbers(4, 10_003)])
    expect(found.get(10_002)).toEqual({ id: 10_002 })
  })

  it('beyond the limit are not read, such as those of a changed database', async () => {
    const db = new BytesDatabase(memoryLevel() as never)
    await db.open()
    for (const first of [1, 10_001, 20_001]) {
      const { entries } = new FilterEntries().set(
        numbers(first, first + 10_000).map((id) => [id, {}] as const),
      )
      await db.write(entries)
    }
    const found = await new FilterEntries().read(db as never)
    expect([...found.keys()]).toEqual(numbers(20_001, 30_001))
  })
})
