import { findArtifactFiles } from './artifactFiles.ts'
import { ArtifactsFolderError } from './errors.ts'
import { fileSystem } from './host.ts'

const MAX_FILES = 10_000

/**
 * Reads the JSON files of a folder tree, such as Hardhat's `artifacts` or Foundry's `out`. Build info is read only if
 * there are no artifacts. Needs Node.
 *
 * @returns file contents by path, for `chain.explain`. A file that is not JSON becomes a note of the explanation.
 * @throws ArtifactsFolderError if the folder cannot be read, has no JSON file or more than 10,000, or without Node
 *   20.16.
 * @example
 * const artifacts = await loadArtifacts('out')
 */
export async function loadArtifacts(folder: string): Promise<Record<string, unknown>> {
  const fs = fileSystem()
  if (fs === undefined) throw new ArtifactsFolderError(folder, 'this needs Node 20.16 or later')
  try {
    const { artifacts, buildInfo } = await findArtifactFiles(fs.promises, folder, MAX_FILES)
    const paths = artifacts.length > 0 ? artifacts : buildInfo
    if (paths.length === 0) throw new ArtifactsFolderError(folder, 'it has no JSON files')
    if (paths.length > MAX_FILES)
      throw new ArtifactsFolderError(folder, `it has more than ${MAX_FILES} files`)
    const read: Record<string, unknown> = {}
    // One at a time: a project may have more files than a process may open.
    for (const path of paths) read[path] = parse(await fs.promises.readFile(`${folder}/${path}`, 'utf8'))
    return read
  } catch (error) {
    if (error instanceof ArtifactsFolderError) throw error
    const { code, message } = error as Error & { readonly code?: string }
    throw new ArtifactsFolderError(folder, code ?? message)
  }
}

/** Parses JSON; returns any other text unchanged. */
function parse(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return json
  }
}
