/** `test/node/` has the tests that need Node, and no others: all others run in a browser too. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { codeOf, filesIn, isBuiltin, loadedBy, ROOT } from './sources.ts'

/** Packages for Node alone. */
const NODE_PACKAGE = /^(solc|viem\/node|ws)$/

/** Globals that only Node has. */
const NODE_GLOBAL = /(?<![.\w])(Buffer|process|setImmediate|__dirname|__filename)\b|\brequire\(''/

/** The trials of the package start processes, and are not part of the suite. */
const files = filesIn('test').filter((file) => !file.startsWith('package/'))
const isForNode = (file: string) => file.startsWith('node/')
const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8')

/** The paths that were followed, by the file that each begins with. */
const paths = new Map<string, readonly string[] | undefined>()

/** The chain of imports from a file to the first module that needs Node; undefined if there is none. */
function pathToNode(path: string): readonly string[] | undefined {
  if (!paths.has(path)) {
    // While it is followed, so that a cycle ends.
    paths.set(path, undefined)
    paths.set(path, followImports(path))
  }
  return paths.get(path)
}

function followImports(path: string): readonly string[] | undefined {
  for (const specifier of loadedBy(textOf(path))) {
    if (isBuiltin(specifier) || NODE_PACKAGE.test(specifier)) return [path, specifier]
    if (!specifier.startsWith('.') || !specifier.endsWith('.ts')) continue
    const rest = pathToNode(join(path, '..', specifier))
    if (rest !== undefined) return [path, ...rest]
  }
  return undefined
}

describe('test/', () => {
  it('needs nothing of Node, except in test/node/', () => {
    const needing = files
      .filter((file) => !isForNode(file))
      .map((file) => pathToNode(`test/${file}`)?.join(' > '))
      .filter((path) => path !== undefined)
    expect(needing).toEqual([])
    expect(
      files.filter((file) => !isForNode(file) && NODE_GLOBAL.test(codeOf(textOf(`test/${file}`)))),
    ).toEqual([])
  })

  it('has nothing in test/node/ that would run in a browser too', () => {
    const tests = files.filter((file) => isForNode(file) && file.endsWith('.test.ts'))
    expect(tests.filter((file) => pathToNode(`test/${file}`) === undefined)).toEqual([])
  })
})
