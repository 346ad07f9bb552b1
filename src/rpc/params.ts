/**
 * Parsers of wire parameters: each turns an unknown value into a typed one, or throws InvalidParamsError naming the
 * place (`0.topics[1]`) and what was expected there.
 *
 * Input is read, never mutated and never kept. Hex is accepted in either case and given out in lower case. Where a
 * value may be absent, undefined and null are absent.
 */
import { quantity as quantityHex } from '../bytes.ts'
import { InvalidParamsError, ParamsCountError } from '../errors.ts'
import type { LogQuery } from '../ledger/logIndex.ts'
import { MAX_REORG_DEPTH } from '../reorg.ts'
import { MUX } from '../trace/tracer.ts'
import type { AccessListEntry, Address, BlockParameter, BlockTag, Hash, Hex } from '../types.ts'
import type { BlockPosition, BlockReference } from '../view.ts'

/** A parser of one parameter: `T` is what it gives, `Wire` what a caller passes. */
export interface Param<T, Wire = unknown> {
  /** What a value must be, as error messages say it. */
  readonly expected: string
  /** Whether the value may be absent. */
  readonly optional: boolean
  /** @throws InvalidParamsError naming `position` if the value has another form. */
  parse(value: unknown, position: string): T
  /** Never set; it carries the type for WireParams. */
  readonly wire?: Wire
}

/** A parser whose value may be absent. */
export interface OptionalParam<T, Wire> extends Param<T | undefined, Wire | null | undefined> {
  readonly optional: true
}

type Params = readonly Param<unknown>[]

/** What a parser gives. */
export type ParamValue<P> = P extends Param<infer T> ? T : never
/** What a caller passes to a parser. */
export type ParamWire<P> = P extends Param<unknown, infer Wire> ? Wire : never
/** What parseParams gives for a list of parsers. */
export type ParamValues<S extends Params> = { -readonly [K in keyof S]: ParamValue<S[K]> }
/** What a caller of a method passes as `params`. */
export type WireParams<S extends Params> = S extends readonly [infer P, ...infer Rest extends Params]
  ? P extends { readonly optional: true }
    ? [value?: ParamWire<P>, ...rest: WireParams<Rest>]
    : [value: ParamWire<P>, ...rest: WireParams<Rest>]
  : []

/**
 * Parses a request's `params`: an array, or absent; undefined values at its end do not count.
 *
 * @throws ParamsCountError if there are more than `specs`, or a required one is left out.
 * @throws InvalidParamsError if `params` is no array or one of them has the wrong form.
 */
export function parseParams<const S extends Params>(params: unknown, specs: S): ParamValues<S> {
  const values = params ?? []
  if (!Array.isArray(values)) throw new InvalidParamsError('params', 'an array')
  let count = values.length
  while (count > 0 && values[count - 1] === undefined) count--
  let required = specs.length
  while (required > 0 && specs[required - 1]!.optional) required--
  if (count < required || count > specs.length) throw new ParamsCountError(required, specs.length, count)
  return specs.map((spec, i) => spec.parse(values[i], `${i}`)) as ParamValues<S>
}

function parser<T, Wire>(expected: string, parse: (value: unknown, position: string) => T): Param<T, Wire> {
  return { expected, optional: false, parse }
}

/** `read` gives undefined for a value of another form. */
function param<T, Wire>(expected: string, read: (value: unknown) => T | undefined): Param<T, Wire> {
  return parser(expected, (value, position) => {
    const parsed = read(value)
    if (parsed === undefined) throw new InvalidParamsError(position, expected)
    return parsed
  })
}

function refine<T, U, Wire>(base: Param<T, Wire>, next: (value: T, position: string) => U): Param<U, Wire> {
  return parser(base.expected, (value, position) => next(base.parse(value, position), position))
}

/** The same parameter, which may be absent. */
export function optional<T, Wire>(base: Param<T, Wire>): OptionalParam<T, Wire> {
  return {
    expected: base.expected,
    optional: true,
    parse: (value, position) => (isAbsent(value) ? undefined : base.parse(value, position)),
  }
}

/** Items of a list and keys of an object, if nothing less is stated. */
export const MAX_ITEMS = 10_000

/** Addresses of a filter, and topics at one position; as go-ethereum has it. */
export const MAX_FILTER_ITEMS = 1000

/** Bytes of hex data: 16 MiB, more than any gas limit in use can pay for. */
export const MAX_DATA_BYTES = 2 ** 24

