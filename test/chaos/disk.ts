/** A database on disk for rounds of chaos. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ClassicLevel } from 'classic-level'
import type { Medium } from './round.ts'

/** classic-level, in a folder of its own that is removed afterwards. */
export const DISK: Medium = {
  name: 'disk',
  places: ['database', 'database'],
  open: async (plain, failures) => {
    const folder = await mkdtemp(join(tmpdir(), 'preseal-chaos-'))
    const database = new ClassicLevel(folder, { keyEncoding: 'view', valueEncoding: 'view' })
    return {
      options: { ...plain, database: failures.database(database) as never },
      plain,
      database,
      close: async () => {
        await database.close()
        await rm(folder, { recursive: true, force: true })
      },
    }
  },
}
