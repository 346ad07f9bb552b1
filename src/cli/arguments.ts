/** The command line: its options and its parser. Pure: it reads no file and opens no port. */
import { parseArgs } from 'node:util'
import type { Flag, Options } from '../config/option.ts'
import { CHAIN_OPTIONS, type ChainOptions } from '../config/options.ts'
import { SERVE_OPTIONS, type ServeOptions } from '../server/options.ts'

/** An option of the command line, and where its value goes. */
interface CommandOption extends Pick<Flag, 'value' | 'help' | 'default'> {
  readonly of: 'switch' | 'text' | NonNullable<Flag['of']>
  /** The options that it belongs to; undefined for an option of the command line only. */
  readonly target?: 'chain' | 'serve'
  /** Its path in those options. */
  readonly path?: readonly string[]
  /** Its former name. */
  readonly formerly?: string
}

/** The flags of options by name, those in groups included. */
function flagsOf(options: Options, target: 'chain' | 'serve', path: readonly string[] = []): Flags {
  return Object.entries(options).flatMap(([name, { flag, fields, formerly, default: fallback }]) => {
    if (fields !== undefined) return flagsOf(fields, target, [...path, name])
    if (flag === undefined) return []
    const { value, help, of = kindOf(fallback) } = flag
    const shown = flag.default ?? (of === 'switch' || fallback === undefined ? undefined : `${fallback}`)
    const described = { help, of, target, path: [...path, name] }
    const before = flag.formerly ?? (formerly === undefined ? undefined : toKebabCase(formerly))
    const option = {
      ...described,
      ...(before !== undefined && { formerly: before }),
      ...(value !== undefined && { value }),
      ...(shown !== undefined && { default: shown }),
    }
    return [[flag.name ?? toKebabCase(name), option]]
  })
}

type Flags = readonly (readonly [name: string, option: CommandOption])[]

function kindOf(fallback: unknown): CommandOption['of'] {
  if (typeof fallback === 'boolean') return 'switch'
  return typeof fallback === 'number' || typeof fallback === 'bigint'
    ? (typeof fallback as 'number' | 'bigint')
    : 'text'
}

function toKebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** Every option by its name, in the order of `--help`. */
export const OPTIONS: Readonly<Record<string, CommandOption>> = Object.fromEntries([
  ...flagsOf(SERVE_OPTIONS, 'serve'),
  ...flagsOf(CHAIN_OPTIONS, 'chain'),
  ['json', { of: 'switch', help: 'print only one line of JSON, once the server listens' }],
  ['help', { of: 'switch', help: 'print this help' }],
  ['version', { of: 'switch', help: 'print the version' }],
] satisfies Flags)

/** A chain to start and serve. */
export interface RunCommand {
  readonly kind: 'run'
  /** All options except those in `files`. */
  readonly chainOptions: ChainOptions
  readonly serveOptions: ServeOptions
  /** The paths of the files that `genesis` and `blocks` are read from, and of the folder of `database`. */
  readonly files: Readonly<Record<'genesis' | 'blocks' | 'database', string | undefined>>
  /** Whether one line of JSON is all that is printed to stdout. */
  readonly json: boolean
}

/** A parsed command line. */
export type Command =
  | RunCommand
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  /** An invalid command line, and what is wrong with it. */
  | { readonly kind: 'misuse'; readonly message: string }

/** The text of a value has the wrong form for its option. */
class ValueError extends Error {
  constructor(name: string, value: string, expected: string) {
    super(`option --${name}: expected ${expected}, not '${value}'`)
  }
}

/**
 * Parses a command line. It checks the form of values; `createChain` and `serve` check the rest.
 *
 * @param argv - without the program's name
 */
export function parseArguments(argv: readonly string[]): Command {
  try {
    return toCommand(read(argv))
  } catch (error) {
    if (error instanceof ValueError) return { kind: 'misuse', message: error.message }
    if ((error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS_') !== true) throw error
    // The first sentence says what is wrong; the rest is advice.
    const message = (error as Error).message.split(/\.(?:\s|$)/)[0]!
    const unknown = UNKNOWN.exec(message)?.[1] ?? ''
    if (FORKING.test(unknown)) {
      const names = Object.keys(OPTIONS).filter((name) => OPTIONS[name]!.path?.[0] === 'fork')
      const expected = names.map((name) => `--${name}`).join(', ')
      return { kind: 'misuse', message: `option ${unknown}: expected one of ${expected}` }
    }
    const renamed = Object.keys(OPTIONS).find((name) => `--${OPTIONS[name]!.formerly}` === unknown)
    if (renamed !== undefined) {
      return { kind: 'misuse', message: `option ${unknown}: expected its new name, --${renamed}` }
    }
    return { kind: 'misuse', message: message.charAt(0).toLowerCase() + message.slice(1) }
  }
}

/** The error of `parseArgs` for an unknown option. */
const UNKNOWN = /^Unknown option '([^']*)'$/

