/** Databases from the entries of a fixture. */
import { MemoryLevel } from 'memory-level'
import { hexToBytes } from '../../src/base/bytes.ts'
import type { Hex } from '../../src/base/types.ts'
import type { TestLevel } from '../core/ledger/failingDatabase.ts'

/** A database with the entries, each the hex of a key and of its value. */
export async function levelOf(entries: readonly (readonly string[])[]): Promise<TestLevel> {
  const level: TestLevel = new MemoryLevel({ storeEncoding: 'view' })
  await level.open()
  const bytes = (hex: string | undefined) => hexToBytes(hex as Hex)
  await level.batch(
    entries.map(([key, value]) => ({ type: 'put' as const, key: bytes(key), value: bytes(value) })),
    { keyEncoding: 'view', valueEncoding: 'view' },
  )
  return level
}
