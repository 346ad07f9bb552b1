/** Blocks as RLP (Yellow Paper, section 4.3; EIP-4895). */
import { bigintToBytes, bytesToBigint, bytesToHex, hexToBytes } from '../base/bytes.ts'
import { decodeRlp, encodeRlp, isRlpWithin, type RlpItem } from '../base/rlp.ts'
import type { Hex } from '../base/types.ts'
import type { Block, StoredBlock, Withdrawal } from './block.ts'
import { InvalidBlockError } from './errors.ts'
import { type HeaderField, UINT64 } from './forks.ts'
import { createHeader, HEADER_FIELDS, type Header, headerItems } from './header.ts'
import type { ChainRules } from './rules.ts'
import type { Transaction } from './transaction.ts'

/** The items of a block's RLP after its header: legacy transactions as lists of fields, typed ones as bytes. */
export type BlockBody = readonly [
  transactions: readonly (Uint8Array | Uint8Array[])[],
  uncles: readonly Uint8Array[][],
  withdrawals?: readonly WithdrawalBytes[],
]

type WithdrawalBytes = readonly [Uint8Array, Uint8Array, Uint8Array, Uint8Array]

type EncodableBlock = Pick<Block, 'header' | 'uncles' | 'withdrawals'> & {
  readonly transactions: readonly Pick<Transaction, 'raw'>[]
}

/** Converts a body to the items of its RLP, which the database stores without the header. */
export function encodeBody({ transactions, uncles, withdrawals }: Omit<EncodableBlock, 'header'>): BlockBody {
  // Not `map`: once the host has compiled it, it returns a different kind of array, for which the host would compile
  // the encoder again.
  const encoded: (Uint8Array | Uint8Array[])[] = []
  for (const { raw } of transactions) encoded.push(raw[0]! < 0x80 ? raw : (decodeRlp(raw) as Uint8Array[]))
  const headers: Uint8Array[][] = []
  for (const uncle of uncles) headers.push(headerItems(uncle))
  if (withdrawals === undefined) return [encoded, headers]
  const paid: WithdrawalBytes[] = []
  for (const withdrawal of withdrawals) paid.push(encodeWithdrawal(withdrawal))
  return [encoded, headers, paid]
}

/** Encodes a block as the protocol exchanges it (Yellow Paper, section 4.3.3). */
export function encodeBlock(block: EncodableBlock): Uint8Array {
  return encodeRlp([headerItems(block.header), ...encodeBody(block)] as readonly RlpItem[])
}

/** Converts a withdrawal to the items of its RLP (EIP-4895). `amount` is in gwei. */
export function encodeWithdrawal({ index, validatorIndex, address, amount }: Withdrawal): WithdrawalBytes {
  return [bigintToBytes(index), bigintToBytes(validatorIndex), hexToBytes(address), bigintToBytes(amount)]
}

const [DIFFICULTY, NUMBER, TIMESTAMP] = ['difficulty', 'number', 'timestamp'].map((name) =>
  HEADER_FIELDS.findIndex((field) => field.name === name),
) as [number, number, number]

/** Copies the blocks of a file, RLP lists in a row. @throws InvalidBlockError if the file contains anything else. */
export function* splitBlocks(bytes: Uint8Array): Generator<Uint8Array, undefined> {
  for (let at = 0; at < bytes.length; ) {
    const end = at + listSize(bytes.subarray(at, at + 9))
    if (end > bytes.length) throw new InvalidBlockError('its RLP is truncated')
    // Not `slice`: for a Buffer it returns a view, so a write by the caller would change decoded blocks.
    yield Uint8Array.from(bytes.subarray(at, end))
    at = end
  }
}

function listSize(prefix: Uint8Array): number {
  const [first = 0] = prefix
  if (first < 0xc0) throw new InvalidBlockError('its RLP is not a list')
  if (first < 0xf8) return 1 + first - 0xc0
  const digits = first - 0xf7
  if (prefix.length < 1 + digits) throw new InvalidBlockError('its RLP is truncated')
  return 1 + digits + Number(bytesToBigint(prefix.subarray(1, 1 + digits)))
}

/** Decodes a block's RLP. @throws InvalidBlockError if it is not a block, or not in the format of its hardfork. */
export function decodeBlock(bytes: Uint8Array, rules: ChainRules): StoredBlock {
  const [header, transactions, uncles, withdrawals, ...rest] = toList(decodeBounded(bytes), 'RLP')
  const decoded = decodeHeader(header, rules)
  const { fork } = rules.at(decoded.number, decoded.timestamp, decoded.difficulty)
  if (rest.length > 0 || (withdrawals !== undefined && !fork.shanghai)) {
    throw new InvalidBlockError('its RLP has more items than a block of its hardfork')
  }
  return {
    header: decoded,
    transactions: toList(transactions, 'list of transactions').map((item, i) => toTransaction(item, i)),
    uncles: toList(uncles, 'list of uncles').map((uncle, i) => decodeUncle(uncle, i, rules)),
    withdrawals: fork.shanghai
      ? toList(withdrawals, 'list of withdrawals').map((item, i) => decodeWithdrawal(item, i))
      : undefined,
    size: bytes.length,
  }
}

