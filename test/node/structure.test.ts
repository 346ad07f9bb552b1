import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FLOORS } from '../../scripts/rooms.ts'
import type { Method } from '../../src/rpc/method.ts'
import { METHODS } from '../../src/rpc/table.ts'
import { isDevMethod } from '../rpc/devMethods.ts'
import { codeOf, filesIn, isBuiltin, ROOT, specifiersOf, withoutComments } from './sources.ts'

/** What is read in one sitting. */
const MAX_LINES = 350
const MAX_BYTES = 14_000

/** What the package's sub-paths are made of. */
const ENTRIES = [
  'errors/index.ts',
  'ethers/index.ts',
  'index.ts',
  'server/index.ts',
  'viem/index.ts',
  'vitest/index.ts',
  'worker/index.ts',
]

/** What only Node has without an import. */
const NODE_GLOBAL = /(?<!\.)\b(Buffer|process|__dirname)\b|\brequire\(''/

/** The one file of the library that needs Node; no other imports it, but for the one that loads it on demand. */
const NODE_ONLY = 'server/node.ts'

/** Files of the command line that need Node; nothing else can import them, by their place in the order. */
const COMMAND_LINE = ['cli/arguments.ts', 'cli/index.ts']

const files = filesIn('src')
const textOf = (file: string) => readFileSync(join(ROOT, 'src', file), 'utf8')

/** The files of src that a file imports. */
function importsOf(file: string): string[] {
  return specifiersOf(textOf(file))
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => posix.join(dirname(file), specifier))
}

/** The floor of each room, from 0 on. */
const floors = new Map(FLOORS.flatMap((rooms, floor) => rooms.map(({ name }) => [name, floor] as const)))
const roomOf = (file: string): string =>
  file.includes('/') ? file.split('/')[0]! : file.replace(/\.ts$/, '')

function complaints(complain: (file: string) => string[]): string[] {
  return files.flatMap((file) => complain(file).map((complaint) => `${file}: ${complaint}`))
}

describe('src', () => {
  it('has a floor for every room, and a room for every name on a floor', () => {
    expect([...new Set(files.map(roomOf))].sort()).toEqual([...floors.keys()].sort())
  })

  it('imports only what exists', () => {
    expect(complaints((file) => importsOf(file).filter((target) => !files.includes(target)))).toEqual([])
  })

  it('imports from lower floors only', () => {
    const upward = complaints((file) => {
      const room = roomOf(file)
      return importsOf(file).filter((target) => {
        const targetRoom = roomOf(target)
        return targetRoom !== room && floors.get(targetRoom)! >= floors.get(room)!
      })
    })
    expect(upward).toEqual([])
  })

  it('has no cycles, type imports included', () => {
    const cycles: string[] = []
    const done = new Set<string>()
    const walk = (file: string, path: readonly string[]): void => {
      if (path.includes(file)) {
        cycles.push([...path.slice(path.indexOf(file)), file].join(' > '))
        return
      }
      if (done.has(file)) return
      for (const target of importsOf(file)) walk(target, [...path, file])
      done.add(file)
    }
    for (const file of files) walk(file, [])
    expect(cycles).toEqual([])
  })

  it('re-exports in the files of the entry points alone', () => {
    const reexporting = files.filter((file) =>
      /^export\b[^;]*?\bfrom '/m.test(textOf(file).replace(/\{[^}]*\}/g, '{}')),
    )
    expect(reexporting).toEqual(ENTRIES)
  })

  it('names @ethereumjs in its adapters alone', () => {
    const naming = files.filter((file) => textOf(file).includes('@ethereumjs'))
    expect(naming.filter((file) => !/^(evm\/ethereumjs|import|ledger\/ethereumjs)\//.test(file))).toEqual([])
  })

  it('imports nothing of Node, but for the Node server and the command line', () => {
    const importing = files.filter((file) => specifiersOf(textOf(file)).some(isBuiltin))
    expect(importing).toEqual([...COMMAND_LINE, NODE_ONLY])
    const touching = files.filter((file) => NODE_GLOBAL.test(codeOf(textOf(file))))
    expect(touching.filter((file) => file !== NODE_ONLY)).toEqual(['cli/index.ts'])
    const loading = files.filter((file) => importsOf(file).includes(NODE_ONLY))
    expect(loading).toEqual(['server/serve.ts'])
    expect(textOf('server/serve.ts')).not.toMatch(/\bfrom '\.\/node\.ts'/)
  })

  it('takes time and timers from primitives/clock.ts alone', () => {
    // A clock's own method is defined by its first parameter.
    const time = /\bDate\b|\bperformance\b|(?<!\.)\b(setTimeout|setInterval|setImmediate)\s*\((?!fn: )/
    const host = /globalThis\s*[.[]/
    const touching = files.filter(
      (file) => time.test(codeOf(textOf(file))) || host.test(codeOf(textOf(file))),
    )
    expect(touching).toEqual(['primitives/clock.ts'])
  })

  it("has no 'pending' in a method", () => {
    const knowing = files.filter(
      (file) => file.startsWith('rpc/methods/') && /['"`]pending['"`]/.test(withoutComments(textOf(file))),
    )
    expect(knowing).toEqual([])
  })

  it('has each method in a file of its name, and a test of it', () => {
    const namesIn = (folder: string, ending: string) =>
      readdirSync(join(ROOT, folder))
        .filter((name) => name.endsWith(ending))
        .map((name) => name.slice(0, -ending.length))
        .sort()
    const aliases = new Set(Object.values(METHODS).flatMap((one: Method) => one.aliases ?? []))
    const names = namesIn('src/rpc/methods', '.ts')
    const unlisted = Object.keys(METHODS).filter((name) => !names.includes(name) && !aliases.has(name))
    expect(unlisted).toEqual([])
    expect(names.filter((name) => !Object.hasOwn(METHODS, name))).toEqual([])
    // What development chains add is tested by what it is about.
    expect(namesIn('test/rpc/methods', '.test.ts')).toEqual(names.filter((name) => !isDevMethod(name)))
    const tests = filesIn('test')
      .map((file) => readFileSync(join(ROOT, 'test', file), 'utf8'))
      .join()
    const untested = names.filter((name) => {
      const { aliases = [] } = METHODS[name as keyof typeof METHODS] as Method
      // By its name on the wire, or as an action of viem's test client.
      const action = `.${name.replace(/^\w+?_/, '')}(`
      return ![name, ...aliases].some((one) => tests.includes(`'${one}'`) || tests.includes(action))
    })
    expect(untested).toEqual([])
  })

  it(`has no file of more than ${MAX_LINES} lines or ${MAX_BYTES} bytes`, () => {
    const long = files.filter((file) => {
      const text = textOf(file)
      return text.trimEnd().split('\n').length > MAX_LINES || Buffer.byteLength(text) > MAX_BYTES
    })
    expect(long).toEqual([])
  })
})
