/** The command line: what it takes, and what that means. Pure: files are read, and ports opened, elsewhere. */
import { parseArgs } from 'node:util'
import type { FaultPreset } from '../config/faultSettings.ts'
import type { ChainOptions } from '../config/options.ts'
import type { Address, Dialect, Hardfork } from '../primitives/types.ts'
import type { ServeOptions } from '../server/options.ts'

/** An option as `--help` shows it. */
interface Option {
  /** What its value is called; none for a switch. */
  readonly value?: string
  /** Its meaning and its default. */
  readonly help: string
}

/** Every option by its name, in the order of `--help`. */
export const OPTIONS = {
  port: { value: 'PORT', help: 'port of the standard view, 0 for one that is free (8545)' },
  'preconf-port': { value: 'PORT', help: 'port of the preconf view, 0 for one that is free (8546)' },
  host: { value: 'HOST', help: 'address to listen on (127.0.0.1)' },
  'chain-id': { value: 'ID', help: 'EIP-155 chain id (31337)' },
  hardfork: { value: 'NAME', help: 'paris, shanghai, cancun, prague or osaka (prague)' },
  accounts: { value: 'N', help: 'how many dev accounts (10; none with --genesis)' },
  mnemonic: { value: 'WORDS', help: 'what they are derived from (test … junk)' },
  balance: { value: 'ETHER', help: 'what each of them has (10000)' },
  genesis: { value: 'FILE', help: "start from a genesis.json of geth's" },
  blocks: { value: 'FILE', help: 'import these blocks after it: RLP, one after the other' },
  mining: { value: 'MODE', help: 'interval, auto or manual (interval)' },
  'block-time': { value: 'MS', help: 'from seal to seal (2000)' },
  'preconf-interval': { value: 'MS', help: 'from snapshot to snapshot (200)' },
  'same-second-blocks': { help: "let a block carry its parent's timestamp" },
  'gas-limit': { value: 'GAS', help: 'of every block (30000000)' },
  'base-fee': { value: 'WEI', help: "the genesis block's (1000000000)" },
  'gas-price': {
    value: 'WEI',
    help: 'of eth_gasPrice, and of own transactions that name none (by the base fee)',
  },
  coinbase: { value: 'ADDRESS', help: 'fee recipient (the zero address)' },
  blobs: { help: 'accept blob transactions (EIP-4844)' },
  'allow-unlimited-contract-size': { help: 'contracts of any size (no EIP-170, no EIP-3860)' },
  'client-version': { value: 'TEXT', help: 'what web3_clientVersion answers, such as HardhatNetwork/2.22.0' },
  dialect: { value: 'NAME', help: 'preconf, or geth to word answers as go-ethereum does (preconf)' },
  faults: { value: 'PRESET', help: 'what goes wrong, such as stale-pending; see the README (nothing)' },
  'revert-reason': { help: 'have receipts tell what transactions reverted with' },
  console: { help: 'print what contracts say by console.log, with --json to stderr' },
  json: { help: 'print one line of JSON once it listens, and nothing else' },
  help: { help: 'print this' },
  version: { help: 'print the version' },
} as const satisfies Readonly<Record<string, Option>>

type Name = keyof typeof OPTIONS

/** A chain to be started and served. */
export interface RunCommand {
  readonly kind: 'run'
  /** All but `genesis` and `blocks`. */
  readonly chainOptions: ChainOptions
  readonly serveOptions: ServeOptions
  /** Paths of what `genesis` and `blocks` are read from. */
  readonly files: { readonly genesis: string | undefined; readonly blocks: string | undefined }
  /** Whether all that is printed is one line of JSON. */
  readonly json: boolean
}

/** What a command line asks for. */
export type Command =
  | RunCommand
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  /** A command line that says nothing sensible, and why. */
  | { readonly kind: 'misuse'; readonly message: string }

/** A value that is no number where one is needed. */
class ValueError extends Error {
  constructor(name: Name, value: string, expected: string) {
    super(`option --${name}: expected ${expected}, not '${value}'`)
  }
}

/**
 * Reads a command line. What a value must be beyond its form is checked by `createChain` and `serve`.
 *
 * @param argv - without the program's name
 */