/** The fork options of other dev chains that are unknown here. */
const FORKING = /^(--fork(-.*)?|-f)$/

type Values = Readonly<Partial<Record<string, string | boolean | readonly string[]>>>

function read(argv: readonly string[]): Values {
  const options = Object.fromEntries(
    Object.entries(OPTIONS).map(([name, { of }]) => [
      name,
      { type: of === 'switch' ? ('boolean' as const) : ('string' as const), multiple: of === 'headers' },
    ]),
  )
  return parseArgs({ args: [...argv], options, strict: true, allowPositionals: false }).values as Values
}

function toCommand(values: Values): Command {
  if (values['help'] === true) return { kind: 'help' }
  if (values['version'] === true) return { kind: 'version' }

  const targets: Record<'chain' | 'serve', Group> = { chain: {}, serve: {} }
  const files: Record<string, string | undefined> = {
    genesis: undefined,
    blocks: undefined,
    database: undefined,
  }
  for (const [name, value] of Object.entries(values)) {
    const { target, path, of } = OPTIONS[name]!
    if (target === undefined || path === undefined) continue
    if (IN_FILES.has(of)) files[path.at(-1)!] = value as string
    else if (of === 'headers') put(targets[target], path, toHeaders(name, value as readonly string[]))
    else put(targets[target], path, typeof value === 'string' ? parse(name, of, value) : value)
  }
  return {
    kind: 'run',
    chainOptions: targets.chain as ChainOptions,
    serveOptions: targets.serve as ServeOptions,
    files: files as RunCommand['files'],
    json: values['json'] === true,
  }
}

/** The kinds whose value is a path. */
const IN_FILES: ReadonlySet<CommandOption['of']> = new Set(['json file', 'binary file', 'folder'])

type Group = { [name: string]: unknown }

/** Sets the value at a path, and creates the groups on the way. */
function put(group: Group, [name, ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) group[name!] = value
  else {
    group[name!] ??= {}
    put(group[name!] as Group, rest, value)
  }
}

const A_NUMBER = 'an integer >= 0'

/** The parsers of values by kind, and what they expect. */
const PARSERS: Readonly<Partial<Record<CommandOption['of'], readonly [(text: string) => unknown, string]>>> =
  {
    number: [(text) => (/^\d+$/.test(text) ? Number(text) : undefined), A_NUMBER],
    bigint: [(text) => (/^\d+$/.test(text) ? BigInt(text) : undefined), A_NUMBER],
    block: [(text) => (/^\d+$/.test(text) ? BigInt(text) : text), 'a block'],
    names: [(text) => text.split(','), 'names, separated by commas'],
    ether: [toWei, 'an amount of ether with up to 18 decimals'],
  }

/** An error does not show the value of a header, which can be a key. */
function toHeaders(name: string, lines: readonly string[]): Readonly<Record<string, string>> {
  const pairs = lines.map((line) => /^([^\s:]+):\s*(.*)$/.exec(line))
  if (pairs.includes(null)) throw new ValueError(name, '…', "a name and a value, as 'NAME: VALUE'")
  return Object.fromEntries(pairs.map((pair) => [pair![1]!, pair![2]!]))
}

function parse(name: string, of: CommandOption['of'], text: string): unknown {
  const [read, expected] = PARSERS[of] ?? [() => text, 'text']
  const parsed = read(text)
  if (parsed === undefined) throw new ValueError(name, text, expected)
  return parsed
}

/** Converts ether to wei exactly; undefined if the text is malformed. */
function toWei(text: string): bigint | undefined {
  const [, whole, decimals = ''] = /^(\d+)(?:\.(\d{1,18}))?$/.exec(text) ?? []
  return whole === undefined ? undefined : BigInt(whole + decimals.padEnd(18, '0'))
}