/** A list of parameters of one kind, at most `max` of them; default: {@link MAX_ITEMS}. */
export function array<T, Wire>(
  item: Param<T, Wire>,
  { max = MAX_ITEMS }: { max?: number } = {},
): Param<readonly T[], readonly Wire[]> {
  return parser('an array', (value, position) => {
    if (!Array.isArray(value)) throw new InvalidParamsError(position, 'an array')
    if (value.length > max) throw new InvalidParamsError(position, `at most ${max} items`)
    return Array.from(value, (one: unknown, i) => item.parse(one, `${position}[${i}]`))
  })
}

/** Refuses hex data of more than {@link MAX_DATA_BYTES}, and other text as long, before it is read. */
function ofLimitedLength<T, Wire>(base: Param<T, Wire>): Param<T, Wire> {
  return parser(base.expected, (value, position) => {
    if (typeof value === 'string' && value.length > 2 + 2 * MAX_DATA_BYTES) {
      throw new InvalidParamsError(position, `at most ${MAX_DATA_BYTES} bytes`)
    }
    return base.parse(value, position)
  })
}

/** One, or a list of at most {@link MAX_FILTER_ITEMS} of them. */
function oneOrMany<T, Wire>(item: Param<T, Wire>): Param<readonly T[], Wire | readonly Wire[]> {
  const many = array(item, { max: MAX_FILTER_ITEMS })
  return parser(`${item.expected}, or an array of them`, (value, position) =>
    Array.isArray(value) ? many.parse(value, position) : [item.parse(value, position)],
  )
}

/** A string that is one of these. */
function oneOf<const T extends string>(...values: readonly T[]): Param<T, T> {
  return param(values.map((value) => `'${value}'`).join(' or '), (value) =>
    values.find((one) => one === value),
  )
}

type Fields = { readonly [name: string]: Param<unknown> }
type Aliases<F> = { readonly [K in keyof F]?: string }
type OptionalKey<F> = { [K in keyof F]: F[K] extends { readonly optional: true } ? K : never }[keyof F]
type Flat<T> = { [K in keyof T]: T[K] }
type ObjectValue<F> = Flat<
  { readonly [K in Exclude<keyof F, OptionalKey<F>>]: ParamValue<F[K]> } & {
    readonly [K in OptionalKey<F>]?: Exclude<ParamValue<F[K]>, undefined>
  }
>
type ObjectWire<F, A> = Flat<
  { readonly [K in Exclude<keyof F, OptionalKey<F>>]: ParamWire<F[K]> } & {
    readonly [K in OptionalKey<F>]?: ParamWire<F[K]>
  } & { readonly [K in keyof A & keyof F as A[K] & string]?: ParamWire<F[K]> }
>

/**
 * An object with these fields; other keys are tolerated, absent ones are left out of the result.
 *
 * @param aliases - a second name for some fields; given under both names the values must be the same.
 */
export function object<const F extends Fields, const A extends Aliases<F> = Record<never, never>>(
  fields: F,
  aliases?: A,
): Param<ObjectValue<F>, ObjectWire<F, A>> {
  const entries = Object.entries(fields).map(([name, field]) => {
    const alias = aliases?.[name]
    return { name, field, names: alias === undefined ? [name] : [name, alias] }
  })
  return parser('an object', (value, position) => {
    const source = readObject(value, position)
    const result: Record<string, unknown> = {}
    for (const { name, field, names } of entries) {
      const [first = name, second] = names.filter((key) => !isAbsent(source[key]))
      const parsed = field.parse(source[first], `${position}.${first}`)
      if (second !== undefined && !isSame(field.parse(source[second], `${position}.${second}`), parsed)) {
        throw new InvalidParamsError(`${position}.${second}`, `the same value as in ${first}`)
      }
      if (parsed !== undefined) result[name] = parsed
    }
    return result as ObjectValue<F>
  })
}

/** An object used as a map; keys that differ only in their spelling are refused. */
function map<K, V, Wire>(
  key: Param<K>,
  item: Param<V, Wire>,
): Param<ReadonlyMap<K, V>, { readonly [key: Hex]: Wire | null | undefined }> {
  return parser('an object', (value, position) => {
    const result = new Map<K, V>()
    const entries = Object.entries(readObject(value, position))
    if (entries.length > MAX_ITEMS) throw new InvalidParamsError(position, `at most ${MAX_ITEMS} keys`)
    for (const [name, one] of entries) {
      const at = `${position}.${name}`
      const parsedKey = key.parse(name, at)
      if (isAbsent(one)) continue
      if (result.has(parsedKey)) throw new InvalidParamsError(at, 'each key once')
      result.set(parsedKey, item.parse(one, at))
    }
    return result
  })
}

