/** Block headers as data: fields, encoding and hash (Yellow Paper, section 4.3), and the fees of the next block. */

import {
  bigintToBytes,
  bytesToHex,
  hexToBytes,
  knownHexToBytes,
  ZERO_ADDRESS,
  ZERO_HASH,
} from '../base/bytes.ts'
import { keccak256 } from '../base/crypto/crypto.ts'
import { copyRlp, putHex, putInteger, putList, putString, startRlp, writtenRlp } from '../base/rlp.ts'
import type { Address, Hash, Hex } from '../base/types.ts'
import { EMPTY_ROOT, FORKS, type ForkName, type ForkRules, HASH, type HeaderField, UINT64 } from './forks.ts'
import type { Rules } from './rules.ts'
import { GAS_PER_BLOB } from './transaction.ts'

/** A block's header, with the field names of JSON-RPC; fields of later forks are undefined. */
export interface Header {
  readonly parentHash: Hash
  readonly sha3Uncles: Hash
  readonly miner: Address
  readonly stateRoot: Hash
  readonly transactionsRoot: Hash
  readonly receiptsRoot: Hash
  readonly logsBloom: Hex
  readonly difficulty: bigint
  readonly number: bigint
  readonly gasLimit: bigint
  readonly gasUsed: bigint
  /** Unix time in seconds. */
  readonly timestamp: bigint
  readonly extraData: Hex
  readonly mixHash: Hash
  readonly nonce: Hex
  /** Wei per gas; since London. */
  readonly baseFeePerGas: bigint | undefined
  /** Since Shanghai. */
  readonly withdrawalsRoot: Hash | undefined
  /** Since Cancun, like the next two. */
  readonly blobGasUsed: bigint | undefined
  readonly excessBlobGas: bigint | undefined
  readonly parentBeaconBlockRoot: Hash | undefined
  /** Since Prague. */
  readonly requestsHash: Hash | undefined
}

/** The bloom filter of no logs. */
export const EMPTY_BLOOM: Hex = `0x${'00'.repeat(256)}`

/** The fields of the first headers. */
const FRONTIER = {
  parentHash: { format: HASH, empty: ZERO_HASH },
  // keccak256 of the RLP of an empty list.
  sha3Uncles: {
    format: HASH,
    empty: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
  },
  miner: { format: { bytes: 20 }, empty: ZERO_ADDRESS },
  stateRoot: { format: HASH, empty: EMPTY_ROOT },
  transactionsRoot: { format: HASH, empty: EMPTY_ROOT },
  receiptsRoot: { format: HASH, empty: EMPTY_ROOT },
  logsBloom: { format: { bytes: 256 }, empty: EMPTY_BLOOM },
  difficulty: { format: { bits: 256 }, empty: 0n },
  number: { format: UINT64, empty: 0n },
  gasLimit: { format: UINT64, empty: 0n },
  gasUsed: { format: UINT64, empty: 0n },
  timestamp: { format: UINT64, empty: 0n },
  extraData: { format: 'bytes', empty: '0x' },
  mixHash: { format: HASH, empty: ZERO_HASH },
  nonce: { format: { bytes: 8 }, empty: '0x0000000000000000' },
} as const satisfies Partial<Record<keyof Header, HeaderField>>

/** A field of headers, with the fork that introduced it. */
export interface NamedHeaderField extends HeaderField {
  readonly name: keyof Header
  readonly since?: ForkName
}

/** A field that a fork has added. */
type LaterField = NamedHeaderField & { readonly since: ForkName }

/** The fields of a header in the order of its encoding. */
export const HEADER_FIELDS: readonly NamedHeaderField[] = [
  ...Object.entries(FRONTIER).map(([name, field]) => ({ name, ...field })),
  ...FORKS.flatMap(({ name: since, header = {} }) =>
    Object.entries(header).map(([name, field]) => ({ name, ...field, since })),
  ),
] as NamedHeaderField[]

/** The fields of headers that forks have. */
export function fieldsOf(fork: ForkRules): readonly NamedHeaderField[] {
  return HEADER_FIELDS.filter(({ since }) => since === undefined || fork[since])
}

/** The fields that forks have added. */
export const LATER_FIELDS: readonly LaterField[] = HEADER_FIELDS.slice(
  Object.keys(FRONTIER).length,
) as LaterField[]

/** A header with these fields; others are as in an empty block, or undefined if their fork is later. */
export function createHeader(fields: Partial<Header>, { fork }: Pick<Rules, 'fork'>): Header {
  // Listed field by field: a spread takes several times as long.
  const header: Record<string, unknown> = {
    parentHash: fields.parentHash ?? FRONTIER.parentHash.empty,
    sha3Uncles: fields.sha3Uncles ?? FRONTIER.sha3Uncles.empty,
    miner: fields.miner ?? FRONTIER.miner.empty,
    stateRoot: fields.stateRoot ?? FRONTIER.stateRoot.empty,
    transactionsRoot: fields.transactionsRoot ?? FRONTIER.transactionsRoot.empty,
    receiptsRoot: fields.receiptsRoot ?? FRONTIER.receiptsRoot.empty,
    logsBloom: fields.logsBloom ?? FRONTIER.logsBloom.empty,
    difficulty: fields.difficulty ?? 0n,
    number: fields.number ?? 0n,
    gasLimit: fields.gasLimit ?? 0n,
    gasUsed: fields.gasUsed ?? 0n,
    timestamp: fields.timestamp ?? 0n,
    extraData: fields.extraData ?? '0x',
    mixHash: fields.mixHash ?? FRONTIER.mixHash.empty,
    nonce: fields.nonce ?? FRONTIER.nonce.empty,
  }
  for (const { name, since, empty } of LATER_FIELDS) {
    header[name] = fork[since] ? (fields[name] ?? empty) : undefined
  }
  return header as unknown as Header
}

