/** What gas reports need of Node: files, terminal and process. Owns nothing. `snapshot.ts` imports it on demand. */
import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { styleText } from 'node:util'
import { isObject } from '../../base/schema.ts'
import { findArtifactFiles } from '../../inspect/explain/artifactFiles.ts'
import type { GasRecord } from './record.ts'
import type { TextStyle } from './report.ts'

/** Reads artifacts from files, and from folders under `root`. Calls `note` for each file that cannot be read. */
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
        // Folders also contain files that are no artifacts, such as caches.
        if (files.length === 1 || (isObject(artifact) && 'abi' in artifact))
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

/** Reads a file; resolves to undefined if it does not exist. @throws Node's error if it cannot be read */
export async function readText(root: string, path: string): Promise<string | undefined> {
  try {
    return await readFile(resolve(root, path), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** @throws Node's error */
export async function writeText(root: string, path: string, text: string): Promise<void> {
  await writeFile(resolve(root, path), text)
}

/** Writes a record to a new file in a folder, and creates the folder if needed. @throws Node's error */
export async function writeRecord(folder: string, record: GasRecord): Promise<void> {
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, `${randomUUID()}.json`), JSON.stringify(record))
}

/** Reads the records in a folder; none if the folder cannot be read. @throws Node's error if a file cannot be read */
export async function readRecords(folder: string): Promise<GasRecord[]> {
  const names = await readdir(folder).catch(() => [])
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
  return texts.map((text) => JSON.parse(text))
}

/** Removes the folder of records, if it exists. @throws Node's error */
export async function removeRecords(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
}

/** Returns the style of standard output: with colours on a terminal, unless `FORCE_COLOR` or `NO_COLOR` decides. */
export function terminalStyle(): TextStyle {
  const { FORCE_COLOR, NO_COLOR } = process.env
  const isForced = FORCE_COLOR !== undefined && FORCE_COLOR !== '0'
  const hasColors = !NO_COLOR && (isForced || (process.stdout.isTTY === true && process.stdout.hasColors()))
  // Node has styleText since 20.12.
  return hasColors && styleText !== undefined
    ? (format, text) => styleText(format, text)
    : (_format, text) => text
}

/** Whether the environment variable `CI` is set, as in continuous integration. */
export function isCi(): boolean {
  return Boolean(process.env['CI'])
}

/** Whether this process is a worker of mocha, which runs some of the test files. */
export function isMochaWorker(): boolean {
  return process.env['MOCHA_WORKER_ID'] !== undefined
}

/** Whether Hardhat's runner for node:test started this process, to run one test file. */
export function isNodeTestWorker(): boolean {
  return process.env['HH_TEST'] !== undefined && process.env['NODE_TEST_CONTEXT'] === 'child-v8'
}

/** Runs `work` when the process has nothing else left to do; once, however often it is passed. */
export function runOnceAtEnd(work: () => Promise<void>): void {
  if (!process.listeners('beforeExit').includes(work)) process.once('beforeExit', work)
}

/** Writes text and a line break to the standard output. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** Whether the process is going to exit with a code other than 0. */
export function isProcessFailed(): boolean {
  return Boolean(process.exitCode)
}

/** Makes the process exit with code 1, once nothing is left to do. */
export function failProcess(): void {
  process.exitCode = 1
}