const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function readObject(value: unknown, position: string): Record<string, unknown> {
  if (!isObject(value)) throw new InvalidParamsError(position, 'an object')
  return value
}

function readJson(json: string, position: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    throw new InvalidParamsError(position, 'JSON')
  }
}

function isSame(a: unknown, b: unknown): boolean {
  if (!(a instanceof Uint8Array && b instanceof Uint8Array)) return a === b
  return a.length === b.length && a.every((byte, i) => byte === b[i])
}

function lowerCaseHex(pattern: RegExp): (value: unknown) => Hex | undefined {
  return (value) =>
    typeof value === 'string' && pattern.test(value) ? (value.toLowerCase() as Hex) : undefined
}

function quantityOf(bits: 64 | 256): (value: unknown) => bigint | undefined {
  const read = lowerCaseHex(new RegExp(`^0x(0|[1-9a-f][0-9a-f]{0,${bits / 4 - 1}})$`, 'i'))
  return (value) => {
    const hex = read(value)
    return hex && BigInt(hex)
  }
}

const readInteger64 = quantityOf(64)

function readIndex(value: unknown): number | undefined {
  const number = Number(readInteger64(value) ?? Number.NaN)
  return Number.isSafeInteger(number) ? number : undefined
}

const readText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

function readCount(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : readIndex(value)
}

const readHash32 = lowerCaseHex(/^0x[0-9a-f]{64}$/i)
const readWord = lowerCaseHex(/^0x[0-9a-f]{0,64}$/i)

/** The value of each hex digit by its character code, 16 for what is none. */
const NIBBLES = Uint8Array.from({ length: 128 }, (_, code) => {
  const nibble = Number.parseInt(String.fromCharCode(code), 16)
  return Number.isNaN(nibble) ? 16 : nibble
})

function readBytes(value: unknown): Uint8Array | undefined {
  if (typeof value !== 'string' || value.length % 2 === 1 || !/^0x/i.test(value)) return undefined
  const bytes = new Uint8Array(value.length / 2 - 1)
  for (let i = 0; i < bytes.length; i++) {
    const high = NIBBLES[value.charCodeAt(2 * i + 2)] ?? 16
    const low = NIBBLES[value.charCodeAt(2 * i + 3)] ?? 16
    if ((high | low) > 15) return undefined
    bytes[i] = (high << 4) | low
  }
  return bytes
}

/** An address; mixed case is not checked against EIP-55. */
export const address = param<Address, Address>('a 20-byte address', lowerCaseHex(/^0x[0-9a-f]{40}$/i))
/** 32 bytes. */
export const hash32 = param<Hash, Hash>('a 32-byte hash', readHash32)
/** Whole bytes; they may be none. */
export const data = ofLimitedLength(param<Uint8Array, Hex>('hex data of whole bytes', readBytes))
/** An integer up to 2^256 - 1, without leading zeros. */
export const quantity = param<bigint, Hex>('a hex quantity of up to 256 bits', quantityOf(256))
/** An integer up to 2^64 - 1, without leading zeros. */
export const quantity64 = param<bigint, Hex>('a hex quantity of up to 64 bits', readInteger64)
/** An integer up to 2^53 - 1, without leading zeros, as a number. */
export const index = param<number, Hex>('a hex quantity of up to 53 bits', readIndex)
/** True or false. */
export const boolean = param<boolean, boolean>('a boolean', (value) =>
  typeof value === 'boolean' ? value : undefined,
)
/** A string of any length. */
export const text = param<string, string>('a string', readText)
/** A word in up to 32 bytes, with leading zeros or without; given out in all 32. */
export const storageKey = param<Hash, Hex>('hex of up to 32 bytes', (value) => {
  const hex = readWord(value)
  return hex && `0x${hex.slice(2).padStart(64, '0')}`
})
/**
 * A slot as eth_getProof names it, and as the answer shows it: 32 bytes as they are, anything shorter as a quantity.
 */
export const proofKey = param<{ readonly slot: Hash; readonly shown: Hex }, Hex>(
  'hex of up to 32 bytes',
  (value) => {
    const hex = readWord(value)
    if (hex === undefined) return undefined
    const slot: Hash = `0x${hex.slice(2).padStart(64, '0')}`
    // An odd digit makes a byte, as go-ethereum counts.
    return { slot, shown: hex.length > 64 ? slot : quantityHex(BigInt(slot)) }
  },
)
/** A signed transaction: at least one byte. */
export const rawTransaction = ofLimitedLength(
  param<Uint8Array, Hex>('hex data of at least one byte', (value) => {
    const bytes = readBytes(value)
    return bytes?.length ? bytes : undefined
  }),
)
/** A time in ms: a non-negative integer as JSON number or hex quantity. */
export const timeoutMs = param<number, number | Hex>('a non-negative integer of milliseconds', readCount)

