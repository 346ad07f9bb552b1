/** Transpiles the benchmarks for the child processes, which run plain Node: no loader is in what they measure. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { BUILD } from './transactions.ts'

const source = join(process.cwd(), 'bench')

export function buildChildren(): void {
  for (const folder of ['.', 'engines', 'rows']) {
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
