/** The tests that need Node are named `*.node.test.ts`, and no others: all others run in a browser too. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { codeOf, filesIn, isBuiltin, loadedBy, ROOT } from './tools/sources.ts'

/** Packages for Node alone. */
const NODE_PACKAGE = /^(solc|viem\/node|ws)$/

/** Globals that only Node has. */
const NODE_GLOBAL = /(?<![.\w])(Buffer|process|setImmediate|__dirname|__filename)\b|\brequire\(''/

/** The trials of the package start processes, and are not part of the suite. */
const tests = filesIn('test').filter((file) => !file.startsWith('package/') && file.endsWith('.test.ts'))
const isForNode = (file: string) => file.endsWith('.node.test.ts')
const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8')

/** The paths that were followed, by the file that each begins with. */
const paths = new Map<string, readonly string[] | undefined>()

/** The chain of imports from a file to the first use of Node; undefined if there is none. */
function pathToNode(path: string): readonly string[] | undefined {
  if (!paths.has(path)) {
    // While it is followed, so that a cycle ends.
    paths.set(path, undefined)
    paths.set(path, followImports(path))
  }
  return paths.get(path)
}

function followImports(path: string): readonly string[] | undefined {
  const text = textOf(path)
  // The library asks the host; another test checks it.
  const [global] = path.startsWith('test/') ? (NODE_GLOBAL.exec(codeOf(text)) ?? []) : []
  if (global !== undefined) return [path, global]
  for (const specifier of loadedBy(text)) {
    if (isBuiltin(specifier) || NODE_PACKAGE.test(specifier)) return [path, specifier]
    if (!specifier.startsWith('.') || !specifier.endsWith('.ts')) continue
    const rest = pathToNode(join(path, '..', specifier))
    if (rest !== undefined) return [path, ...rest]
  }
  return undefined
}

describe('a test', () => {
  it('needs nothing of Node, unless its name says so', () => {
    const needing = tests
      .filter((file) => !isForNode(file))
      .map((file) => pathToNode(`test/${file}`)?.join(' > '))
      .filter((path) => path !== undefined)
    expect(needing).toEqual([])
  })

  it('that is named as one for Node would not run in a browser', () => {
    expect(tests.filter(isForNode).filter((file) => pathToNode(`test/${file}`) === undefined)).toEqual([])
  })
})
