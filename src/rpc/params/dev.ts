/** Parameters of development chain methods. They accept every form of integer that clients send. */
import { MAX_UINT256, quantity as quantityHex } from '../../base/bytes.ts'
import { InvalidParamsError, SchemaError } from '../../base/errors.ts'
import {
  array,
  createSchema,
  type InputOf,
  isObject,
  object,
  ofLimitedLength,
  optional,
  type Schema,
  scalar,
  type ValueOf,
} from '../../base/schema.ts'
import type { Hex } from '../../base/types.ts'
import { MAX_REORG_DEPTH } from '../../core/sequencer/reverts.ts'
import { rawTransaction, readBytes } from './params.ts'

/** Normalizes an integer (hex, JSON number or decimal digits) to text. Hardhat's helpers send `0x` for zero. */
function readDigits(value: unknown): string | undefined {
  if (value === '0x') return '0'
  const text = typeof value === 'number' ? `${value}` : value
  return typeof text === 'string' && DIGITS.test(text) ? text : undefined
}

/** Matches at most the digits of 256 bits, since converting digits to a bigint takes quadratic time. */
const DIGITS = /^(0x[0-9a-f]{1,64}|[0-9]{1,78})$/i

/** Parses an integer up to 2^53 / 1000 in any form of {@link readDigits}. */
function readInteger(value: unknown): number | undefined {
  const number = Number(readDigits(value))
  return number <= MAX_INTEGER ? number : undefined
}

/** The maximum number of seconds whose milliseconds are a safe integer. */
const MAX_INTEGER = Math.floor(Number.MAX_SAFE_INTEGER / 1000)

/** A non-negative integer as hex, JSON number or decimal digits. */
export const integer = scalar<number, number | Hex | string>('an integer >= 0', readInteger)

/**
 * A time since the Unix epoch in seconds (anvil) or milliseconds (ganache), parsed to milliseconds. Numbers below 10^11
 * are seconds: 10^11 seconds are in the year 5138, 10^11 milliseconds in 1973.
 */
export const milliseconds = scalar<number, number | Hex | string>('a time since the Unix epoch', (value) => {
  const number = readInteger(value)
  return number !== undefined && number < 1e11 ? 1000 * number : number
})

/** Returns a parser of integers up to `max`, in any form of {@link readDigits}. */
const readAmount =
  (max: bigint) =>
  (value: unknown): bigint | undefined => {
    const digits = typeof value === 'number' && !Number.isSafeInteger(value) ? undefined : readDigits(value)
    const number = digits === undefined ? undefined : BigInt(digits)
    return number !== undefined && number <= max ? number : undefined
  }

/** An integer up to 2^256 - 1, as hex, JSON number or decimal digits. */
export const amount = scalar<bigint, Hex | number | string>(
  'an integer >= 0 of up to 256 bits',
  readAmount(MAX_UINT256),
)

const readChainId = readAmount(BigInt(Number.MAX_SAFE_INTEGER))

/** A chain id in the range of the option `chainId`, as hex, JSON number or decimal digits. */
export const chainId = scalar<bigint, Hex | number | string>(
  'an integer from 1 to 2^53 - 1',
  (value) => readChainId(value) || undefined,
)

/** The gas limit of a block: at least the protocol's minimum. */
export const blockGasLimit = scalar<bigint, Hex | number | string>('a gas limit >= 5000', (value) => {
  const gasLimit = readInteger(value)
  return gasLimit !== undefined && gasLimit >= 5000 ? BigInt(gasLimit) : undefined
})

/** Request of evm_mine: a timestamp in seconds, or an object with a timestamp and a number of blocks. */
export const miningRequest: Schema<
  { readonly timestamp?: number; readonly blocks?: number },
  number | Hex | string | { readonly timestamp?: number | Hex; readonly blocks?: number | Hex }
> = createSchema('a timestamp, or an object', (value, position) =>
  isObject(value)
    ? object({ timestamp: optional(integer), blocks: optional(integer) }).parse(value, position)
    : { timestamp: integer.parse(value, position) },
)