/**
 * The digits of an integer as a client of any dev chain sends it: as hex, as JSON number or in decimal. Hardhat's
 * helpers write `0x` for a zero that they were given as `0x00`.
 */
function readDigits(value: unknown): string | undefined {
  if (value === '0x') return '0'
  const text = typeof value === 'number' ? `${value}` : value
  return typeof text === 'string' && DIGITS.test(text) ? text : undefined
}

/** As many digits as 256 bits have: the time it takes to convert more grows with the square of their number. */
const DIGITS = /^(0x[0-9a-f]{1,64}|[0-9]{1,78})$/i

/** An integer as a client of any dev chain sends it, up to 2^53 / 1000. */
function readInteger(value: unknown): number | undefined {
  const number = Number(readDigits(value))
  return number <= MAX_INTEGER ? number : undefined
}

/** Seconds up to here, in milliseconds, are told apart by numbers. */
const MAX_INTEGER = Math.floor(Number.MAX_SAFE_INTEGER / 1000)

/** A non-negative integer as hex, as JSON number, or in decimal digits. */
export const integer = param<number, number | Hex | string>('a non-negative integer', readInteger)

/**
 * A time since the Unix epoch in seconds, as anvil has it, or in milliseconds, as ganache does; given out in
 * milliseconds. In seconds, 10^11 is the year 5138; in milliseconds it was in 1973.
 */
export const milliseconds = param<number, number | Hex | string>('a time since the Unix epoch', (value) => {
  const number = readInteger(value)
  return number !== undefined && number < 1e11 ? 1000 * number : number
})

/** Integers up to `max` as a client of any dev chain sends them: as hex, as JSON number or in decimal digits. */
const readAmount =
  (max: bigint) =>
  (value: unknown): bigint | undefined => {
    const digits = typeof value === 'number' && !Number.isSafeInteger(value) ? undefined : readDigits(value)
    const number = digits === undefined ? undefined : BigInt(digits)
    return number !== undefined && number <= max ? number : undefined
  }

/** An integer up to 2^256 - 1, in any of these forms. */
export const amount = param<bigint, Hex | number | string>(
  'an integer of up to 256 bits',
  readAmount(2n ** 256n - 1n),
)

const readChainId = readAmount(BigInt(Number.MAX_SAFE_INTEGER))

/** A chain id as one can be created with, in any of these forms. */
export const chainId = param<bigint, Hex | number | string>(
  'an integer from 1 to 2^53 - 1',
  (value) => readChainId(value) || undefined,
)

/** The gas limit of a block: at least what the protocol asks for. */
export const blockGasLimit = param<bigint, Hex | number | string>('a gas limit from 5,000', (value) => {
  const gasLimit = readInteger(value)
  return gasLimit !== undefined && gasLimit >= 5000 ? BigInt(gasLimit) : undefined
})

/** Whatever a client sends. */
export const any = param<{ readonly value: unknown }, unknown>('anything', (value) => ({ value }))

/** What evm_mine is asked for: a timestamp in seconds, or that and a number of blocks. */
export const miningRequest: Param<
  { readonly timestamp?: number; readonly blocks?: number },
  number | Hex | string | { readonly timestamp?: number | Hex; readonly blocks?: number | Hex }
> = parser('a timestamp, or an object', (value, position) =>
  isObject(value)
    ? object({ timestamp: optional(integer), blocks: optional(integer) }).parse(value, position)
    : { timestamp: integer.parse(value, position) },
)

/** What a chain is to become; clients give numbers that are none, and keys without a value. */
export const resetRequest = object({ forking: optional(object({ jsonRpcUrl: optional(any) })) })

/** A raw transaction, and the place of its block among those that are replaced, from 0 on. */
export const replacement: Param<
  { readonly raw: Uint8Array; readonly block: number },
  readonly [raw: Hex, block: number | Hex]
> = parser('a raw transaction and the place of its block', (value, position) => {
  if (!Array.isArray(value) || value.length !== 2) throw new InvalidParamsError(position, 'a pair')
  return {
    raw: rawTransaction.parse(value[0], `${position}[0]`),
    block: integer.parse(value[1], `${position}[1]`),
  }
})

