/** Which databases the chains of this process have open. A folder that another process has open is locked by itself. */
import { DatabaseInUseError } from './errors.ts'

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
