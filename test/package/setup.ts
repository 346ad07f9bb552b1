/**
 * Shared by the trials: the package as it would be published, an empty project into which npm has installed it, and the tools
 * of the projects.
 *
 * Owns the folder of one run, which is removed at its end, and the tools' folder, which is kept for the next.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { install } from './install.ts'
import { run } from './run.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The folder of this run, in which projects are created. */
    readonly folder: string
    /** The packed package. */
    readonly tarball: string
    /** The folder whose node_modules has the package, as npm installs it. */
    readonly installed: string
    /** The folder whose node_modules has the tools. */
    readonly tools: string
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const tools = await install(join(import.meta.dirname, 'tools'))
  const folder = await mkdtemp(join(tmpdir(), 'preseal-package-'))
  await run('npm', ['run', 'build'], { timeout: 540_000 })
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder])
  const [packed] = JSON.parse(stdout) as [{ readonly filename: string }]
  const tarball = join(folder, packed.filename)
  const installed = join(folder, 'installed')
  await mkdir(installed)
  await run('npm', ['install', '--offline', tarball], { cwd: installed })
  project.provide('folder', folder)
  project.provide('tarball', tarball)
  project.provide('installed', installed)
  project.provide('tools', tools)
  return () => rm(folder, { recursive: true })
}