/** How many blocks to replace, alone or in an object with what is to be in them. */
export const reorgRequest: Param<
  { readonly depth: number; readonly txBlockPairs?: readonly ParamValue<typeof replacement>[] },
  | number
  | Hex
  | { readonly depth: number | Hex; readonly txBlockPairs?: readonly ParamWire<typeof replacement>[] }
> = parser('a depth, or an object', (value, position) =>
  isObject(value)
    ? object(
        { depth: integer, txBlockPairs: optional(array(replacement)) },
        { txBlockPairs: 'tx_block_pairs' },
      ).parse(value, position)
    : { depth: integer.parse(value, position) },
)

/**
 * The raw transactions of each block that is replaced.
 *
 * @throws InvalidParamsError for more than {@link MAX_REORG_DEPTH} blocks, or a block beyond them.
 */
export function toReplacements(
  { depth, txBlockPairs = [] }: ParamValue<typeof reorgRequest>,
  further: readonly ParamValue<typeof replacement>[],
): { readonly depth: number; readonly replace: readonly (readonly Uint8Array[])[] } {
  if (depth > MAX_REORG_DEPTH) throw new InvalidParamsError('depth', `at most ${MAX_REORG_DEPTH}`)
  const replace: Uint8Array[][] = []
  for (const { raw, block } of [...txBlockPairs, ...further]) {
    if (block >= depth) throw new InvalidParamsError('0', `places below ${depth}`)
    while (replace.length <= block) replace.push([])
    replace[block]!.push(raw)
  }
  return { depth, replace }
}

/** A state as it was dumped, or as the object it holds. */
export const stateFile = ofLimitedLength(
  param<Uint8Array | object, Hex | object>('hex data, or an object', (value) =>
    isObject(value) ? value : readBytes(value),
  ),
)

/** The id of a snapshot, as it was given out or as a number. */
export const snapshotId = param<Hex, Hex | number | string>('the id of a snapshot', (value) => {
  const number = readInteger(value)
  return number === undefined ? undefined : quantityHex(number)
})

const TAGS: readonly unknown[] = ['latest', 'pending', 'safe', 'finalized', 'earliest'] satisfies BlockTag[]

function readBlockPosition(value: unknown): BlockPosition | undefined {
  if (TAGS.includes(value)) return { kind: 'tag', tag: value as BlockTag }
  const number = readInteger64(value)
  return number === undefined ? undefined : { kind: 'number', number }
}

/** A block by tag or number (spec.md §2.1). */
export const blockPosition = param<BlockPosition, BlockTag | Hex>('a block number or tag', readBlockPosition)

/** A block by its hash alone. */
export const blockHash: Param<BlockReference, Hash> = refine(hash32, (hash) => ({
  kind: 'hash',
  hash,
  requireCanonical: false,
}))

const blockObject = object({
  blockNumber: optional(blockPosition),
  blockHash: optional(hash32),
  requireCanonical: optional(boolean),
})

/** A block by tag, number, bare hash, or as the object of EIP-1898 with a blockNumber or a blockHash. */
export const blockParameter: Param<BlockReference, BlockParameter> = parser(
  'a block number, tag or hash',
  (value, position) => {
    if (isObject(value)) {
      const { blockNumber, blockHash: hash, requireCanonical = false } = blockObject.parse(value, position)
      if (blockNumber && !hash) return blockNumber
      if (hash && !blockNumber) return { kind: 'hash', hash, requireCanonical }
      throw new InvalidParamsError(position, 'either blockNumber or blockHash')
    }
    const hash = readHash32(value)
    if (hash) return { kind: 'hash', hash, requireCanonical: false }
    const block = readBlockPosition(value)
    if (block) return block
    throw new InvalidParamsError(position, 'a block number, tag or hash')
  },
)

/** An integer that clients send with leading zeros and without, such as the words of a signature. */
const word = refine(storageKey, (hex) => BigInt(hex))

const accessListEntry: Param<AccessListEntry, AccessListEntry> = object({
  address,
  storageKeys: array(hash32),
})

const authorization = object({
  chainId: quantity,
  address,
  nonce: quantity64,
  yParity: index,
  r: word,
  s: word,
})

