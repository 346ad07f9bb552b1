/** A database that fails, as one does whose disk is full or whose process dies. */
import { MemoryLevel } from 'memory-level'
import { bytesToHex } from '../../../src/base/bytes.ts'

/** The database of a test. */
export type TestLevel = MemoryLevel<Uint8Array, Uint8Array>

/** An empty database. */
export const memoryLevel = (): TestLevel => new MemoryLevel({ storeEncoding: 'view' })

/** The database, with its writes counted from 1; the ones that `fails` names are refused, and change nothing. */
export function withFailingWrites(level: TestLevel, fails: (write: number) => boolean): TestLevel {
  let write = 0
  return new Proxy(level, {
    get(target, name) {
      if (name === 'batch') {
        return (operations: never[], options: object) => {
          write += 1
          return fails(write) ? Promise.reject(new Error('disk full')) : target.batch(operations, options)
        }
      }
      const value = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

/** All entries, as hex. */
export async function entriesIn(level: TestLevel): Promise<string[][]> {
  const entries = await level.iterator({ keyEncoding: 'view', valueEncoding: 'view' }).all()
  return entries.map((entry) => entry.map((bytes) => bytesToHex(bytes as Uint8Array)))
}

/** A database with the same entries, as a process that was killed leaves them. */
export async function copyOf(level: TestLevel): Promise<TestLevel> {
  const BYTES = { keyEncoding: 'view', valueEncoding: 'view' } as const
  const entries = await level.iterator<Uint8Array, Uint8Array>(BYTES).all()
  const copy: TestLevel = new MemoryLevel({ storeEncoding: 'view' })
  await copy.batch(
    entries.map(([key, value]) => ({ type: 'put', key, value })),
    BYTES,
  )
  return copy
}
