/** The pages of reference are complete: each has what the schemas, the catalogue and the entries have. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FLOORS, titleOf } from '../../scripts/rooms.ts'
import { ENTRIES, entryFile, exportsOf } from '../../scripts/site/api.ts'
import { architecturePage, importsOfRooms } from '../../scripts/site/architecture.ts'
import { decisionsPage, readDecisions } from '../../scripts/site/decisions.ts'
import { METHOD_GROUPS } from '../../scripts/site/methodGroups.ts'
import type { Options } from '../../src/base/options/option.ts'
import { PROVIDER_OPTIONS } from '../../src/base/options/providerOptions.ts'
import { IMPORT_OPTIONS } from '../../src/base/options/requests.ts'
import { CHAIN_OPTIONS } from '../../src/core/options.ts'
import { OPTIONS } from '../../src/kits/cli/flags.ts'
import * as errors from '../../src/kits/errors/index.ts'
import { SERVE_OPTIONS } from '../../src/kits/server/options.ts'
import * as viem from '../../src/kits/viem/index.ts'
import { METHODS } from '../../src/rpc/table.ts'
import { FULL } from '../full.ts'
import { METHOD_NAMES } from '../rpc/exampleParams.ts'
import { ROOT } from '../tools/sources.ts'

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

/** The names of the first column of the tables of a section. */
function rowsOf(text: string, heading = ''): readonly string[] {
  const section = heading === '' ? text : text.split(`\n## ${heading}\n`)[1]!.split('\n## ')[0]!
  return [...section.matchAll(/^\| (?:<a id="[^"]*"><\/a>)?\[?`([^`]+)`/gm)].map(([, name]) => name!)
}

describe('the page of options', () => {
  const text = read('docs/reference/options.md')
  const namesOf = (options: Options, path = ''): readonly string[] =>
    Object.entries(options).flatMap(([name, { fields }]) => [
      path + name,
      ...(fields === undefined ? [] : namesOf(fields, `${path}${name}.`)),
    ])

  it('has every option of a chain, a connection, an import and a server', () => {
    expect(rowsOf(text, 'Options of a chain')).toEqual(namesOf(CHAIN_OPTIONS))
    expect(rowsOf(text, 'Options of a connection')).toEqual(namesOf(PROVIDER_OPTIONS))
    expect(rowsOf(text, 'Options of an import')).toEqual(namesOf(IMPORT_OPTIONS))
    expect(rowsOf(text, 'Options of a server')).toEqual(
      namesOf(SERVE_OPTIONS).filter((name) => !/^(standard|preconf)\./.test(name)),
    )
  })

  it('has a meaning for each', () => {
    expect(text.match(/^\| `.* \| {2}\|$/gm)).toBe(null)
  })
})

it('the page of the command line has every flag', () => {
  const flags = rowsOf(read('docs/reference/cli.md'), 'Flags').map((flag) => flag.split(' ')[0])
  expect(flags).toEqual(Object.keys(OPTIONS).map((name) => `--${name}`))
})

it('the page of events has every event of a chain and of a provider', () => {
  const text = read('docs/reference/events.md')
  const declared = (file: string, name: string) =>
    [
      ...read(file)
        .split(`interface ${name} {`)[1]!
        .split('\n}')[0]!
        .matchAll(/^ {2}(\w+): \(/gm),
    ].map(([, event]) => event)
  const events = [...text.matchAll(/<a id="(\w+)"><\/a>/g)].map(([, event]) => event)
  expect(events).toEqual([
    ...declared('src/base/eventTypes.ts', 'ChainEvents'),
    ...declared('src/rpc/provider.ts', 'ProviderEvents'),
  ])
})

it('the page of errors has every class that an entry exports', () => {
  const listed = new Set(rowsOf(read('docs/reference/errors.md')))
  const classes = [...Object.keys(errors), ...Object.keys(viem)].filter((name) => name.endsWith('Error'))
  expect(classes.filter((name) => !listed.has(name))).toEqual([])
})

it('the page of errors has the place that each error names', () => {
  const text = read('docs/reference/errors.md')
  const anchors = new Set(
    [...text.matchAll(/<a id="(\w+)">/g)].map(([, id]) => `/reference/errors.html#${id}`),
  )
  const places = Object.entries(errors)
    .filter(([name]) => name.endsWith('Error'))
    .map(([name, { prototype }]) => String(Reflect.get(prototype, 'docsPath', { name })))
  expect(places.filter((place) => !anchors.has(place))).toEqual([])
})

it('the page of actions has every action of preconfActions', () => {
  const actions = Object.keys(viem.preconfActions()({} as never)).sort()
  expect([...rowsOf(read('docs/reference/actions.md'), 'Actions of viem')].sort()).toEqual(actions)
})

describe('the pages of methods', () => {
  it('are by topic, each method in one', () => {
    const grouped = METHOD_GROUPS.flatMap(({ names }) => names)
    expect([...grouped].sort()).toEqual([...METHOD_NAMES].sort())
  })

  it.runIf(FULL)(
    'have every name of every method, with an example that was run',
    async () => {
      // It loads and checks the sources, which takes some seconds.
      const { methodPages } = await import('../../scripts/site/methodPages.ts')
      const pages = new Map((await methodPages()).map(({ path, text }) => [path, text]))
      const index = pages.get('reference/methods/index.md')!
      expect(Object.keys(METHODS).filter((name) => !index.includes(`\`${name}\``))).toEqual([])
      const textOf = (name: string) => pages.get(`reference/methods/${name}.md`) ?? ''
      const hasExample = (name: string) =>
        textOf(name).includes(`"method": "${name}"`) && /"(result|error)": /.test(textOf(name))
      expect(METHOD_NAMES.filter((name) => !hasExample(name))).toEqual([])
      expect(METHOD_NAMES.filter((name) => textOf(name).includes('"error": {'))).toEqual([
        'anvil_setRpcUrl',
        'eth_simulateV1',
      ])
    },
    60_000,
  )

  it('have the comment, and the names of the params, of every method', () => {
    const comments = METHOD_NAMES.map((name) => [name, read(`src/rpc/methods/${name}.ts`)] as const)
    const uncommented = comments.filter(
      ([name, text]) => !new RegExp(`\\*/\nexport const ${name} = `).test(text),
    )
    expect(uncommented.map(([name]) => name)).toEqual([])
  })
})

describe('the pages of exports', () => {
  const { entryPoints } = JSON.parse(read('docs/typedoc.json')) as { entryPoints: readonly string[] }

  it('are made of every entry of the package', () => {
    const files = ENTRIES.map((entry) => `../${entryFile(entry)}`)
    expect([...entryPoints].sort()).toEqual([...files].sort())
  })

  // Without the built site there are none.
  it.skipIf(!existsSync(join(ROOT, 'docs/reference/api')))('have every exported name', () => {
    const missing = ENTRIES.flatMap((entry) => {
      const text = read(`docs/reference/api/${entry === '' ? 'preseal' : entry}.md`)
      // What a runner exports itself is on no page of ours.
      const names = exportsOf(entry).filter((name) => name !== 'expect')
      return names.filter((name) => !new RegExp(`^### ${name}\\b`, 'm').test(text))
    })
    expect(missing).toEqual([])
  })
})

describe('the pages of internals', () => {
  it('have every decision', () => {
    const anchors = [...decisionsPage().text.matchAll(/^### .* \{#(\w+)\}$/gm)].map(([, anchor]) => anchor)
    expect(anchors).toEqual(readDecisions().map(({ number }) => number))
  })

  it('show every room, and no import upward', () => {
    const names = FLOORS.flat().map(({ name }) => titleOf(name))
    const { text } = architecturePage()
    expect(names.filter((name) => !text.includes(`>${name}</text>`))).toEqual([])
    const floorOf = (name: string) => FLOORS.findIndex((rooms) => rooms.some((room) => room.name === name))
    const upward = [...importsOfRooms()].flatMap(([from, targets]) =>
      [...targets].filter((to) => floorOf(to) >= floorOf(from)).map((to) => `${from} > ${to}`),
    )
    expect(upward).toEqual([])
  })
})
