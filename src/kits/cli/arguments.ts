/** The parser of the command line. Pure: it reads no file and opens no port. */

import { parseArgs } from 'node:util'
import { closestName } from '../../base/closestName.ts'
import type { InvalidOptionError, PresealError } from '../../base/errors.ts'
import type { ChainOptions } from '../../core/options.ts'
import { PortInUseError } from '../server/errors.ts'
import { SERVE_OPTIONS, type ServeOptions } from '../server/options.ts'
import { FileError } from './files.ts'
import { type CommandOption, LETTERS, OPTIONS, OTHER_NAMES, STATE_INTERVAL } from './flags.ts'
import type { StateFiles } from './stateFiles.ts'

// Error texts of `parseArgs`. It calls a missing value ambiguous if the next argument begins with a dash.
const UNKNOWN = /^Unknown option '([^']*)'/
const WITHOUT_VALUE = /^Option '(?:-\w, )?(--[\w-]+)[^']*' argument (?:missing|is ambiguous)/

/** Matches fork options of other dev chains that are unknown here. */
const FORKING = /^(--fork(-.*)?|-f)$/

/** Returns the error text of `parseArgs` in this command's words. */
export function explainRefusal(message: string, argv: readonly string[]): string {
  const [, valued] = WITHOUT_VALUE.exec(message) ?? []
  if (valued !== undefined) {
    const next = argv[argv.indexOf(valued) + 1]
    return `option ${valued}: expected a value${next === undefined ? '' : `, not '${next}'`}`
  }
  const unknown = UNKNOWN.exec(message)?.[1]
  // The first sentence states the error; the rest is advice.
  if (unknown === undefined) return message.charAt(0).toLowerCase() + message.slice(1).split(/\.(?:\s|$)/)[0]!
  if (Object.hasOwn(OTHER_NAMES, unknown)) return `option ${unknown}: expected ${OTHER_NAMES[unknown]}`
  const names = Object.keys(OPTIONS)
  const meant = closestName(unknown.replace(/^--/, ''), names)
  if (meant !== undefined) return `unknown option '${unknown}'; did you mean --${meant}?`
  if (FORKING.test(unknown)) {
    const ofForks = names.filter((name) => OPTIONS[name]!.path?.[0] === 'fork')
    return `option ${unknown}: expected one of ${ofForks.map((name) => `--${name}`).join(', ')}`
  }
  return `unknown option '${unknown}'`
}

/** Returns the text of an option's error, with the flag as its name; undefined if no flag sets the option. */
export function flagError({ option, expected }: InvalidOptionError): string | undefined {
  const path = option.split('.')
  for (let length = path.length; length > 0; length--) {
    const flag = flagOf(path.slice(0, length).join('.'))
    if (flag === undefined) continue
    const rest = path.slice(length).join('.')
    return `option ${flag}: expected ${withFlags(expected)}${rest === '' ? '' : ` at ${rest}`}`
  }
  return undefined
}

/** Replaces the options named in a text by their flags. */
function withFlags(text: string): string {
  return text.replace(
    /\b(unless|if|value of|than|most) (\w+(?:\.\w+)*)/g,
    (whole, word: string, name: string) => {
      const flag = flagOf(name) ?? flagOf(`fork.${name}`)
      return flag === undefined ? whole : `${word} ${flag}`
    },
  )
}

function flagOf(path: string): string | undefined {
  const name = Object.keys(OPTIONS).find((one) => OPTIONS[one]!.path?.join('.') === path)
  return name && `--${name}`
}

/** Returns the message of an error that the user can fix, with the flag that it concerns. */
export function withFlag(error: PresealError, options: ServeOptions): string {
  if (error instanceof FileError && error.flag !== undefined) return `${error.message} (${error.flag})`
  if (!(error instanceof PortInUseError)) return error.message
  const { port = SERVE_OPTIONS.port.default, preconfPort = SERVE_OPTIONS.preconfPort.default } = options
  const { port: publicPort, preconfPort: publicPreconfPort } = options.public ?? {}
  const flags = new Map([
    [publicPreconfPort, '--public-preconf-port'],
    [publicPort, '--public-port'],
    [preconfPort, '--preconf-port'],
    [port, '--port'],
  ])
  const flag = flags.get(error.port)
  return flag === undefined ? error.message : `${error.message} (${flag})`
}

/** A chain to start and serve. */
export interface RunCommand {
  readonly kind: 'run'
  /** All options except the ones in `files`. */
  readonly chainOptions: ChainOptions
  readonly serveOptions: ServeOptions
  /** The paths of the files of `genesis` and `blocks`, and of the folder of `database`. */
  readonly files: { readonly [name in 'genesis' | 'blocks' | 'database']?: string }
  readonly stateFiles: StateFiles
  readonly json: boolean
  readonly traces: boolean
  readonly log: boolean
  /** The folder of artifacts for call trees. */
  readonly artifacts: string | undefined
}

