/** A user's project with the packed package installed. */
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ModuleKind, ScriptTarget, transpileModule } from 'typescript'
import { inject } from 'vitest'
import { type Output, type RunOptions, run } from './run.ts'

/** The contents of a project. */
export interface ProjectOptions {
  /** The `type` of its package.json; by default 'module'. */
  readonly type?: 'module' | 'commonjs'
  /** The tools it depends on, by name; none by default. As with pnpm, their dependencies are not the project's. */
  readonly tools?: readonly string[]
  /** The folder whose node_modules has them; by default the folder of the tools of all trials. */
  readonly installed?: string
  /** Further dependencies by name, each with the folder whose node_modules has it; none by default. */
  readonly others?: Readonly<Record<string, string>>
  /** The texts of its files by path. */
  readonly files: Readonly<Record<string, string>>
}

/** A project on disk. */
export interface Project {
  readonly folder: string
  /** Runs a command in its folder, to its end. */
  run(command: string, args: readonly string[], options?: Omit<RunOptions, 'cwd'>): Promise<Output>
}

/** Writes a project with the package, which is copied from the folder into which npm has installed it. */
export async function createProject({
  type = 'module',
  tools = [],
  installed = inject('tools'),
  others = {},
  files,
}: ProjectOptions): Promise<Project> {
  const folder = await mkdtemp(join(inject('folder'), 'project-'))
  const source = inject('installed')
  const { dependencies } = JSON.parse(await readFile(join(source, 'package.json'), 'utf8'))
  const manifest = { name: 'project', private: true, type, dependencies }
  for (const [path, text] of Object.entries({ 'package.json': JSON.stringify(manifest), ...files })) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  for (const name of ['package-lock.json', 'node_modules']) {
    await cp(join(source, name), join(folder, name), { recursive: true, verbatimSymlinks: true })
  }
  const folders = { ...Object.fromEntries(tools.map((tool) => [tool, installed])), ...others }
  for (const [name, installedIn] of Object.entries(folders)) {
    const link = join(folder, 'node_modules', name)
    await mkdir(dirname(link), { recursive: true })
    await symlink(join(installedIn, 'node_modules', name), link)
  }
  return { folder, run: (command, args, options) => run(command, args, { ...options, cwd: folder }) }
}

/** The command of a tool. */
export function toolCommand(name: string): string {
  return join(inject('tools'), 'node_modules', '.bin', name)
}

/** TypeScript as the equivalent JavaScript. */
export function toJavaScript(source: string, module: 'esm' | 'cjs'): string {
  const { outputText } = transpileModule(source, {
    compilerOptions: {
      module: module === 'esm' ? ModuleKind.ES2022 : ModuleKind.CommonJS,
      target: ScriptTarget.ES2022,
      esModuleInterop: true,
    },
  })
  return outputText
}

/** The supported versions of Node: this one, and those among the tools. */
export const NODES = ['20', '22', '24'] as const

/**
 * The command of a Node, by its major version.
 *
 * @throws if it is neither the running one nor among the tools.
 */
export function nodeCommand(major: (typeof NODES)[number]): string {
  if (process.versions.node.startsWith(`${major}.`)) return process.execPath
  const command = join(
    inject('tools'),
    `node_modules/node${major}-${process.platform}-${process.arch}/bin/node`,
  )
  if (!existsSync(command)) throw new Error(`no Node ${major} for ${process.platform} on ${process.arch}`)
  return command
}
