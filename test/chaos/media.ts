/** Where the blocks of a round are kept, and where its state comes from, that need no disk. */
import { MemoryLevel } from 'memory-level'
import { FORKS } from './forks.ts'
import type { Medium } from './round.ts'

const nothing = async (): Promise<void> => {}

/** In memory, on a database in memory, with a genesis that is loaded entry by entry, and on another chain. */
export const MEDIA: readonly Medium[] = [
  {
    name: 'memory',
    places: [],
    open: async (options) => ({ options, plain: options, close: nothing }),
  },
  {
    name: 'database',
    places: ['database', 'database'],
    open: async (plain, failures) => {
      const database = new MemoryLevel({ storeEncoding: 'view' })
      const options = { ...plain, database: failures.database(database) as never }
      return { options, plain, database, close: () => database.close() }
    },
  },
  {
    name: 'slow source',
    places: ['source', 'source'],
    open: async (options, failures) => ({
      options,
      plain: options,
      parts: { source: (genesis) => failures.source(genesis) },
      close: nothing,
    }),
  },
  ...FORKS,
]
