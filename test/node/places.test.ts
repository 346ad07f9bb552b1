/** Which tests stand in `test/node/`: those that need Node, and no others, since all others run in a browser too. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { codeOf, filesIn, isBuiltin, loadedBy, ROOT } from './sources.ts'

/** Packages for Node alone. */
const NODE_PACKAGE = /^(solc|viem\/node|ws)$/

/** What only Node has without an import. */
const NODE_GLOBAL = /(?<![.\w])(Buffer|process|setImmediate|__dirname|__filename)\b|\brequire\(''/

/** The trials of the package start processes, and are no part of the suite. */
const files = filesIn('test').filter((file) => !file.startsWith('package/'))
const isForNode = (file: string) => file.startsWith('node/')
const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8')

/** The way from a file to what of Node it loads, each of them the importer of the next; undefined where there is none. */
function wayToNode(path: string, seen = new Set<string>()): readonly string[] | undefined {
  seen.add(path)
  for (const specifier of loadedBy(textOf(path))) {
    if (isBuiltin(specifier) || NODE_PACKAGE.test(specifier)) return [path, specifier]
    const target = join(path, '..', specifier)
    if (!specifier.startsWith('.') || !specifier.endsWith('.ts') || seen.has(target)) continue
    const way = wayToNode(target, seen)
    if (way !== undefined) return [path, ...way]
  }
  return undefined
}

describe('test/', () => {
  it('needs nothing of Node, but for test/node/', () => {
    const needing = files
      .filter((file) => !isForNode(file))
      .map((file) => wayToNode(`test/${file}`)?.join(' > '))
      .filter((way) => way !== undefined)
    expect(needing).toEqual([])
    expect(
      files.filter((file) => !isForNode(file) && NODE_GLOBAL.test(codeOf(textOf(`test/${file}`)))),
    ).toEqual([])
  })

  it('has nothing in test/node/ that would run in a browser too', () => {
    const tests = files.filter((file) => isForNode(file) && file.endsWith('.test.ts'))
    expect(tests.filter((file) => wayToNode(`test/${file}`) === undefined)).toEqual([])
  })
})
