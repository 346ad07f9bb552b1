import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Folder } from '../conformance/folder.ts'

/** A folder on disk. */
export function diskFolder(path: string): Folder {
  return {
    list: async () => {
      const entries = await readdir(path, { recursive: true, withFileTypes: true })
      const files = entries.filter((entry) => entry.isFile())
      return files
        .map(({ parentPath, name }) =>
          join(parentPath, name).slice(join(path, '/').length).replaceAll('\\', '/'),
        )
        .sort()
    },
    read: async (file) => new Uint8Array(await readFile(join(path, file))),
  }
}
