/** The tables of the page on migrating name only what exists. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Options } from '../../src/base/options/option.ts'
import { CHAIN_OPTIONS } from '../../src/core/options.ts'
import { OPTIONS } from '../../src/kits/cli/flags.ts'
import { METHODS } from '../../src/rpc/table.ts'

const page = readFileSync(new URL('../../docs/guide/migrating.md', import.meta.url), 'utf8')

/** The rows below a heading, each as its cells. */
function rowsOf(peer: string): string[][] {
  const [, section = ''] = new RegExp(`^## ${peer}\n([\\s\\S]*?)(?=^## |$(?![\\s\\S]))`, 'm').exec(page) ?? []
  return [...section.matchAll(/^\| (?!---)(.*) \|$/gm)].map(([, row]) => row!.split(' | '))
}

const codeOf = (cells: readonly string[]) =>
  cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code!))

/** The paths of options, those in groups included: `accounts`, `accounts.count`. */
function pathsOf(options: Options, prefix = ''): string[] {
  return Object.entries(options).flatMap(([name, { fields }]) => [
    `${prefix}${name}`,
    ...(fields === undefined ? [] : pathsOf(fields, `${prefix}${name}.`)),
  ])
}

describe.each([
  ['anvil', 50],
  ['Hardhat', 30],
  ['ganache', 50],
  ['tevm', 20],
] as const)('the tables of %s', (peer, least) => {
  const rows = rowsOf(peer)
  const here = codeOf(rows.flatMap((cells) => cells.slice(1)))

  it('have their rows', () => {
    expect(rows.length).toBeGreaterThanOrEqual(least)
  })

  it('name flags of the command line', () => {
    const flags = here.flatMap((code) => code.match(/^--[\w-]+/)?.map((flag) => flag.slice(2)) ?? [])
    expect(flags.filter((flag) => !(flag in OPTIONS))).toEqual([])
  })

  it('name methods that are served', () => {
    const methods = here.filter((code) => /^[a-z]+_\w+$/.test(code))
    const absent = ['anvil_mineDetailed', 'anvil_enableTraces']
    expect(methods.filter((name) => !(name in METHODS) && !absent.includes(name))).toEqual([])
  })

  it('name options of a chain', () => {
    const paths = here
      .filter((code) => /^[a-z][a-zA-Z]*(\.[a-z]\w*)?(:|$)/.test(code) && !/\(|^chain\./.test(code))
      .map((code) => code.split(':')[0]!)
    const known = new Set([...pathsOf(CHAIN_OPTIONS), 'genesis.timestamp'])
    // Actions of viem, and values.
    const others =
      /^(call|readContract|simulateContract|simulateCalls|sendTransaction|deployContract|get\w+|createChain|console\.log|paris)$/
    expect(paths.filter((path) => !known.has(path) && !others.test(path))).toEqual([])
  })
})
