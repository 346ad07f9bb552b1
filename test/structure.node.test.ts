import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { methodClasses, methodExamples, methodTable } from '../scripts/methodFiles.ts'
import { FLOORS, roomOf } from '../scripts/rooms.ts'
import { ENTRIES, entryFile } from '../scripts/site/api.ts'
import type { Method } from '../src/rpc/method.ts'
import { METHODS } from '../src/rpc/table.ts'
import { isDevMethod } from './rpc/devMethods.ts'
import examples from './rpc/examples.json' with { type: 'json' }
import { codeOf, filesIn, isBuiltin, loadedBy, ROOT, specifiersOf, withoutComments } from './tools/sources.ts'

/** Globals that only Node has. */
const NODE_GLOBAL = /(?<!\.)\b(Buffer|process|__dirname)\b|\brequire\(''/

/** The files of the library that need Node, by the only file that imports each, on demand. */
const NODE_ONLY = {
  'core/fork/cache.ts': 'core/fork/node.ts',
  'kits/gas/snapshot.ts': 'kits/gas/node.ts',
  'kits/server/serve.ts': 'kits/server/node.ts',
}

/** Files that ask the host for modules or globals of Node at run time, and go without them on other hosts. */
const ASKING_FOR_NODE = ['inspect/explain/host.ts', 'base/bytes.ts', 'base/nodeModule.ts']

/** Files of the command line that need Node; the order of imports lets no other file import them. */
const COMMAND_LINE = [
  'kits/cli/arguments.ts',
  'kits/cli/database/folder.ts',
  'kits/cli/files.ts',
  'kits/cli/stateFiles.ts',
]

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

function problemsOf(find: (file: string) => string[]): string[] {
  return files.flatMap((file) => find(file).map((problem) => `${file}: ${problem}`))
}

/** The names that a file declares and exports without TSDoc. Of an overloaded function, one signature needs it. */
function undocumentedExports(file: string): string[] {
  const text = textOf(file)
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest)
  const isDocumented = new Map<string, boolean>()
  for (const statement of tree.statements) {
    const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined
    if (!modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) continue
    // A comment before an empty line is the file's.
    const hasComment = ts
      .getLeadingCommentRanges(text, statement.pos)
      ?.some(({ pos, end }) => text.startsWith('/**', pos) && !text.startsWith('\n\n', end))
    const declarations = ts.isVariableStatement(statement)
      ? statement.declarationList.declarations
      : [statement as ts.DeclarationStatement]
    for (const { name } of declarations) {
      const exported = name?.getText(tree) ?? 'default'
      isDocumented.set(exported, hasComment || isDocumented.get(exported) === true)
    }
  }
  return [...isDocumented].filter(([, has]) => !has).map(([name]) => name)
}

