/** Files of gas reports, and the terminal. Owns nothing. Needs Node, so `files.ts` imports it on demand, and pages never do. */
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { styleText } from 'node:util'
import { findArtifactFiles } from '../explain/artifactFiles.ts'
import type { TextStyle } from './text.ts'

/**
 * Reads the artifacts of folders, including those in them, and single files.
 *
 * @param root - the folder that paths are relative to.
 * @param note - called with what cannot be read.
 */
export async function readArtifactFiles(
  root: string,
  paths: readonly string[],
  note: (text: string) => void,
): Promise<Record<string, unknown>> {
  const artifacts: Record<string, unknown> = {}
  for (const path of paths) {
    const files = await findFiles(resolve(root, path)).catch((error: Error) => {
      note(`artifacts cannot be read: ${error.message}`)
      return []
    })
    for (const file of files) {
      try {
        const artifact: unknown = JSON.parse(await readFile(file, 'utf8'))
        // Folders also have files that are no artifacts, such as caches.
        if (files.length === 1 || hasAbi(artifact))
          artifacts[relative(root, file).replace(/\.json$/, '')] = artifact
      } catch (error) {
        note(`the artifact ${relative(root, file)} cannot be read: ${(error as Error).message}`)
      }
    }
  }
  return artifacts
}

async function findFiles(path: string): Promise<string[]> {
  if (!(await stat(path)).isDirectory()) return [path]
  const { artifacts } = await findArtifactFiles({ readdir }, path)
  return artifacts.map((file) => join(path, file))
}

function hasAbi(artifact: unknown): boolean {
  return typeof artifact === 'object' && artifact !== null && 'abi' in artifact
}

/** The text of a file; undefined if there is none. @throws what Node throws if it cannot be read. */
export async function readText(root: string, path: string): Promise<string | undefined> {
  try {
    return await readFile(resolve(root, path), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Writes a file. @throws what Node throws. */
export async function writeText(root: string, path: string, text: string): Promise<void> {
  await writeFile(resolve(root, path), text)
}

/** The style of standard output: no colours unless it is a terminal, or if `NO_COLOR` says so. */
export function terminalStyle(): TextStyle {
  const { FORCE_COLOR, NO_COLOR } = process.env
  const isForced = FORCE_COLOR !== undefined && FORCE_COLOR !== '0'
  const hasColors = NO_COLOR
    ? false
    : isForced || (process.stdout.isTTY === true && process.stdout.hasColors())
  // Node has styleText from 20.12 on.
  return hasColors && styleText !== undefined
    ? (format, text) => styleText(format, text)
    : (_format, text) => text
}

/** Makes the process end with exit code 1. */
export function failProcess(): void {
  process.exitCode = 1
}