/** A call or an unsigned transaction (spec.md §2.2); `input` is another name of `data`, unknown keys are tolerated. */
export const callObject = refine(
  object(
    {
      from: optional(address),
      to: optional(address),
      gas: optional(quantity64),
      gasPrice: optional(quantity),
      maxFeePerGas: optional(quantity),
      maxPriorityFeePerGas: optional(quantity),
      maxFeePerBlobGas: optional(quantity),
      value: optional(quantity),
      data: optional(data),
      nonce: optional(quantity64),
      type: optional(index),
      chainId: optional(quantity),
      accessList: optional(array(accessListEntry)),
      authorizationList: optional(array(authorization)),
      blobVersionedHashes: optional(array(hash32)),
    },
    { data: 'input' },
  ),
  (call, position) => {
    for (const field of ['maxFeePerGas', 'maxPriorityFeePerGas'] as const) {
      if (call.gasPrice === undefined || call[field] === undefined) continue
      throw new InvalidParamsError(`${position}.${field}`, 'no such field beside gasPrice')
    }
    return call
  },
)

/** A parsed call object; what was absent is left out. */
export type CallObject = ParamValue<typeof callObject>

/** A transaction to be sent by its sender's account. */
export const transactionRequest = refine(callObject, ({ from, ...rest }, position) => {
  if (from === undefined) throw new InvalidParamsError(`${position}.from`, address.expected)
  return { ...rest, from }
})

/** A parsed transaction request; its sender is known. */
export type TransactionRequest = ParamValue<typeof transactionRequest>

const accountOverride = refine(
  object({
    balance: optional(quantity),
    nonce: optional(quantity64),
    code: optional(data),
    state: optional(map(storageKey, storageKey)),
    stateDiff: optional(map(storageKey, storageKey)),
    movePrecompileToAddress: optional(address),
  }),
  (account, position) => {
    if (!account.state || !account.stateDiff) return account
    throw new InvalidParamsError(`${position}.stateDiff`, 'no such field beside state')
  },
)

/** Overrides of accounts, by address (spec.md §2.7). */
export const stateOverrides = refine(map(address, accountOverride), (overrides, position) => {
  let items = overrides.size
  for (const { state, stateDiff } of overrides.values()) items += (state ?? stateDiff)?.size ?? 0
  if (items > MAX_ITEMS) throw new InvalidParamsError(position, `at most ${MAX_ITEMS} accounts and slots`)
  return overrides
})

const withdrawal = object({ index: quantity64, validatorIndex: quantity64, address, amount: quantity64 })

/** Overrides of a block's fields (spec.md §2.7), under the names of eth_simulateV1 and their older aliases. */
export const blockOverrides = object(
  {
    number: optional(quantity64),
    time: optional(quantity64),
    gasLimit: optional(quantity64),
    feeRecipient: optional(address),
    prevRandao: optional(storageKey),
    baseFeePerGas: optional(quantity),
    blobBaseFee: optional(quantity),
    difficulty: optional(quantity),
    beaconRoot: optional(hash32),
    withdrawals: optional(array(withdrawal)),
  },
  { time: 'timestamp', feeRecipient: 'coinbase', prevRandao: 'random', baseFeePerGas: 'baseFee' },
)

const tracerConfig = object({
  onlyTopCall: optional(boolean),
  withLog: optional(boolean),
  diffMode: optional(boolean),
  disableCode: optional(boolean),
  disableStorage: optional(boolean),
  includePrecompiles: optional(boolean),
  convertParityErrors: optional(boolean),
})

/** A count, as JSON number or hex quantity. */
const count = param<number, number | Hex>('a non-negative integer', readCount)

const traceFields = {
  tracer: optional(text),
  tracerConfig: optional(untouched<TracerConfigWire>('an object')),
  enableMemory: optional(boolean),
  disableStack: optional(boolean),
  disableStorage: optional(boolean),
  enableReturnData: optional(boolean),
  limit: optional(count),
  // Nothing here takes long enough to be given up, and every state there is lies at hand.
  timeout: optional(text),
  reexec: optional(count),
} as const

type TracerConfigWire = ParamWire<typeof tracerConfig> | { readonly [tracer: string]: object | null }

/** The configuration of muxTracer names tracers, that of any other is its own. */
function readTracerConfig<T extends { readonly tracer?: string; readonly tracerConfig?: { value: unknown } }>(
  { tracerConfig: config, ...rest }: T,
  position: string,
) {
  if (config === undefined) return rest
  const at = `${position}.tracerConfig`
  if (rest.tracer !== MUX) return { ...rest, tracerConfig: tracerConfig.parse(config.value, at) }
  const tracers = Object.entries(readObject(config.value, at)).map(
    ([name, one]) => [name, tracerConfig.parse(one ?? {}, `${at}.${name}`)] as const,
  )
  return { ...rest, tracers: new Map(tracers) }
}

/** How a transaction is traced, in go-ethereum's words. */
export const traceOptions = refine(object(traceFields), readTracerConfig)

