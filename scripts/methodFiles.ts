/** The files of the RPC methods: what the comments of methods state, and what is generated from them. */
import { readdirSync, readFileSync } from 'node:fs'
import ts from 'typescript'
import { isDevMethod } from '../test/rpc/devMethods.ts'

const FOLDER = 'src/rpc/methods'

/** The names of all methods, each by the first of its names: those of dev chains, then the others. */
export function methodNames(): readonly string[] {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.ts'))
  const names = files.map((file) => file.replace(/\.ts$/, ''))
  const rank = (name: string) => (isDevMethod(name) ? 0 : 1)
  return names.sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
}

/** The tags of a method's comment. */
export interface MethodTags {
  /** The topic of its page: `@group`. */
  readonly group: string
  /** What its page says of each view, unless that follows from what it reads: `@views STANDARD | PRECONF`. */
  readonly views?: { readonly standard: string; readonly preconf: string }
  /** Valid params, in which `$NAME` stands for a value of `test/rpc/exampleParams.ts`: `@example`, without it none. */
  readonly example: readonly unknown[]
}

/** Reads the tags of a method. */
export function methodTags(name: string): MethodTags {
  const path = `${FOLDER}/${name}.ts`
  return readTags(path, name, readFileSync(path, 'utf8'))
}

/** Reads the tags of a method from the text of its file. */
export function readTags(path: string, name: string, text: string): MethodTags {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const statement = source.statements
    .filter(ts.isVariableStatement)
    .find(({ declarationList }) => declarationList.declarations[0]!.name.getText() === name)
  if (statement === undefined) throw new Error(`${path} declares no ${name}`)
  const textOf = (tag: string) => {
    const found = ts.getJSDocTags(statement).find(({ tagName }) => tagName.text === tag)
    return found && ts.getTextOfJSDocComment(found.comment)
  }
  const group = textOf('group')
  if (group === undefined) throw new Error(`${path} has no @group`)
  const views = textOf('views')
  return {
    group,
    ...(views !== undefined && { views: parseViews(path, views) }),
    example: parseExample(path, textOf('example') ?? '[]'),
  }
}

function parseViews(path: string, text: string): NonNullable<MethodTags['views']> {
  const [standard, preconf, ...others] = text.split(' | ')
  if (standard === undefined || preconf === undefined || others.length > 0)
    throw new Error(`${path}: expected \`@views STANDARD | PRECONF\`, got \`${text}\``)
  return { standard, preconf }
}

function parseExample(path: string, text: string): readonly unknown[] {
  let example: unknown
  try {
    example = JSON.parse(text)
  } catch {
    // Not JSON is not an array either.
  }
  if (!Array.isArray(example)) throw new Error(`${path}: expected a JSON array as @example, got \`${text}\``)
  return example
}

/** The params of one request of each method, by its first name. */
export function methodExamples(): Readonly<Record<string, readonly unknown[]>> {
  return Object.fromEntries(methodNames().map((name) => [name, methodTags(name).example]))
}

/** The text of `src/rpc/methodClasses.ts`. Reads the table when it is called, which `npm run methods` may have just written. */
export async function methodClasses(): Promise<string> {
  const { methods } = await import('../src/rpc/table.ts')
  const setOf = (kind: 'node' | 'debug') => {
    const names = [...methods].filter(([, method]) => method.class === kind).map(([name]) => name)
    return `new Set([\n${names
      .sort()
      .map((name) => `  '${name}',\n`)
      .join('')}])`
  }
  return `/** Names of methods by class, for servers, which load no methods; \`npm run methods\` writes this file. */

/** The methods of the class \`node\`, under all their names. */
export const NODE_METHODS: ReadonlySet<string> = ${setOf('node')}

/** The methods of the class \`debug\`, under all their names. */
export const DEBUG_METHODS: ReadonlySet<string> = ${setOf('debug')}
`
}

/** The text of `src/rpc/table.ts`. */
export function methodTable(): string {
  const names = methodNames()
  return `/** All RPC methods by name; \`npm run methods\` writes this file. The types of \`request\` are derived from the table. */

import { type RunnableMethod, type SchemaOf, withAliases } from './method.ts'
${[...names]
  .sort()
  .map((name) => `import { ${name} } from './methods/${name}.ts'\n`)
  .join('')}
/** All methods under all their names. */
export const METHODS = withAliases({
${names.map((name) => `  ${name},\n`).join('')}})

/** The methods as providers run them, in a map: engines optimize property lookups for the first requested names. */
export const methods = new Map<string, RunnableMethod>(Object.entries(METHODS as never))

/** Parameters and results of \`request\`, by method name. */
export type PresealRpcSchema = SchemaOf<typeof METHODS>
`
}
