/** Where the blocks of a round are kept that need no disk. A chain on a fork will be one more. */
import { MemoryLevel } from 'memory-level'
import type { Medium } from './round.ts'

const nothing = async (): Promise<void> => {}

/** In memory, on a database in memory, and with a genesis that is loaded entry by entry. */
export const MEDIA: readonly Medium[] = [
  { name: 'memory', places: [], open: async () => ({ close: nothing }) },
  {
    name: 'database',
    places: ['database', 'database'],
    open: async () => {
      const database = new MemoryLevel({ storeEncoding: 'view' })
      return { database, close: () => database.close() }
    },
  },
  { name: 'slow source', places: ['source', 'source'], open: async () => ({ isSlow: true, close: nothing }) },
]
