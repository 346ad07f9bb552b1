/** The flags of the command line: of chain options, of server options, and for the command itself. */

import type { Flag, Options } from '../../base/options/option.ts'
import { CHAIN_OPTIONS } from '../../core/options.ts'
import { SERVE_OPTIONS } from '../server/options.ts'

/** An option of the command line, and the target of its value. */
export interface CommandOption extends Pick<Flag, 'value' | 'help' | 'default'> {
  readonly of: 'switch' | 'text' | NonNullable<Flag['of']>
  /** Whether it sets an option of the chain or of `serve`; undefined for an option of the command line only. */
  readonly target?: 'chain' | 'serve'
  readonly path?: readonly string[]
}

/** Returns the flags of options by name, including the options of groups. */
function flagsOf(options: Options, target: 'chain' | 'serve', path: readonly string[] = []): Flags {
  return Object.entries(options).flatMap(([name, { flag, fields, default: fallback }]) => {
    if (fields !== undefined) return flagsOf(fields, target, [...path, name])
    if (flag === undefined) return []
    const { value, help, of = kindOf(fallback) } = flag
    const isSwitch = of === 'switch' || of === 'negation'
    const shown = flag.default ?? (isSwitch || fallback === undefined ? undefined : `${fallback}`)
    const option: CommandOption = {
      help,
      of,
      target,
      path: [...path, name],
      ...(value !== undefined && { value }),
      ...(shown !== undefined && { default: shown }),
    }
    return [[flag.name ?? toKebabCase(name), option]]
  })
}

type Flags = readonly (readonly [name: string, option: CommandOption])[]

function kindOf(fallback: unknown): CommandOption['of'] {
  if (typeof fallback === 'boolean') return 'switch'
  if (typeof fallback === 'number') return 'number'
  return typeof fallback === 'bigint' ? 'bigint' : 'text'
}

function toKebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** How many seconds pass by default from one write of a state file to the next, as in anvil. */
export const STATE_INTERVAL = 60

/** All options by name, in the order of `--help`. */
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
  ['log', { of: 'switch', help: 'print every request, and the call tree of failed calls and estimates' }],
  ['traces', { of: 'switch', help: 'print the call tree of every transaction' }],
  [
    'artifacts',
    {
      of: 'text',
      value: 'DIR',
      help: 'for --traces and --log: artifacts that name contracts, such as out or artifacts',
    },
  ],
  ['json', { of: 'switch', help: 'print only one line of JSON, once the server listens' }],
  ['help', { of: 'switch', help: 'print this help' }],
  ['version', { of: 'switch', help: 'print the version' }],
] satisfies Flags)

/** Letters for options, as in other dev chains. */
export const LETTERS: Readonly<Record<string, string>> = { help: 'h', port: 'p', version: 'V' }

/** Flags of other dev chains, with their equivalents here. Unknown fork flags get a list of the fork flags instead. */
export const OTHER_NAMES: Readonly<Record<string, string>> = {
  // anvil
  '-a': '--accounts',
  '-b': '--block-time, in milliseconds',
  '-m': '--mnemonic',
  '-q': '--json',
  '-t': '--traces',
  '--base-fee': '--initial-base-fee',
  '--block-base-fee-per-gas': '--initial-base-fee',
  '--code-size-limit': '--allow-unlimited-contract-size',
  '--disable-block-gas-limit': '--gas-limit',
  '--disable-code-size-limit': '--allow-unlimited-contract-size',
  '--init': '--genesis',
  '--mixed-mining': '--mining interval',
  '--no-mine': '--mining manual',
  '--no-mining': '--mining manual',
  '--print-traces': '--traces',
  '--quiet': '--json',
  '--silent': '--json',
  // hardhat node
  '--hostname': '--host',
}