/** A parsed command line. */
export type Command =
  | RunCommand
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  | { readonly kind: 'misuse'; readonly message: string }

class OptionError extends Error {
  constructor(name: string, expected: string) {
    super(`option --${name}: expected ${expected}`)
  }
}

class ValueError extends OptionError {
  constructor(name: string, value: string, expected: string) {
    super(name, `${expected}, not '${value}'`)
  }
}

/** Parses a command line, without the program's name. Checks the form of values; `createChain` and `serve` check the rest. */
export function parseArguments(argv: readonly string[]): Command {
  try {
    return toCommand(read(argv))
  } catch (error) {
    if (error instanceof OptionError) return { kind: 'misuse', message: error.message }
    if ((error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS_') !== true) throw error
    return { kind: 'misuse', message: explainRefusal((error as Error).message, argv) }
  }
}

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
  const files: Record<string, string> = {}
  for (const [name, value] of Object.entries(values)) {
    const { target, path, of } = OPTIONS[name]!
    if (value === '' && (IN_FILES.has(of) || of === 'text')) throw new ValueError(name, '', 'a value')
    if (target === undefined || path === undefined) continue
    if (IN_FILES.has(of)) files[path.at(-1)!] = value as string
    else if (of === 'headers') put(targets[target], path, toHeaders(name, value as readonly string[]))
    else if (of === 'negation') put(targets[target], path, false)
    else put(targets[target], path, typeof value === 'string' ? parse(name, of, value) : value)
  }
  requireNode(values)
  const artifacts = values['artifacts'] as string | undefined
  const [traces, log] = [values['traces'] === true, values['log'] === true]
  if (artifacts !== undefined && !traces && !log)
    throw new OptionError('artifacts', '--traces or --log beside it')
  return {
    kind: 'run',
    chainOptions: targets.chain as ChainOptions,
    serveOptions: targets.serve as ServeOptions,
    files,
    stateFiles: toStateFiles(values),
    json: values['json'] === true,
    traces,
    log,
    artifacts,
  }
}

/** Checks that fork options come with `--fork-url`, or with `--offline` and `--fork-cache`. @throws OptionError */
function requireNode(values: Values): void {
  if (values['fork-url'] !== undefined) return
  const given = Object.keys(values).filter((name) => OPTIONS[name]!.path?.[0] === 'fork')
  if (values['offline'] !== true) {
    if (given[0] !== undefined) throw new OptionError(given[0], '--fork-url beside it')
  } else if (values['fork-cache'] === undefined) {
    throw new OptionError('offline', '--fork-cache beside it')
  } else if (given.includes('fork-header')) {
    throw new OptionError('fork-header', '--fork-url beside it')
  }
}

/** For each option of state files, the options that it excludes: a chain has one beginning, and is stored once. */
const EXCLUSIVE: Readonly<Record<string, readonly string[]>> = {
  state: ['load-state', 'dump-state', 'genesis', 'blocks', 'database'],
  'load-state': ['genesis', 'blocks'],
}

const OF_DUMPS = ['state-interval', 'preserve-historical-states']

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

/** The longest interval in seconds, as a timer can wait for at most 2^31 - 1 milliseconds. */
const MAX_INTERVAL = 2_147_483

function toInterval(text: string): number {
  const seconds = /^\d+$/.test(text) ? Number(text) : 0
  if (seconds >= 1 && seconds <= MAX_INTERVAL) return seconds
  throw new ValueError('state-interval', text, `an integer from 1 to ${MAX_INTERVAL}`)
}

const IN_FILES: ReadonlySet<CommandOption['of']> = new Set(['json file', 'binary file', 'folder'])

type Group = { [name: string]: unknown }

function put(group: Group, [name, ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) group[name!] = value
  else {
    group[name!] ??= {}
    put(group[name!] as Group, rest, value)
  }
}

const A_NUMBER = 'an integer >= 0'

/** Parsers of values by kind, with the form that they expect. */
const PARSERS: Readonly<Partial<Record<CommandOption['of'], readonly [(text: string) => unknown, string]>>> =
  {
    number: [(text) => (/^\d+$/.test(text) ? Number(text) : undefined), A_NUMBER],
    bigint: [(text) => (/^\d+$/.test(text) ? BigInt(text) : undefined), A_NUMBER],
    block: [(text) => (/^\d+$/.test(text) ? BigInt(text) : text), 'a block'],
    names: [(text) => text.split(','), 'names, separated by commas'],
    ether: [toWei, 'an amount of ether with up to 18 decimals'],
  }

/** Parses headers. The error hides the header's value, which can be an API key. */
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
