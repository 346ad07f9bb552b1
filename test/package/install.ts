/** What is installed from the npm registry for the trials, and kept for the next run. */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { copyFile, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { run } from './run.ts'

/**
 * Installs what a folder's lock file names: once per content of it. A run that is cut short leaves nothing that the next
 * would take for whole.
 *
 * @param env - for npm, such as a `PATH` with the Node that the packages are for: others leave out what is optional.
 * @returns the folder whose node_modules has it.
 * @throws where the registry cannot be reached.
 */
export async function install(source: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const lock = await readFile(join(source, 'package-lock.json'))
  const version = createHash('sha256').update(lock).digest('hex').slice(0, 16)
  const installed = join(tmpdir(), `preseal-package-${basename(source)}-${version}`)
  if (existsSync(installed)) return installed
  const folder = await mkdtemp(`${installed}-`)
  try {
    for (const file of ['package.json', 'package-lock.json']) {
      await copyFile(join(source, file), join(folder, file))
    }
    // Not `npm ci`: it asks for binaries of every platform, which some registries lack.
    await run('npm', ['install'], { cwd: folder, timeout: 540_000, env })
    await rename(folder, installed)
  } catch (error) {
    await rm(folder, { recursive: true })
    throw new Error(`${basename(source)} cannot be installed; is the npm registry reachable?`, {
      cause: error,
    })
  }
  return installed
}