describe('src', () => {
  it('has a floor for every room, and a room for every name on a floor', () => {
    expect([...new Set(files.map(roomOf))].sort()).toEqual([...floors.keys()].sort())
  })

  it('imports only files that exist', () => {
    const exists = (target: string) =>
      files.includes(target) || (target.endsWith('.json') && existsSync(join(ROOT, 'src', target)))
    expect(problemsOf((file) => importsOf(file).filter((target) => !exists(target)))).toEqual([])
  })

  it('imports from lower floors only', () => {
    const upward = problemsOf((file) => {
      const room = roomOf(file)
      return importsOf(file).filter((target) => {
        const targetRoom = roomOf(target)
        return targetRoom !== room && floors.get(targetRoom)! >= floors.get(room)!
      })
    })
    expect(upward).toEqual([])
  })

  it('has no cycles, including type imports', () => {
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

  it('re-exports only in the entry points', () => {
    const reexporting = files.filter((file) =>
      /^export\b[^;]*?\bfrom '/m.test(textOf(file).replace(/\{[^}]*\}/g, '{}')),
    )
    expect(reexporting.map((file) => `src/${file}`).sort()).toEqual(ENTRIES.map(entryFile).sort())
  })

  it('has TSDoc on every export', () => {
    expect(problemsOf(undocumentedExports)).toEqual([])
  })

  it('names @ethereumjs only in its adapters', () => {
    const naming = files.filter((file) => textOf(file).includes('@ethereumjs'))
    expect(
      naming.filter(
        (file) => !/^(ethereum\/evm\/ethereumjs|core\/import|core\/ledger\/ethereumjs)\//.test(file),
      ),
    ).toEqual([])
  })

  it("loads @ethereumjs' execution of blocks only on demand", () => {
    const runner = 'core/import/ethereumjsBlockRunner.ts'
    expect(files.filter((file) => specifiersOf(textOf(file)).includes('@ethereumjs/vm'))).toEqual([runner])
    expect(files.filter((file) => importsOf(file).includes(runner))).toEqual(['core/import/importBlocks.ts'])
    expect(loadedBy(textOf('core/import/importBlocks.ts'))).not.toContain('./ethereumjsBlockRunner.ts')
  })

  it('imports nothing of Node, except in the Node server, the folder of a cache and the command line', () => {
    const nodeOnly = Object.values(NODE_ONLY)
    const importing = files.filter((file) => specifiersOf(textOf(file)).some(isBuiltin))
    expect(importing).toEqual([...COMMAND_LINE, ...nodeOnly].sort())
    const touching = files.filter((file) => NODE_GLOBAL.test(codeOf(textOf(file))))
    expect(touching.filter((file) => !nodeOnly.includes(file))).toEqual(
      ['kits/cli/files.ts', 'kits/cli/index.ts', 'kits/cli/stateFiles.ts', ...ASKING_FOR_NODE].sort(),
    )
    const loading = files.filter((file) => importsOf(file).some((target) => nodeOnly.includes(target)))
    expect(loading).toEqual(Object.keys(NODE_ONLY))
    for (const file of loading) expect(textOf(file)).not.toMatch(/\bfrom '\.\/node\.ts'/)
  })

  it('uses time and timers only in base/clock.ts', () => {
    // The definition of a clock's method has the parameter `fn`.
    const time = /\bDate\b|\bperformance\b|(?<!\.)\b(setTimeout|setInterval|setImmediate)\s*\((?!fn: )/
    const host = /globalThis\s*[.[]/
    const touching = files.filter(
      (file) => time.test(codeOf(textOf(file))) || host.test(codeOf(textOf(file))),
    )
    expect(touching).toEqual(['base/clock.ts'])
  })

  it("has no 'pending' in a method", () => {
    const naming = files.filter(
      (file) => file.startsWith('rpc/methods/') && /['"`]pending['"`]/.test(withoutComments(textOf(file))),
    )
    expect(naming).toEqual([])
  })

  it('has each method in a file of its name, and a test of it', async () => {
    const namesIn = (folder: string, ending: string) =>
      readdirSync(join(ROOT, folder))
        .filter((name) => name.endsWith(ending))
        .map((name) => name.slice(0, -ending.length))
        .sort()
    // If it differs, `npm run methods` writes it.
    expect(textOf('rpc/table.ts')).toBe(methodTable())
    expect(textOf('rpc/methodClasses.ts')).toBe(await methodClasses())
    expect(examples).toEqual(methodExamples())
    const names = namesIn('src/rpc/methods', '.ts')
    // The methods of development chains are tested by topic.
    expect(namesIn('test/rpc/methods', '.test.ts')).toEqual(names.filter((name) => !isDevMethod(name)))
    const tests = filesIn('test')
      .map((file) => readFileSync(join(ROOT, 'test', file), 'utf8'))
      .join()
    const untested = names.filter((name) => {
      const { aliases = [] } = METHODS[name as keyof typeof METHODS] as Method
      // By its RPC name, or as an action of viem's test client.
      const action = `.${name.replace(/^\w+?_/, '')}(`
      return ![name, ...aliases].some((one) => tests.includes(`'${one}'`) || tests.includes(action))
    })
    expect(untested).toEqual([])
  })
})