/** The fields of a header in the order of its encoding. */
export function headerItems(header: Header): Uint8Array[] {
  const items: Uint8Array[] = []
  for (const { name } of HEADER_FIELDS) {
    const value = header[name]
    if (value !== undefined) items.push(typeof value === 'string' ? hexToBytes(value) : bigintToBytes(value))
  }
  return items
}

/** By field: what is often in it, and its bytes, since to compare a text takes less time than to convert it. */
const USUAL = HEADER_FIELDS.map(({ empty }) =>
  typeof empty === 'string' ? { text: empty, bytes: knownHexToBytes(empty) } : undefined,
)

/** The RLP of a header. */
export function encodeHeader(header: Header): Uint8Array {
  putHeader(header)
  return copyRlp()
}

/** The hash of a header, which is its block's. */
export function hashHeader(header: Header): Hash {
  return measureHeader(header).hash
}

/** The hash of a header, and the size of its RLP in bytes. */
export function measureHeader(header: Header): { readonly hash: Hash; readonly size: number } {
  putHeader(header)
  const encoded = writtenRlp()
  return { hash: bytesToHex(keccak256(encoded)), size: encoded.length }
}

function putHeader(header: Header): void {
  startRlp()
  for (let i = HEADER_FIELDS.length - 1; i >= 0; i--) {
    const value = header[HEADER_FIELDS[i]!.name]
    if (value === undefined) continue
    const usual = USUAL[i]
    if (typeof value !== 'string') putInteger(value)
    else if (value === usual?.text) putString(usual.bytes)
    else putHex(value)
  }
  putList(0)
}

/** Wei per gas of the first block with a base fee (EIP-1559). */
const INITIAL_BASE_FEE = 1_000_000_000n

/** The gas target is half of the gas limit, and the base fee changes by at most an eighth per block (EIP-1559). */
const ELASTICITY = 2n
const BASE_FEE_CHANGE_DENOMINATOR = 8n

/** How base fees follow from the parent's (EIP-1559); chains of the OP stack have their own. */
export interface FeeParameters {
  /** The gas limit over the gas target. */
  readonly elasticity: bigint
  /** The base fee changes by at most this fraction per block. */
  readonly changeDenominator: bigint
  /** Wei per gas. */
  readonly least: bigint
}

const ETHEREUM_FEES: FeeParameters = {
  elasticity: ELASTICITY,
  changeDenominator: BASE_FEE_CHANGE_DENOMINATOR,
  least: 0n,
}

/** Wei per gas of the block after this one (EIP-1559). */
export function nextBaseFee(
  { gasLimit, gasUsed, baseFeePerGas }: Header,
  { elasticity, changeDenominator, least }: FeeParameters = ETHEREUM_FEES,
): bigint {
  if (baseFeePerGas === undefined) return INITIAL_BASE_FEE
  // A state file can have any gas limit.
  const target = gasLimit < elasticity ? 1n : gasLimit / elasticity
  if (gasUsed === target) return baseFeePerGas
  if (gasUsed > target) {
    const delta = (baseFeePerGas * (gasUsed - target)) / target / changeDenominator
    return baseFeePerGas + (delta > 1n ? delta : 1n)
  }
  const lower = baseFeePerGas - (baseFeePerGas * (target - gasUsed)) / target / changeDenominator
  return lower < least ? least : lower
}

/** The gas per blob in the reserve price of blobs (EIP-7918). */
const BLOB_BASE_COST = 8_192n

/**
 * The excess blob gas of the block after this one (EIP-4844, EIP-7918).
 *
 * @param rules - the next block's.
 */
export function nextExcessBlobGas(parent: Header, rules: Rules): bigint {
  const { excessBlobGas = 0n, blobGasUsed = 0n, baseFeePerGas = 0n } = parent
  const { targetGas, maxGas } = rules.blobs
  if (excessBlobGas + blobGasUsed < targetGas) return 0n
  if (rules.fork.osaka) {
    const blobFee = blobBaseFeeOf(excessBlobGas, rules)
    if (BLOB_BASE_COST * baseFeePerGas > GAS_PER_BLOB * blobFee) {
      return excessBlobGas + (blobGasUsed * (maxGas - targetGas)) / maxGas
    }
  }
  return excessBlobGas + blobGasUsed - targetGas
}

/** Wei per blob gas of the block after this one; zero before Cancun. @param rules - the next block's. */
export function nextBlobBaseFee(parent: Header, rules: Rules): bigint {
  return rules.fork.cancun ? blobBaseFeeOf(nextExcessBlobGas(parent, rules), rules) : 0n
}

/** Wei per blob gas of a block; zero before Cancun. @param rules - the block's. */
export function blobBaseFee({ excessBlobGas }: Header, rules: Rules): bigint {
  return excessBlobGas === undefined ? 0n : blobBaseFeeOf(excessBlobGas, rules)
}

/** The price rises by e for each update fraction of excess gas, so that with this many of them it is 254 bits long. */
const MOST_FRACTIONS = 176n

/**
 * `fake_exponential` of EIP-4844, with a minimum price of 1 wei. It stops to rise at a price that nobody can pay: the series is
 * as long as the excess that it is taken of, and an EVM word has 256 bits.
 */
function blobBaseFeeOf(excessGas: bigint, { blobs: { updateFraction } }: Rules): bigint {
  const most = MOST_FRACTIONS * updateFraction
  const excess = excessGas < most ? excessGas : most
  let sum = 0n
  for (let i = 1n, term = updateFraction; term > 0n; i++) {
    sum += term
    term = (term * excess) / (updateFraction * i)
  }
  return sum / updateFraction
}
