import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CHEATS } from '../../src/rpc/cheats.ts'
import { METHODS } from '../../src/rpc/table.ts'
import { codeOf, filesIn, isBuiltin, ROOT, specifiersOf, withoutComments } from './sources.ts'

/**
 * The order of the house: what stands further right may import what stands further left, `|` keeps two apart. A name
 * is a file, or a folder with all it holds.
 */
const ORDER = [
  'types · errors · clock · yielder · manualClock · bytes · rlp · textEncoding · emitter · disposal · version · transaction · bundle · gas · transactionRules',
  'options · optionChecks · faultSettings · requests · providerOptions · forkSchedule',
  'crypto · secp256k1Wasm · kzg · kzgSetup',
  'rules',
  'accounts · systemContracts · typedData',
  'state',
  'ledger/block',
  'genesis',
  'mempool | ledger',
  'execution',
  'tip · slotTimer · retraction · faults · signers · batches',
  'publisher',
  'remake',
  'writer',
  'view | sequencer',
  'snapshots | mining | reorg',
  'cheats',
  'core',
  'trace',
  'rpc',
  'chain · chainServices · announceProvider · forwardEvents',
  'index',
  'server | viem | ethers | worker | vitest',
  'cli',
]

/** Files that are longer than the rest may be, and why. */
const LONG_FILES: Readonly<Record<string, string>> = {
  'errors.ts': 'a list: every error is written here, once',
  'options.ts': 'a list: every option, its meaning, default and check',
  'rpc/params.ts': 'a list: one reader per kind of parameter',
  'types.ts': 'a list: every shape of the wire that is of no single part',
  'view.ts': 'the one place that resolves block tags, for every method',
}
const MAX_LINES = 350

/** What the package's sub-paths are made of. */
const ENTRIES = [
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

interface Place {
  readonly rank: number
  /** Which side of `|`. */
  readonly side: number
}

/** A file's place is that of the longest name in the order that covers it. */
const places = new Map<string, Place>()
for (const [rank, row] of ORDER.entries()) {
  for (const [side, names] of row.split(' | ').entries()) {
    for (const name of names.split(' · ')) places.set(name, { rank, side })
  }
}
function placeOf(file: string): Place | undefined {
  for (let name = file.replace(/\.ts$/, ''); ; name = dirname(name)) {
    const place = places.get(name)
    if (place !== undefined || name === '.') return place
  }
}

function complaints(complain: (file: string) => string[]): string[] {
  return files.flatMap((file) => complain(file).map((complaint) => `${file}: ${complaint}`))
}

describe('src', () => {
  it('has a place in the order for every file, and a file for every place', () => {
    expect(files.filter((file) => placeOf(file) === undefined)).toEqual([])
    const known = [...places.keys()]
    expect(
      known.filter((name) => !files.some((file) => file === `${name}.ts` || file.startsWith(`${name}/`))),
    ).toEqual([])
  })

  it('imports only what exists', () => {
    expect(complaints((file) => importsOf(file).filter((target) => !files.includes(target)))).toEqual([])
  })

  it('imports downward only', () => {
    const upward = complaints((file) => {
      const from = placeOf(file)!
      return importsOf(file).filter((target) => {
        const to = placeOf(target)!
        return to.rank > from.rank || (to.rank === from.rank && to.side !== from.side)
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

  it('imports nothing of Node, but for the Node server and the command line', () => {
    const importing = files.filter((file) => specifiersOf(textOf(file)).some(isBuiltin))
    expect(importing).toEqual([...COMMAND_LINE, NODE_ONLY])
    const touching = files.filter((file) => NODE_GLOBAL.test(codeOf(textOf(file))))
    expect(touching.filter((file) => file !== NODE_ONLY)).toEqual(['cli/index.ts'])
    const loading = files.filter((file) => importsOf(file).includes(NODE_ONLY))
    expect(loading).toEqual(['server/serve.ts'])
    expect(textOf('server/serve.ts')).not.toMatch(/\bfrom '\.\/node\.ts'/)
  })

  it('takes time and timers from clock.ts alone', () => {
    // A clock's own method is defined by its first parameter.
    const time = /\bDate\b|\bperformance\b|(?<!\.)\b(setTimeout|setInterval|setImmediate)\s*\((?!fn: )/
    const host = /globalThis\s*[.[]/
    const touching = files.filter(
      (file) => time.test(codeOf(textOf(file))) || host.test(codeOf(textOf(file))),
    )
    expect(touching).toEqual(['clock.ts'])
  })

  it("knows of no 'pending' in a method, but for the stage of a transaction", () => {
    const knowing = files.filter(
      (file) => file.startsWith('rpc/methods/') && /['"`]pending['"`]/.test(withoutComments(textOf(file))),
    )
    expect(knowing).toEqual(['rpc/methods/chain_transactionStatus.ts'])
  })

  it('has each method in a file of its name, and a test beside it', () => {
    const namesIn = (folder: string, ending: string) =>
      readdirSync(join(ROOT, folder))
        .filter((name) => name.endsWith(ending))
        .map((name) => name.slice(0, -ending.length))
        .sort()
    const names = Object.keys(METHODS).filter(
      (name) => name !== 'base_transactionStatus' && !Object.hasOwn(CHEATS, name),
    )
    expect(namesIn('src/rpc/methods', '.ts')).toEqual(names.sort())
    expect(namesIn('test/rpc/methods', '.test.ts')).toEqual(names)
  })

  it(`has no file of more than ${MAX_LINES} lines without a reason`, () => {
    const long = files.filter((file) => textOf(file).trimEnd().split('\n').length > MAX_LINES)
    expect(long).toEqual(Object.keys(LONG_FILES).sort())
  })
})
