/** Which databases the chains of this process have open. A folder that another process has open is locked by itself. */
import { toError } from '../primitives/emitter.ts'
import type { Level } from './bytesDatabase.ts'
import { DatabaseInUseError, DatabaseOpenError } from './errors.ts'

const claimed = new WeakSet<object>()

/**
 * Marks a database as in use, until the returned function is called.
 *
 * @throws DatabaseInUseError if another chain has it.
 */
export function claimDatabase(database: object | undefined): () => void {
  if (database === undefined) return () => {}
  if (claimed.has(database)) throw new DatabaseInUseError(undefined)
  claimed.add(database)
  return () => {
    claimed.delete(database)
  }
}

/** Opens the caller's database. @throws DatabaseInUseError, DatabaseOpenError */
export async function openLevel(level: Level): Promise<void> {
  try {
    await level.open()
  } catch (error) {
    // abstract-level's own error names no reason; its cause does.
    const { cause = error } = error as Error
    const isLocked = (cause as { code?: string }).code === 'LEVEL_LOCKED'
    throw isLocked ? new DatabaseInUseError(level.location ?? '') : new DatabaseOpenError(toError(cause))
  }
}
