/** An empty project of somebody's, with the packed package in it. */
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ModuleKind, ScriptTarget, transpileModule } from 'typescript'
import { inject } from 'vitest'
import { type Output, type RunOptions, run } from './run.ts'

/** What a project is made of. */
export interface ProjectOptions {
  /** The `type` of its package.json; 'module'. */
  readonly type?: 'module' | 'commonjs'
  /** The tools it depends on, by name; none. Laid out as pnpm does, so that what they depend on is not the project's. */
  readonly tools?: readonly string[]
  /** The folder whose node_modules has them; that of the tools all trials share. */
  readonly installed?: string
  /** Further dependencies by name, each with the folder whose node_modules has it; none. */
  readonly others?: Readonly<Record<string, string>>
  /** Texts by path. */
  readonly files: Readonly<Record<string, string>>
}

/** A project on disk. */
export interface Project {
  readonly folder: string
  /** Runs a command in its folder, to its end. */
  run(command: string, args: readonly string[], options?: Omit<RunOptions, 'cwd'>): Promise<Output>
}

/** Writes a project and installs the package into it. */
export async function createProject({
  type = 'module',
  tools = [],
  installed = inject('tools'),
  others = {},
  files,
}: ProjectOptions): Promise<Project> {
  const folder = await mkdtemp(join(inject('folder'), 'project-'))
  const manifest = { name: 'project', private: true, type }
  for (const [path, text] of Object.entries({ 'package.json': JSON.stringify(manifest), ...files })) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  await run('npm', ['install', '--offline', inject('tarball')], { cwd: folder })
  const folders = { ...Object.fromEntries(tools.map((tool) => [tool, installed])), ...others }
  for (const [name, source] of Object.entries(folders)) {
    const link = join(folder, 'node_modules', name)
    await mkdir(dirname(link), { recursive: true })
    await symlink(join(source, 'node_modules', name), link)
  }
  return { folder, run: (command, args, options) => run(command, args, { ...options, cwd: folder }) }
}

/** The command of a tool. */
export function toolCommand(name: string): string {
  return join(inject('tools'), 'node_modules', '.bin', name)
}

/** TypeScript as the JavaScript that somebody would have written instead. */
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

/** The Nodes the package is for: this one, and those among the tools. */
export const NODES = ['20', '22', '24'] as const

/**
 * The command of a Node, by its major version.
 *
 * @throws where it is neither the one that runs this nor among the tools.
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
