/** The command line: its options and its parser. Pure: it reads no file and opens no port. */
import { parseArgs } from 'node:util'
import type { Flag, Options } from '../config/option.ts'
import { CHAIN_OPTIONS, type ChainOptions } from '../config/options.ts'
import { SERVE_OPTIONS, type ServeOptions } from '../server/options.ts'
import { OTHER_NAMES } from './otherNames.ts'
import type { StateFiles } from './stateFiles.ts'

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
    const shown =
      flag.default ??
      (of === 'switch' || of === 'negation' || fallback === undefined ? undefined : `${fallback}`)
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

/** Seconds from one write of a state file to the next, as with anvil. */
const STATE_INTERVAL = 60

/** Every option by its name, in the order of `--help`. */
export const OPTIONS: Readonly<Record<string, CommandOption>> = Object.fromEntries([
  ...flagsOf(SERVE_OPTIONS, 'serve'),
  ...flagsOf(CHAIN_OPTIONS, 'chain'),
  ['load-state', { of: 'text', value: 'FILE', help: 'start from a state file of anvil or preseal' }],
  ['dump-state', { of: 'text', value: 'FILE', help: 'write such a file at the end, and at the interval' }],
  ['state', { of: 'text', value: 'FILE', help: 'both, with one file, which need not exist at first' }],
  [
    'state-interval',
    { of: 'number', value: 'SECONDS', help: 'time from one write to the next', default: `${STATE_INTERVAL}` },
  ],
  ['preserve-historical-states', { of: 'switch', help: 'write the states of earlier blocks too' }],
  ['traces', { of: 'switch', help: 'print the call tree of every transaction' }],
  [
    'artifacts',
    {
      of: 'text',
      value: 'DIR',
      help: 'for --traces: artifacts that name contracts, such as out or artifacts',
    },
  ],
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
  readonly stateFiles: StateFiles
  /** Whether one line of JSON is all that is printed to stdout. */
  readonly json: boolean
  /** Whether the call trees of transactions are printed, and the folder of the artifacts for them. */
  readonly traces: { readonly artifacts: string | undefined } | undefined
}

/** A parsed command line. */
export type Command =
  | RunCommand
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  /** An invalid command line, and what is wrong with it. */
  | { readonly kind: 'misuse'; readonly message: string }

/** An option cannot be as it is given. */
class OptionError extends Error {
  constructor(name: string, expected: string) {
    super(`option --${name}: expected ${expected}`)
  }
}

/** The text of a value has the wrong form for its option. */
class ValueError extends OptionError {
  constructor(name: string, value: string, expected: string) {
    super(name, `${expected}, not '${value}'`)
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
    if (error instanceof OptionError) return { kind: 'misuse', message: error.message }
    if ((error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS_') !== true) throw error
    // The first sentence says what is wrong; the rest is advice.
    const message = (error as Error).message.split(/\.(?:\s|$)/)[0]!
    const unknown = UNKNOWN.exec(message)?.[1] ?? ''
    if (FORKING.test(unknown)) {
      const names = Object.keys(OPTIONS).filter((name) => OPTIONS[name]!.path?.[0] === 'fork')
      const expected = names.map((name) => `--${name}`).join(', ')
      return { kind: 'misuse', message: `option ${unknown}: expected one of ${expected}` }
    }
    const here = Object.hasOwn(OTHER_NAMES, unknown) ? OTHER_NAMES[unknown] : undefined
    if (here !== undefined) return { kind: 'misuse', message: `option ${unknown}: expected ${here}` }
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

/** The letters that stand for options, as with other dev chains. */
export const LETTERS: Readonly<Record<string, string>> = { help: 'h', port: 'p', version: 'V' }

type Values = Readonly<Partial<Record<string, string | boolean | readonly string[]>>>

function read(argv: readonly string[]): Values {
  const options = Object.fromEntries(
    Object.entries(OPTIONS).map(([name, { of }]) => [
      name,
      {
        type: of === 'switch' || of === 'negation' ? ('boolean' as const) : ('string' as const),
        multiple: of === 'headers',
        ...(LETTERS[name] !== undefined && { short: LETTERS[name] }),
      },
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
    else if (of === 'negation') put(targets[target], path, false)
    else put(targets[target], path, typeof value === 'string' ? parse(name, of, value) : value)
  }
  const artifacts = values['artifacts'] as string | undefined
  if (artifacts !== undefined && values['traces'] !== true) {
    return { kind: 'misuse', message: 'option --artifacts: expected --traces with it' }
  }
  return {
    kind: 'run',
    chainOptions: targets.chain as ChainOptions,
    serveOptions: targets.serve as ServeOptions,
    files: files as RunCommand['files'],
    stateFiles: toStateFiles(values),
    json: values['json'] === true,
    traces: values['traces'] === true ? { artifacts } : undefined,
  }
}

/** The options of state files, and those that each cannot be given with: a chain has one beginning, and is kept once. */
const EXCLUSIVE: Readonly<Record<string, readonly string[]>> = {
  state: ['load-state', 'dump-state', 'genesis', 'blocks', 'database'],
  'load-state': ['genesis', 'blocks'],
}

/** The options that only say how a state file is written. */
const OF_DUMPS = ['state-interval', 'preserve-historical-states']

/** @throws OptionError */
function toStateFiles(values: Values): StateFiles {
  const { state, 'load-state': load = state, 'dump-state': dump = state } = values
  for (const [name, others] of Object.entries(EXCLUSIVE)) {
    const other = others.find((one) => values[one] !== undefined)
    if (values[name] !== undefined && other !== undefined)
      throw new OptionError(name, `no --${other} beside it`)
  }
  const unused = OF_DUMPS.find((name) => values[name] !== undefined)
  if (dump === undefined && unused !== undefined)
    throw new OptionError(unused, '--dump-state or --state beside it')
  const interval = values['state-interval'] as string | undefined
  return {
    load: load as string | undefined,
    dump: dump as string | undefined,
    mayBeMissing: state !== undefined,
    intervalSeconds: interval === undefined ? STATE_INTERVAL : toInterval(interval),
    withStates: values['preserve-historical-states'] === true,
  }
}

/** A timer has at most 2^31 - 1 milliseconds. */
const MAX_INTERVAL = 2_147_483

function toInterval(text: string): number {
  const seconds = /^\d+$/.test(text) ? Number(text) : 0
  if (seconds >= 1 && seconds <= MAX_INTERVAL) return seconds
  throw new ValueError('state-interval', text, `an integer from 1 to ${MAX_INTERVAL}`)
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