/** Decodes a header in the format of its hardfork. @throws InvalidBlockError, also if gasUsed is above gasLimit. */
export function decodeHeader(item: RlpItem | undefined, rules: ChainRules): Header {
  const fields = toList(item, 'header')
  if (fields.length > HEADER_FIELDS.length)
    throw new InvalidBlockError(`its header has more than ${HEADER_FIELDS.length} fields`)
  const [number, timestamp, difficulty] = [NUMBER, TIMESTAMP, DIFFICULTY].map((at) =>
    readValue(HEADER_FIELDS[at]!, fields[at]),
  ) as [bigint, bigint, bigint]
  const at = rules.at(number, timestamp, difficulty)
  const header: Record<string, unknown> = {}
  for (const [i, field] of HEADER_FIELDS.entries()) {
    const known = field.since === undefined || at.fork[field.since]
    if (known) header[field.name] = readValue(field, fields[i])
    else if (fields[i] !== undefined) throw new InvalidBlockError(`its hardfork has no ${field.name}`)
  }
  const decoded = createHeader(header as Partial<Header>, at)
  if (decoded.gasUsed > decoded.gasLimit) throw new InvalidBlockError('its gasUsed is above its gasLimit')
  return decoded
}

/** Decodes a withdrawal. @throws InvalidBlockError unless it is a list of the four fields, all well-formed. */
export function decodeWithdrawal(item: RlpItem, position: number): Withdrawal {
  const items = toList(item, `withdrawal ${position}`)
  if (items.length > 4) throw new InvalidBlockError(`its withdrawal ${position} has more than four fields`)
  const formats = { index: UINT64, validatorIndex: UINT64, address: { bytes: 20 }, amount: UINT64 } as const
  const fields = Object.entries(formats).map(([name, format], i) => [
    name,
    readValue({ name: `${name} of withdrawal ${position}`, format }, items[i]),
  ])
  return Object.fromEntries(fields)
}

function decodeUncle(item: RlpItem, position: number, rules: ChainRules): Header {
  try {
    return decodeHeader(item, rules)
  } catch (error) {
    if (error instanceof InvalidBlockError) throw new InvalidBlockError(`uncle ${position}: ${error.message}`)
    throw error
  }
}

/** Returns a transaction's bytes. In a block, a legacy transaction is a list, a typed one a string (EIP-2718). */
function toTransaction(item: RlpItem, position: number): Uint8Array {
  if (!(item instanceof Uint8Array)) return encodeRlp(item)
  if (item.length > 0 && item[0]! < 0x80) return item
  throw new InvalidBlockError(`transaction ${position}: its envelope has no type`)
}

type FieldFormat = Pick<HeaderField, 'format'> & { readonly name: string }

function readValue({ name, format }: FieldFormat, item: RlpItem | undefined): bigint | Hex {
  if (item === undefined) throw new InvalidBlockError(`its ${name} is missing`)
  if (!(item instanceof Uint8Array)) throw new InvalidBlockError(`its ${name} is a list`)
  if (format === 'bytes') return bytesToHex(item)
  if ('bytes' in format) {
    if (item.length === format.bytes) return bytesToHex(item)
    throw new InvalidBlockError(`its ${name} has ${item.length} bytes, expected ${format.bytes}`)
  }
  if (item[0] !== 0 && item.length * 8 <= format.bits) return bytesToBigint(item)
  throw new InvalidBlockError(`its ${name} is not an integer of up to ${format.bits} bits`)
}

/** Valid blocks nest less deep: typed transactions are strings. */
const MAX_DEPTH = 16

function decodeBounded(bytes: Uint8Array): RlpItem {
  if (!isRlpWithin(bytes, Number.POSITIVE_INFINITY, MAX_DEPTH)) {
    throw new InvalidBlockError(`its RLP has lists nested deeper than ${MAX_DEPTH}`)
  }
  try {
    return decodeRlp(bytes)
  } catch (error) {
    throw new InvalidBlockError(`its RLP is malformed (${(error as Error).message})`)
  }
}

function toList(item: RlpItem | undefined, name: string): readonly RlpItem[] {
  if (item === undefined) throw new InvalidBlockError(`its ${name} is missing`)
  if (item instanceof Uint8Array) throw new InvalidBlockError(`its ${name} is not a list`)
  return item
}