/** How a call is traced, and what it changes beforehand. */
export const traceCallOptions = refine(
  object({
    ...traceFields,
    stateOverrides: optional(stateOverrides),
    blockOverrides: optional(blockOverrides),
    txIndex: optional(count),
  }),
  readTracerConfig,
)

/** Which traces to look for, in Parity's words. */
export const traceFilter = object({
  fromBlock: optional(blockPosition),
  toBlock: optional(blockPosition),
  fromAddress: optional(array(address)),
  toAddress: optional(array(address)),
  mode: optional(oneOf('union', 'intersection')),
  after: optional(count),
  count: optional(count),
})

/** A trace's address: which call of which call. */
export const traceAddress = array(count)

/** What eth_simulateV1 is asked for (spec.md §2.7); a block without calls is an empty one. */
export const simulationPayload = object({
  blockStateCalls: array(
    object({
      calls: optional(array(callObject)),
      stateOverrides: optional(stateOverrides),
      blockOverrides: optional(blockOverrides),
    }),
  ),
  traceTransfers: optional(boolean),
  validation: optional(boolean),
  returnFullTransactions: optional(boolean),
})
/** A parsed request for a simulation. */
export type SimulationPayload = ParamValue<typeof simulationPayload>

/** A parsed log filter: what to match, and in which blocks. */
export interface LogFilter extends LogQuery {
  readonly blocks:
    | { readonly kind: 'range'; readonly from?: BlockPosition; readonly to?: BlockPosition }
    /** `rangeGiven`: fromBlock or toBlock was there too; whatever they held is ignored (spec.md §4.2, rule 1). */
    | { readonly kind: 'hash'; readonly hash: Hash; readonly rangeGiven: boolean }
}

/** Kept as it is, to be read once it is known what it has to be. */
function untouched<Wire>(expected: string): Param<{ value: unknown }, Wire> {
  return param(expected, (value) => ({ value }))
}

/** Null, or a null among several, matches any topic. */
const topicPosition = refine(oneOrMany(optional(hash32)), (wanted): readonly Hash[] | null => {
  const hashes = wanted.filter((hash) => hash !== undefined)
  return hashes.length < wanted.length ? null : hashes
})

/** A log filter (spec.md §2.3) with any number of topic positions; absent ends of the range are left out. */
export const logFilter = refine(
  object({
    // Beside a blockHash they are never looked at.
    fromBlock: optional(untouched<BlockTag | Hex>('a block number or tag')),
    toBlock: optional(untouched<BlockTag | Hex>('a block number or tag')),
    blockHash: optional(hash32),
    address: optional(oneOrMany(address)),
    topics: optional(array(topicPosition)),
  }),
  ({ fromBlock, toBlock, blockHash, address: addresses, topics }, position): LogFilter => ({
    ...(addresses && { addresses }),
    ...(topics && { topics }),
    blocks: blockHash
      ? { kind: 'hash', hash: blockHash, rangeGiven: fromBlock !== undefined || toBlock !== undefined }
      : {
          kind: 'range',
          ...(fromBlock && { from: blockPosition.parse(fromBlock.value, `${position}.fromBlock`) }),
          ...(toBlock && { to: blockPosition.parse(toBlock.value, `${position}.toBlock`) }),
        },
  }),
)

/** A whole number as JSON has it. */
const natural = param<number, number>('a whole number', (value) =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined,
)

/** The permissions a wallet is asked for (EIP-2255): there is one, and nothing it could be restricted to. */
export const permissionRequest = parser<null, { readonly eth_accounts: Readonly<Record<string, never>> }>(
  'an object',
  (value, position) => {
    const { eth_accounts: accounts, ...others } = readObject(value, position)
    const other = Object.keys(others).find((name) => !isAbsent(others[name]))
    if (other !== undefined) {
      throw new InvalidParamsError(`${position}.${other}`, 'no permission but eth_accounts')
    }
    const [caveat] = Object.keys(readObject(accounts, `${position}.eth_accounts`))
    if (caveat !== undefined) throw new InvalidParamsError(`${position}.eth_accounts.${caveat}`, 'no caveat')
    return null
  },
)

/** A chain that a wallet is asked to add (EIP-3085). */
export const addedChain = object({
  chainId: quantity,
  chainName: optional(text),
  nativeCurrency: optional(object({ name: text, symbol: text, decimals: natural })),
  rpcUrls: optional(array(text)),
  blockExplorerUrls: optional(array(text)),
  iconUrls: optional(array(text)),
})

/** The names of the capabilities that cannot be done without (EIP-5792). */
const neededCapabilities = parser<
  readonly string[],
  { readonly [capability: string]: { readonly optional?: boolean; readonly [field: string]: unknown } }