export function parseArguments(argv: readonly string[]): Command {
  try {
    return toCommand(read(argv))
  } catch (error) {
    if (error instanceof ValueError) return { kind: 'misuse', message: error.message }
    if ((error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS_') !== true) throw error
    // The first sentence says what is wrong; the others are advice for those who write parsers.
    const message = (error as Error).message.split(/\.(?:\s|$)/)[0]!
    const forking = FORKING.exec(message)?.[1]
    if (forking !== undefined)
      return { kind: 'misuse', message: `option ${forking}: forking is not supported` }
    return { kind: 'misuse', message: message.charAt(0).toLowerCase() + message.slice(1) }
  }
}

/** What is said of an unknown option by which other chains become the copy of another. */
const FORKING = /^Unknown option '(--fork(?:-[^']*)?|-f)'$/

/** What was given: values as text, switches. */
type Values = Readonly<Partial<Record<Name, string | boolean>>>

function read(argv: readonly string[]): Values {
  const options = Object.fromEntries(
    Object.entries(OPTIONS).map(([name, option]) => [
      name,
      { type: 'value' in option ? ('string' as const) : ('boolean' as const) },
    ]),
  )
  return parseArgs({ args: [...argv], options, strict: true, allowPositionals: false }).values as Values
}

function toCommand(values: Values): Command {
  if (values.help === true) return { kind: 'help' }
  if (values.version === true) return { kind: 'version' }

  const text = (name: Name) => values[name] as string | undefined
  function as<T>(name: Name, parse: (value: string) => T | undefined, expected: string): T | undefined {
    const value = text(name)
    if (value === undefined) return undefined
    const parsed = parse(value)
    if (parsed === undefined) throw new ValueError(name, value, expected)
    return parsed
  }
  const integer = (name: Name) => as(name, toInteger, A_NUMBER)
  const bigint = (name: Name) => as(name, toBigint, A_NUMBER)

  const accounts = given({
    count: integer('accounts'),
    mnemonic: text('mnemonic'),
    balance: as('balance', toWei, 'an amount of ether with up to 18 decimals'),
  })
  return {
    kind: 'run',
    chainOptions: given({
      chainId: integer('chain-id'),
      hardfork: text('hardfork') as Hardfork | undefined,
      accounts: Object.keys(accounts).length > 0 ? accounts : undefined,
      mining: text('mining') as ChainOptions['mining'],
      blockTime: integer('block-time'),
      preconfInterval: integer('preconf-interval'),
      sameSecondBlocks: values['same-second-blocks'] as boolean | undefined,
      gasLimit: bigint('gas-limit'),
      baseFeePerGas: bigint('base-fee'),
      gasPrice: bigint('gas-price'),
      coinbase: text('coinbase') as Address | undefined,
      blobs: values.blobs as boolean | undefined,
      allowUnlimitedContractSize: values['allow-unlimited-contract-size'] as boolean | undefined,
      clientVersion: text('client-version'),
      dialect: text('dialect') as Dialect | undefined,
      faults: text('faults') as FaultPreset | undefined,
      revertReason: values['revert-reason'] as boolean | undefined,
      console: values.console as boolean | undefined,
    }),
    serveOptions: given({
      port: integer('port'),
      preconfPort: integer('preconf-port'),
      host: text('host'),
    }),
    files: { genesis: text('genesis'), blocks: text('blocks') },
    json: values.json === true,
  }
}

const A_NUMBER = 'a whole number'

function toInteger(value: string): number | undefined {
  return /^\d+$/.test(value) ? Number(value) : undefined
}

function toBigint(value: string): bigint | undefined {
  return /^\d+$/.test(value) ? BigInt(value) : undefined
}

/** From ether to wei, exactly. */
function toWei(value: string): bigint | undefined {
  const [, whole, decimals = ''] = /^(\d+)(?:\.(\d{1,18}))?$/.exec(value) ?? []
  return whole === undefined ? undefined : BigInt(whole + decimals.padEnd(18, '0'))
}

type Given<T> = { -readonly [Key in keyof T]?: Exclude<T[Key], undefined> }

/** The fields that are not undefined: what was left out has its default. */
function given<T extends object>(fields: T): Given<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<T>
}
