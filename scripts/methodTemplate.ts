/** The files of a new RPC method: its definition and its test, which pass as they are. */
import { existsSync } from 'node:fs'
import { devNames, type MethodClass } from '../src/rpc/method.ts'
import { methods } from '../src/rpc/table.ts'
import { isDevMethod } from '../test/rpc/devMethods.ts'

/** A file to write. */
export interface NewFile {
  readonly path: string
  readonly text: string
}

/** Where the page of a method is listed at first, by its class. */
const GROUPS: Readonly<Record<MethodClass, string>> = {
  node: 'Chain and node',
  debug: 'Tracing',
  cheat: 'Dev chain: mempool and node',
  wallet: 'Wallet',
}

function classOf(name: string): MethodClass {
  if (isDevMethod(name)) return 'cheat'
  if (/^(debug|testing|trace|txpool)_/.test(name)) return 'debug'
  return /^(personal|wallet)_/.test(name) ? 'wallet' : 'node'
}

/** Throws if another method has one of the names: the table would have only one of them. */
function requireFree(names: readonly string[]): void {
  const taken = names.find((name) => methods.has(name))
  if (taken === undefined) return
  const [first] = [...methods].find(([, method]) => method === methods.get(taken))!
  throw new Error(`${taken} exists: src/rpc/methods/${first}.ts`)
}

/** The files of a new method. @param name - such as `eth_foo`. */
export function newMethod(name: string): readonly NewFile[] {
  const [, word] = /^[a-z][a-z0-9]*_([a-z]\w*)$/.exec(name) ?? []
  if (word === undefined)
    throw new Error(`${name} is no name of a method: expected one such as eth_getBalance`)
  const kind = classOf(name)
  const isCheat = kind === 'cheat'
  const hasAliases = isCheat && !name.startsWith('miner_')
  requireFree([name, ...(hasAliases ? devNames(word) : [])])
  const define = hasAliases ? 'defineCheat' : 'defineMethod'
  const fields = [
    ...(hasAliases ? [] : [`class: '${kind}'`]),
    ...(kind === 'node' || kind === 'debug' ? ["onFork: 'local'"] : []),
    ...(isCheat && !hasAliases ? ["turn: 'change'"] : []),
    'handler: () => null',
  ]
  const method = `import { ${define} } from '../method.ts'

/**
 * Returns null.
 *
 * @group ${GROUPS[kind]}
 */
export const ${name} = ${define}(${hasAliases ? `'${word}', ` : ''}{
${fields.map((field) => `  ${field},\n`).join('')}})
`
  const test = `import { describe, expect, it } from 'vitest'
import { askBoth, startScene } from '${isCheat ? '../../rpc' : '..'}/scene.ts'

describe('${name}', () => {
  it('returns null', async () => {
    const { chain } = await startScene()
    expect(await askBoth(chain, '${name}')).toEqual({ both: null })
  })
})
`
  const files = [
    { path: `src/rpc/methods/${name}.ts`, text: method },
    { path: isCheat ? `test/core/cheats/${word}.test.ts` : `test/rpc/methods/${name}.test.ts`, text: test },
  ]
  const inPlace = files.find(({ path }) => existsSync(path))
  if (inPlace !== undefined) throw new Error(`${inPlace.path} exists`)
  return files
}
