/** Finds the files that compilers write to a folder: artifacts, and build info, which repeats what they have. */

/** What is used of Node's `fs.promises`. */
export interface FolderReader {
  readdir(path: string, options: { readonly withFileTypes: true }): Promise<readonly FolderEntry[]>
}

interface FolderEntry {
  readonly name: string
  isDirectory(): boolean
  isFile(): boolean
}

/** Folders without artifacts. */
const SKIPPED = /^(?:node_modules|cache|\..*)$/

/**
 * Finds the JSON files in a folder and its folders, in order: artifacts, and what is in folders named `build-info`.
 *
 * @param most - if there are more of a kind, not all are found, but more than this.
 * @throws what Node throws.
 */
export async function findArtifactFiles(
  { readdir }: FolderReader,
  folder: string,
  most = Number.POSITIVE_INFINITY,
): Promise<{ readonly artifacts: readonly string[]; readonly buildInfo: readonly string[] }> {
  const [artifacts, buildInfo]: [string[], string[]] = [[], []]
  const walk = async (path: string, files: string[]): Promise<void> => {
    for (const entry of await readdir(path === '' ? folder : `${folder}/${path}`, { withFileTypes: true })) {
      const inner = path === '' ? entry.name : `${path}/${entry.name}`
      if (entry.isDirectory() && !SKIPPED.test(entry.name)) {
        await walk(inner, entry.name === 'build-info' ? buildInfo : files)
      } else if (entry.isFile() && entry.name.endsWith('.json')) files.push(inner)
      if (files.length > most) return
    }
  }
  await walk('', artifacts)
  return { artifacts: artifacts.sort(), buildInfo: buildInfo.sort() }
}
