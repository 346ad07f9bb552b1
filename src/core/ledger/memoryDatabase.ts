/** A database in memory, loaded by `import()` at the first access. */
import { MemoryLevel } from 'memory-level'
import type { Level } from './bytesDatabase.ts'

/** Opens an empty database in memory. */
export async function openMemoryDatabase(): Promise<Level> {
  const level = new MemoryLevel({ storeEncoding: 'view' }) as unknown as Level
  await level.open()
  return level
}
