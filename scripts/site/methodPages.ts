/** A page for each method, and their index. */
import { isDeepStrictEqual } from 'node:util'
import type { Method } from '../../src/rpc/method.ts'
import { METHODS } from '../../src/rpc/table.ts'
import { METHOD_NAMES } from '../../test/rpc/exampleParams.ts'
import { apiAnchors } from './api.ts'
import { anchorOf, code, fence, linkErrors, type Page, page, prose, table } from './markdown.ts'
import { type Answer, type Example, runExamples, shorten } from './methodExamples.ts'
import { METHOD_GROUPS, viewsOf } from './methodGroups.ts'
import { type MethodFacts, multiline, readMethods } from './methodTypes.ts'

const catalogue: Readonly<Record<string, Method>> = METHODS

/** The pages of `docs/reference/methods/`. */
export async function methodPages(): Promise<readonly Page[]> {
  const [facts, examples] = [readMethods(METHOD_NAMES), await runExamples(METHOD_NAMES)]
  return [
    methodIndex(facts),
    ...METHOD_NAMES.map((name) => methodPage(name, facts.get(name)!, examples.get(name)!)),
  ]
}

/** All methods by topic. */
const ORDERED = METHOD_GROUPS.flatMap(({ names }) => names)

const linkTo = (name: string | undefined) =>
  name === undefined ? undefined : { text: name, link: `/reference/methods/${name}` }

/** The other names of a method. */
function aliasesOf(name: string): readonly string[] {
  return (catalogue[name]!.aliases ?? []).filter((alias) => alias !== name)
}

function methodPage(name: string, facts: MethodFacts, example: Example): Page {
  const aliases = aliasesOf(name)
  const parts = [
    prose(facts.meaning),
    viewsTable(name),
    ...(aliases.length > 0 ? [`**Also as** ${aliases.map(code).join(', ')}`] : []),
    '## Parameters',
    ...paramsParts(name, facts),
    '## Result',
    ...typeParts(facts.result),
    ...errorParts(facts),
    '## Example',
    ...exampleParts(name, example),
  ]
  const at = ORDERED.indexOf(name)
  return page(`reference/methods/${name}.md`, name, parts, {
    listed: false,
    prev: linkTo(ORDERED[at - 1]),
    next: linkTo(ORDERED[at + 1]),
  })
}

/** Where the method answers from on each view, and its topic. */
function viewsTable(name: string): string {
  const { title } = METHOD_GROUPS.find(({ names }) => names.includes(name))!
  const views = viewsOf(name)
  const { standardDialects } = catalogue[name]!
  const dialects =
    standardDialects === undefined
      ? 'all'
      : `all on preconf; ${standardDialects.map(code).join(', ')} on standard`
  return table(
    ['topic', 'standard view', 'preconf view', 'dialects'],
    [
      [
        `[${title}](/reference/methods/#${anchorOf(title)})`,
        views?.standard ?? '✓',
        views?.preconf ?? '✓',
        dialects,
      ],
    ],
  )
}

function paramsParts(name: string, { params }: MethodFacts): readonly string[] {
  const { params: schemas, bare } = catalogue[name]!
  if (params.length === 0) return ['None.']
  const rows = params.map((param, at) => [
    code(param.name),
    param.type.length <= 60 ? code(param.type) : `[below](#${anchorOf(param.name)})`,
    schemas[at]!.optional ? 'no' : 'yes',
    prose(schemas[at]!.expected),
  ])
  const long = params.filter(({ type }) => type.length > 60)
  return [
    table(['param', 'type', 'required', 'must be'], rows),
    ...(bare === true ? ['The object may also be sent as `params` itself, without an array around it.'] : []),
    ...long.flatMap((param) => [`### ${param.name}`, ...typeParts(param.type)]),
  ]
}

/** A type as code, and the exported types that it names as links. */
function typeParts(type: string): readonly string[] {
  const named = [...new Set(type.match(/\b[A-Z]\w+/g) ?? [])].filter(
    (one) => apiAnchors().has(one) && one !== 'Hex',
  )
  const links = named.map((one) => `[\`${one}\`](${apiAnchors().get(one)})`)
  const shown = type.length <= 60 ? code(type) : fence('ts', multiline(type))
  return [shown, ...(links.length > 0 ? [`Declared by ${links.join(', ')}.`] : [])]
}

function errorParts({ throws, params }: MethodFacts): readonly string[] {
  const ofParams = '[`InvalidParamsError`](/reference/errors#InvalidParamsError) if a parameter is malformed'
  const lines = [
    ...throws.map((text) => linkErrors(prose(text))),
    ...(params.length > 0 && !throws.some((text) => text.includes('InvalidParamsError')) ? [ofParams] : []),
  ]
  return lines.length === 0 ? [] : ['## Errors', lines.map((line) => `- ${line}`).join('\n')]
}

function exampleParts(name: string, { params, standard, preconf }: Example): readonly string[] {
  const request = { jsonrpc: '2.0', id: 1, method: name, params }
  const answer = (one: Answer) => ({ jsonrpc: '2.0', id: 1, ...one })
  const shown = (value: unknown) => fence('json', JSON.stringify(shorten(value), null, 2))
  const isShortened = [request, standard, preconf].some((one) => !isDeepStrictEqual(shorten(one), plain(one)))
  const answers = isDeepStrictEqual(standard, preconf)
    ? ['The answer of both views:', shown(answer(standard))]
    : [
        'The answer of the preconf view:',
        shown(answer(preconf)),
        'The answer of the standard view:',
        shown(answer(standard)),
      ]
  return [
    'A request:',
    shown(request),
    ...answers,
    ...(isShortened ? ['An ellipsis (…) stands for what is left out here.'] : []),
  ]
}

/** A value as JSON has it. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

function methodIndex(facts: ReadonlyMap<string, MethodFacts>): Page {
  const names = Object.keys(METHODS).length
  const groups = METHOD_GROUPS.flatMap((group) => [
    `## ${group.title}`,
    table(
      ['method', 'meaning', 'also as'],
      group.names.map((name) => [
        `[\`${name}\`](/reference/methods/${name})`,
        firstSentence(prose(facts.get(name)!.meaning)),
        aliasesOf(name).map(code).join(' '),
      ]),
    ),
  ])
  return page(
    'reference/methods/index.md',
    'Methods',
    [
      `The ${METHOD_NAMES.length} JSON-RPC methods of a chain, under ${names} names. Each page has a method's parameters, its result, its errors, ` +
        'and a request with its answer, which was made by sending it. Both [views](/guide/two-views) serve all of them, ' +
        'except where a page says otherwise; the methods of dev chains are served under the prefixes of each of them. In types, `Hex` is a string of `0x` and hex digits.',
      ...groups,
    ],
    { order: 40 },
  )
}

/** The first sentence of a text; `1.5`, `spec.md` and `e.g.` do not end one. */
export function firstSentence(text: string): string {
  return /^[\s\S]*?[.;](?=\s+[A-Z]|\s*$|;)/.exec(text)?.[0] ?? text
}
