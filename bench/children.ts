/** The child processes run plain Node on transpiled files, so that no loader affects the measurements. */
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

/** Writes the input of a child, and returns the file. */
export function writeInput(name: string, input: unknown): string {
  const file = join(BUILD, `${name}.json`)
  mkdirSync(BUILD, { recursive: true })
  writeFileSync(file, JSON.stringify(input))
  return file
}

/** The result that `children/<name>.ts` sends; undefined if it failed and printed the reason. */
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

/** The first message of a child; undefined if it failed and printed the reason. */
export function resultOf<Result>(child: ChildProcess): Promise<Result | undefined> {
  return new Promise((resolve) => {
    child.once('message', (result) => resolve(result as Result))
    // `disconnect` comes after every message, even if the child crashes.
    child.once('disconnect', () => resolve(undefined))
  })
}
