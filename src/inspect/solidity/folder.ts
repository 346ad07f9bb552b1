/** Reads the build info of a folder, in Node. Owns: the contracts of each folder, until its files change. */

import { moduleOfNode } from '../../base/nodeModule.ts'
import { type ReadArtifacts, readArtifacts } from '../explain/artifacts.ts'

interface NodeFiles {
  readdirSync(path: string): string[]
  readFileSync(path: string, encoding: 'utf8'): string
  statSync(path: string): { readonly mtimeMs: number; readonly size: number }
}

const projects = new Map<string, { readonly stamp: string; readonly project: ReadArtifacts }>()

/** Parsed files, and notes on files that were left out. */
export interface Read<T> {
  readonly values: readonly T[]
  readonly notes: string[]
}

/** Reads a folder's contracts; see {@link readBuildInfos}. Returns the same object until the files change. */
export function readFolder(folder: string): ReadArtifacts {
  const fs = moduleOfNode<NodeFiles>('fs')
  if (fs === undefined) return { contracts: [], notes: ['a folder of build info needs Node 20.16 or newer'] }
  const files = findBuildInfos(fs, folder)
  const stamp = files.map(({ path, mtimeMs, size }) => `${path} ${mtimeMs} ${size}`).join('\n')
  const known = projects.get(folder)
  if (known?.stamp === stamp) return known.project
  const { values, notes } = readFiles(fs, folder, files)
  const { contracts } = readArtifacts(values)
  if (files.length > 0 && contracts.length === 0)
    notes.push(`no build info has contracts: ${files.length} files were read`)
  const project = { contracts, notes }
  projects.set(folder, { stamp, project })
  return project
}

/**
 * Reads the build info in a folder of Hardhat (`artifacts`) or Foundry (`out`), or in its `build-info`, newest first.
 * Unreadable files become notes. Returns undefined without Node 20.16.
 */
export function readBuildInfos(folder: string): Read<object> | undefined {
  const fs = moduleOfNode<NodeFiles>('fs')
  return fs && readFiles(fs, folder, findBuildInfos(fs, folder))
}

type BuildInfoFile = ReturnType<typeof findBuildInfos>[number]

/** Lists the files of {@link readBuildInfos}, sorted by name. */
function findBuildInfos(fs: NodeFiles, folder: string) {
  const found = [`${folder}/build-info`, folder].map((path) => listJson(fs, path))
  const paths = found.find((list) => list.length > 0) ?? []
  return paths.map((path) => {
    const { mtimeMs, size } = fs.statSync(path)
    return { path, mtimeMs, size }
  })
}

/** Lists the JSON files of a folder, sorted by name; empty if the folder cannot be read. */
export function listJson(fs: Pick<NodeFiles, 'readdirSync'>, folder: string): string[] {
  try {
    const names = fs.readdirSync(folder).filter((name) => name.endsWith('.json'))
    return names.sort().map((name) => `${folder}/${name}`)
  } catch {
    return []
  }
}

/** Parses a file. If that fails, returns undefined and adds a note. */
export function readNoted<T>(
  fs: Pick<NodeFiles, 'readFileSync'>,
  path: string,
  notes: string[],
  parse: (text: string) => T,
): T | undefined {
  try {
    return parse(fs.readFileSync(path, 'utf8'))
  } catch (error) {
    notes.push(`${path} cannot be read: ${(error as Error).message}`)
    return undefined
  }
}

function readFiles(fs: NodeFiles, folder: string, files: readonly BuildInfoFile[]): Read<object> {
  if (files.length === 0) return { values: [], notes: [`there is no build info in ${folder}`] }
  const notes: string[] = []
  const read = (path: string): object | undefined =>
    readNoted(fs, path, notes, (text) => Object(JSON.parse(text)))
  const values = files
    .filter(({ path }) => !path.endsWith('.output.json'))
    .sort((a, b) => b.mtimeMs - a.mtimeMs)
    .flatMap(({ path }) => {
      const info = read(path)
      // Hardhat 3 writes the compiler's output to a separate file.
      const outputPath = path.replace(/\.json$/, '.output.json')
      const output = files.some((other) => other.path === outputPath) ? read(outputPath) : undefined
      return info === undefined && output === undefined ? [] : [{ ...info, ...output }]
    })
  return { values, notes }
}