/** The URL of a node to fork, as text. Forks connect over HTTP only. */
export const nodeUrl = scalar<string, string>('a URL that begins with http: or https:', (value) => {
  if (typeof value !== 'string' || !URL.canParse(value)) return undefined
  return /^https?:$/.test(new URL(value).protocol) ? value : undefined
})

/** Number of the block to fork. Clients that name no block send NaN, which JSON turns into null. */
const forkBlock: Schema<bigint | undefined, number | Hex | string> = createSchema(
  integer.expected,
  (value, path) => (Number.isNaN(value) ? undefined : BigInt(integer.parse(value, path))),
)

const httpHeaders = scalar<Readonly<Record<string, string>>, Readonly<Record<string, string>>>(
  'an object of HTTP headers',
  (value) => {
    try {
      new Headers(value as Record<string, string>)
      return isObject(value) ? { ...(value as Record<string, string>) } : undefined
    } catch {
      return undefined
    }
  },
)

/** The request of anvil_reset and hardhat_reset. An empty `forking` means the chain's first block. */
export const resetRequest = object({
  forking: optional(
    object({
      jsonRpcUrl: optional(nodeUrl),
      blockNumber: optional(forkBlock),
      httpHeaders: optional(httpHeaders),
    }),
  ),
})

const PAIR = 'an array of a raw transaction and a block index'

/** A raw transaction and the index of its block among the replaced ones. */
export const replacement: Schema<
  { readonly raw: Uint8Array; readonly block: number },
  readonly [raw: Hex, block: number | Hex]
> = createSchema(PAIR, (value, position) => {
  if (!Array.isArray(value) || value.length !== 2) throw new SchemaError(position, PAIR)
  return {
    raw: rawTransaction.parse(value[0], `${position}[0]`),
    block: integer.parse(value[1], `${position}[1]`),
  }
})

/** Number of blocks to replace, or an object with this number and the transactions of the new blocks. */
export const reorgRequest: Schema<
  { readonly depth: number; readonly txBlockPairs?: readonly ValueOf<typeof replacement>[] },
  | number
  | Hex
  | { readonly depth: number | Hex; readonly txBlockPairs?: readonly InputOf<typeof replacement>[] }
> = createSchema('a depth, or an object', (value, position) =>
  isObject(value)
    ? object(
        { depth: integer, txBlockPairs: optional(array(replacement)) },
        { txBlockPairs: 'tx_block_pairs' },
      ).parse(value, position)
    : { depth: integer.parse(value, position) },
)

/** Groups raw transactions by target block. @throws InvalidParamsError beyond the depth or {@link MAX_REORG_DEPTH} */
export function toReplacements(
  { depth, txBlockPairs = [] }: ValueOf<typeof reorgRequest>,
  further: readonly ValueOf<typeof replacement>[],
): { readonly depth: number; readonly replace: readonly (readonly Uint8Array[])[] } {
  if (depth > MAX_REORG_DEPTH) throw new InvalidParamsError('depth', `at most ${MAX_REORG_DEPTH}`)
  const replace: Uint8Array[][] = []
  for (const { raw, block } of [...txBlockPairs, ...further]) {
    if (block >= depth) throw new InvalidParamsError('0', `block indexes below ${depth}`)
    while (replace.length <= block) replace.push([])
    replace[block]!.push(raw)
  }
  return { depth, replace }
}

/** A state file from anvil_dumpState, or its content as an object. */
export const stateFile = ofLimitedLength(
  scalar<Uint8Array | object, Hex | object>('a hex string of whole bytes, or an object', (value) =>
    isObject(value) ? value : readBytes(value),
  ),
)

/** Id of a snapshot, as evm_snapshot returns it or as a number. */
export const snapshotId = scalar<Hex, Hex | number | string>('the id of a snapshot', (value) => {
  const number = readInteger(value)
  return number === undefined ? undefined : quantityHex(number)
})