>('an object', (value, position) =>
  Object.entries(readObject(value, position))
    .filter(([, one]) => !isAbsent(one) && !(isObject(one) && one['optional'] === true))
    .map(([name]) => name),
)

/** The id of a batch of calls: any text of up to 4096 bytes, which in hex are 8194 characters (EIP-5792). */
export const batchId = param<string, string>('an id of up to 4096 bytes', (value) =>
  typeof value === 'string' && value.length > 0 && value.length <= 8194 ? value : undefined,
)

const batchedCall = refine(
  object({
    to: optional(address),
    value: optional(quantity),
    data: optional(data),
    capabilities: optional(neededCapabilities),
  }),
  (call, position) => {
    if (call.to !== undefined || call.data?.length) return call
    throw new InvalidParamsError(`${position}.to`, address.expected)
  },
)

/** A batch of calls to be sent (EIP-5792). */
export const callsRequest = refine(
  object({
    version: oneOf('2.0.0'),
    id: optional(batchId),
    from: optional(address),
    chainId: word,
    atomicRequired: boolean,
    calls: array(batchedCall),
    capabilities: optional(neededCapabilities),
  }),
  (request, position) => {
    if (request.calls.length === 0) throw new InvalidParamsError(`${position}.calls`, 'at least one call')
    return request
  },
)

/** A parsed batch of calls. */
export type CallsRequest = ParamValue<typeof callsRequest>

/** The ids of chains. */
export const chainIds = array(word)

/** A token that a wallet is asked to show (EIP-747). */
export const watchedAsset = object({
  type: oneOf('ERC20', 'ERC721', 'ERC1155'),
  options: object({
    address,
    symbol: optional(text),
    decimals: optional(natural),
    image: optional(text),
    tokenId: optional(text),
    chainId: optional(natural),
  }),
})

/** Any object, as it is. */
const anyObject = parser<Readonly<Record<string, unknown>>, object>('an object', readObject)

/** Structs by name; a name is any that an object may have. */
const structTypes = parser<
  Readonly<Record<string, readonly { readonly name: string; readonly type: string }[]>>,
  { readonly [name: string]: readonly { readonly name: string; readonly type: string }[] }
>('an object', (value, position) => {
  const fields = array(object({ name: text, type: text }))
  const entries = Object.entries(readObject(value, position))
  return Object.fromEntries(entries.map(([name, one]) => [name, fields.parse(one, `${position}.${name}`)]))
})

const typedDataObject = object({
  types: structTypes,
  primaryType: text,
  domain: anyObject,
  message: optional(anyObject),
})

/** Typed data (EIP-712), as an object or as its JSON. */
export const typedData = ofLimitedLength(
  parser<ParamValue<typeof typedDataObject>, ParamWire<typeof typedDataObject> | string>(
    'typed data',
    (value, position) =>
      typedDataObject.parse(typeof value === 'string' ? readJson(value, position) : value, position),
  ),
)

/** Slots by the account whose they are. */
export const storageRequests = map(address, array(storageKey))

/** The id of a filter or a subscription. */
export const filterId = param<Hex, Hex>('the id of a filter or a subscription', (value) =>
  typeof value === 'string' && /^0x[0-9a-f]{1,64}$/i.test(value) ? (value.toLowerCase() as Hex) : undefined,
)

/** The name of a kind of subscription. */
export const subscriptionKind = param<string, string>('the name of a subscription', readText)

/** What a subscription takes beside its name; its form depends on the kind. */
export const subscriptionOption = param<unknown, unknown>('an option of the subscription', (value) => value)

/** How many blocks eth_feeHistory is asked for; a hex quantity, or as some clients send it a number. */
export const feeHistoryCount = param<number, Hex | number>('a number of blocks from 1 to 1024', (value) => {
  const count = typeof value === 'number' ? value : readIndex(value)
  return Number.isSafeInteger(count) && count! >= 1 && count! <= 1024 ? count : undefined
})

const percentile = param<number, number>('a percentile from 0 to 100', (value) =>
  typeof value === 'number' && value >= 0 && value <= 100 ? value : undefined,
)

/** The percentiles of eth_feeHistory's rewards, which must not fall. */
export const percentiles = refine(array(percentile, { max: 100 }), (values, position) => {
  const falling = values.findIndex((value, i) => i > 0 && value < values[i - 1]!)
  if (falling < 0) return values
  throw new InvalidParamsError(`${position}[${falling}]`, `a percentile from ${values[falling - 1]} on`)
})
