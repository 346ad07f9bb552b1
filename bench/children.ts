/** The child processes run plain Node on transpiled files: no loader is in what they measure. */
import { type ChildProcess, fork } from 'node:child_process'
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

/** Writes what a child is to read, and returns the file. */
export function writeInput(name: string, input: unknown): string {
  const file = join(BUILD, `${name}.json`)
  mkdirSync(BUILD, { recursive: true })
  writeFileSync(file, JSON.stringify(input))
  return file
}

/** What `children/<name>.ts` sends; undefined where it failed, and then it has said why. */
export function runChild<Result>(
  name: string,
  args: readonly string[],
  env?: Readonly<Record<string, string>>,
): Promise<Result | undefined> {
  return resultOf(startChild(name, args, env))
}

/** Starts `children/<name>.ts`; ending the channel to it ends it. */
export function startChild(
  name: string,
  args: readonly string[],
  env?: Readonly<Record<string, string>>,
): ChildProcess {
  return fork(join(BUILD, 'children', `${name}.js`), [...args], {
    execArgv: [],
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
}

/** The first message of a child; undefined where it failed, and then it has said why. */
export function resultOf<Result>(child: ChildProcess): Promise<Result | undefined> {
  return new Promise((resolve) => {
    child.once('message', (result) => resolve(result as Result))
    // Comes after every message, also when the child dies.
    child.once('disconnect', () => resolve(undefined))
  })
}
