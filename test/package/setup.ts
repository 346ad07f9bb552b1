/**
 * What the trials share: the package as it would be published, and the tools of the projects that it is installed into.
 *
 * Owns the folder of one run, which is removed at its end, and the tools', which is kept for the next run.
 */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { run } from './run.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The folder of this run, for projects to be made in. */
    readonly folder: string
    /** The packed package. */
    readonly tarball: string
    /** The folder whose node_modules has the tools. */
    readonly tools: string
  }
}

const TOOLS = join(import.meta.dirname, 'tools')

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const tools = await installTools()
  const folder = await mkdtemp(join(tmpdir(), 'preseal-package-'))
  await run('npm', ['run', 'build'])
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder])
  const [packed] = JSON.parse(stdout) as [{ readonly filename: string }]
  project.provide('folder', folder)
  project.provide('tarball', join(folder, packed.filename))
  project.provide('tools', tools)
  return () => rm(folder, { recursive: true })
}

/** Once per content of the lock file; a run that is cut short leaves nothing that the next would take for whole. */
async function installTools(): Promise<string> {
  const lock = await readFile(join(TOOLS, 'package-lock.json'))
  const version = createHash('sha256').update(lock).digest('hex').slice(0, 16)
  const installed = join(tmpdir(), `preseal-package-tools-${version}`)
  if (existsSync(installed)) return installed
  const folder = await mkdtemp(`${installed}-`)
  try {
    await cp(TOOLS, folder, { recursive: true })
    // Not `npm ci`: it asks for binaries of every platform, which some registries lack.
    await run('npm', ['install'], { cwd: folder, timeout: 540_000 })
    await rename(folder, installed)
  } catch (error) {
    await rm(folder, { recursive: true })
    throw new Error('the tools of the trials cannot be installed; is the npm registry reachable?', {
      cause: error,
    })
  }
  return installed
}
