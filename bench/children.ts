/** The child processes run plain Node on transpiled files, so that no loader affects the measurements. */
import { type ChildProcess, fork, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { BUILD } from './transactions.ts'

const source = join(process.cwd(), 'bench')

/** Transpiles this folder into `BUILD`. */
export function buildChildren(): void {
  for (const folder of ['.', 'children', 'engines', 'rows']) {
    for (const file of readdirSync(join(source, folder)).filter((name) => name.endsWith('.ts'))) {
      const path = join(folder, file)
      const { outputText } = ts.transpileModule(readFileSync(join(source, path), 'utf8'), {
        compilerOptions: {
          target: ts.ScriptTarget.ES2022,
          module: ts.ModuleKind.ESNext,
          verbatimModuleSyntax: true,
          rewriteRelativeImportExtensions: true,
        },
      })
      const target = join(BUILD, path.replace(/\.ts$/, '.js'))
      mkdirSync(dirname(target), { recursive: true })
      writeFileSync(target, outputText)
    }
  }
}

/** Writes the input of a child, and returns the file. */
export function writeInput(name: string, input: unknown): string {
  const file = join(BUILD, `${name}.json`)
  mkdirSync(BUILD, { recursive: true })
  writeFileSync(file, JSON.stringify(input))
  return file
}

export interface ChildOptions {
  /** Variables in addition to those of this process. */
  readonly env?: Readonly<Record<string, string>>
  /** Whether it and what it starts run on the first core only, by default false. Needs {@link canPin}. */
  readonly pinned?: boolean
}

/** The command that runs another on the first core. */
const PIN = ['taskset', '-c', '0'] as const

/** Whether this machine has the command that pins a process to a core. */
export function canPin(): boolean {
  const [command, ...args] = PIN
  return spawnSync(command, [...args, 'true']).status === 0
}

/** The result that `children/<name>.ts` sends; undefined if it failed and printed the reason. */
export function runChild<Result>(
  name: string,
  args: readonly string[],
  options?: ChildOptions,
): Promise<Result | undefined> {
  return resultOf(startChild(name, args, options))
}

/** Starts `children/<name>.ts`; ending the channel to it ends it. */
export function startChild(
  name: string,
  args: readonly string[],
  { env, pinned = false }: ChildOptions = {},
): ChildProcess {
  const [command, ...pinArgs] = pinned ? [...PIN, process.execPath] : [process.execPath]
  return fork(join(BUILD, 'children', `${name}.js`), [...args], {
    execPath: command,
    execArgv: pinArgs,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
}

/** The first message of a child; undefined if it failed and printed the reason. */
export function resultOf<Result>(child: ChildProcess): Promise<Result | undefined> {
  return new Promise((resolve) => {
    child.once('message', (result) => resolve(result as Result))
    // `disconnect` comes after every message, even if the child crashes.
    child.once('disconnect', () => resolve(undefined))
  })
}
