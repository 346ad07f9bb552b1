/** Installs packages from the npm registry for the trials, and keeps them for the next run. */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { run } from './run.ts'

/**
 * Installs the packages of a folder's lock file, once per content of it.
 *
 * @param env - npm's environment, such as a `PATH` with the Node that the packages are for: optional
 *   packages depend on it.
 * @returns the folder whose node_modules has them.
 * @throws if the registry cannot be reached.
 */
export async function install(source: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const read = (name: string) => readFile(join(source, name), 'utf8')
  const lock = await read('package-lock.json')
  const files = { 'package.json': await read('package.json'), 'package-lock.json': lock }
  return installOnce(basename(source), lock, files, env)
}

/** Like {@link install}, for packages by name and version; npm resolves their dependencies. */
export function installPackages(
  name: string,
  versions: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const manifest = JSON.stringify({ private: true, dependencies: versions })
  return installOnce(name, manifest, { 'package.json': manifest }, env)
}

/** Installs into a temporary folder first, so that an interrupted run leaves nothing that looks complete. */
async function installOnce(
  name: string,
  key: string,
  files: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const version = createHash('sha256').update(key).digest('hex').slice(0, 16)
  const installed = join(tmpdir(), `preseal-package-${name}-${version}`)
  if (existsSync(installed)) return installed
  const folder = await mkdtemp(`${installed}-`)
  try {
    for (const [path, text] of Object.entries(files)) await writeFile(join(folder, path), text)
    // Not `npm ci`: it requests binaries of every platform, which some registries lack.
    await run('npm', ['install'], { cwd: folder, timeout: 540_000, env })
    await rename(folder, installed).catch(async (error) => {
      if (!existsSync(installed)) throw error
      // Another trial was faster.
      await rm(folder, { recursive: true })
    })
  } catch (error) {
    await rm(folder, { recursive: true })
    throw new Error(`${name} cannot be installed; is the npm registry reachable?`, { cause: error })
  }
  return installed
}
