/** Finds artifacts and build info that compilers wrote to a folder. */

/** The used methods of Node's `fs.promises`. */
export interface FolderReader {
  readdir(path: string, options: { readonly withFileTypes: true }): Promise<readonly FolderEntry[]>
}

interface FolderEntry {
  readonly name: string
  isDirectory(): boolean
  isFile(): boolean
}

/** Matches the names of folders that are not searched. */
const SKIPPED = /^(?:node_modules|cache|\..*)$/

/**
 * Finds the JSON files of a folder tree, sorted by path: artifacts, and files in folders named `build-info`.
 *
 * @param maxPerKind - the search stops soon after it has found more files of a kind.
 * @throws errors of the file system.
 */
export async function findArtifactFiles(
  { readdir }: FolderReader,
  folder: string,
  maxPerKind = Number.POSITIVE_INFINITY,
): Promise<{ readonly artifacts: readonly string[]; readonly buildInfo: readonly string[] }> {
  const [artifacts, buildInfo]: [string[], string[]] = [[], []]
  const walk = async (path: string, files: string[]): Promise<void> => {
    for (const entry of await readdir(path === '' ? folder : `${folder}/${path}`, { withFileTypes: true })) {
      const inner = path === '' ? entry.name : `${path}/${entry.name}`
      if (entry.isDirectory() && !SKIPPED.test(entry.name)) {
        await walk(inner, entry.name === 'build-info' ? buildInfo : files)
      } else if (entry.isFile() && entry.name.endsWith('.json')) files.push(inner)
      if (files.length > maxPerKind) return
    }
  }
  await walk('', artifacts)
  return { artifacts: artifacts.sort(), buildInfo: buildInfo.sort() }
}
