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
import {
  type AddedFields,
  EMPTY_ROOT,
  FORKS,
  type ForkName,
  type ForkRules,
  HASH,
  type HeaderField,
  UINT64,
} from './forks.ts'
import type { Rules } from './rules.ts'
import { GAS_PER_BLOB } from './transaction.ts'

/** A block's header, with the field names of JSON-RPC; fields of later forks are undefined. */
export interface Header extends AddedFields {
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
}

/** The bloom filter of a block without logs: 256 zero bytes. */
export const EMPTY_BLOOM: Hex = `0x${'00'.repeat(256)}`

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
interface NamedHeaderField extends HeaderField {
  readonly name: keyof Header
  readonly since?: ForkName
}

type LaterField = NamedHeaderField & { readonly since: ForkName }

/** All fields that headers can have, in the order of their encoding. */
export const HEADER_FIELDS: readonly NamedHeaderField[] = [
  ...Object.entries(FRONTIER).map(([name, field]) => ({ name, ...field })),
  ...FORKS.flatMap(({ name: since, header = {} }) =>
    Object.entries(header).map(([name, field]) => ({ name, ...field, since })),
  ),
] as NamedHeaderField[]

/** Returns the fields that headers have in a hardfork, in the order of their encoding. */
export function fieldsOf(fork: ForkRules): readonly NamedHeaderField[] {
  return HEADER_FIELDS.filter(({ since }) => since === undefined || fork[since])
}

/** The fields added by forks. */
export const LATER_FIELDS = HEADER_FIELDS.slice(Object.keys(FRONTIER).length) as readonly LaterField[]

/** Creates a header. A field that is not given has its value in an empty block. Fields of later forks are undefined. */
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

/** Converts a header to the items of its RLP, without the fields of later forks. */
export function headerItems(header: Header): Uint8Array[] {
  const items: Uint8Array[] = []
  for (const { name } of HEADER_FIELDS) {
    const value = header[name]
    if (value !== undefined) items.push(typeof value === 'string' ? hexToBytes(value) : bigintToBytes(value))
  }
  return items
}

/** For each text field its value in an empty block, with its bytes: comparing text is faster than converting it. */
const USUAL = HEADER_FIELDS.map(({ empty }) =>
  typeof empty === 'string' ? { text: empty, bytes: knownHexToBytes(empty) } : undefined,
)

/** Encodes a header as RLP, in a new array. */
export function encodeHeader(header: Header): Uint8Array {
  putHeader(header)
  return copyRlp()
}

/** Computes the hash of a header, which is its block's hash. */
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

/** The base fee, in wei per gas, of the first block with one (EIP-1559). */
const INITIAL_BASE_FEE = 1_000_000_000n

/** How a base fee follows from the parent's (EIP-1559). Chains of the OP stack set these parameters. */
export interface FeeParameters {
  /** The gas limit divided by the gas target. */
  readonly elasticity: bigint
  /** An empty block lowers the base fee by one part in this many: by an eighth if this is 8. */
  readonly changeDenominator: bigint
  /** The minimum base fee, in wei per gas. */
  readonly least: bigint
}

const ETHEREUM_FEES: FeeParameters = { elasticity: 2n, changeDenominator: 8n, least: 0n }

/** The base fee of the block after this one (EIP-1559), in wei per gas. */
export function nextBaseFee(
  { gasLimit, gasUsed, baseFeePerGas }: Header,
  { elasticity, changeDenominator, least }: FeeParameters = ETHEREUM_FEES,
): bigint {
  if (baseFeePerGas === undefined) return INITIAL_BASE_FEE
  // A state file can have any gas limit, even 0.
  const target = gasLimit < elasticity ? 1n : gasLimit / elasticity
  if (gasUsed === target) return baseFeePerGas
  if (gasUsed > target) {
    const delta = (baseFeePerGas * (gasUsed - target)) / target / changeDenominator
    return baseFeePerGas + (delta > 1n ? delta : 1n)
  }
  const lower = baseFeePerGas - (baseFeePerGas * (target - gasUsed)) / target / changeDenominator
  return lower < least ? least : lower
}

/** A blob should cost at least as much as this amount of gas at the base fee (EIP-7918). */
const BLOB_BASE_COST = 8_192n

/** The excess blob gas of the block after `parent` (EIP-4844, EIP-7918). @param rules - the next block's. */
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

/** The blob base fee of the block after `parent`, in wei; zero before Cancun. @param rules - the next block's. */
export function nextBlobBaseFee(parent: Header, rules: Rules): bigint {
  return rules.fork.cancun ? blobBaseFeeOf(nextExcessBlobGas(parent, rules), rules) : 0n
}

/** The blob base fee of a block, in wei; zero before Cancun. @param rules - the block's. */
export function blobBaseFee({ excessBlobGas }: Header, rules: Rules): bigint {
  return excessBlobGas === undefined ? 0n : blobBaseFeeOf(excessBlobGas, rules)
}

/** The maximum excess blob gas, in update fractions. Each multiplies the price by e, so it has at most 254 bits. */
const MAX_FRACTIONS = 176n

/**
 * `fake_exponential` of EIP-4844, at least 1 wei. Caps the excess, since a larger one takes longer to
 * compute, and the price must fit into an EVM word. No sender could pay the price at the cap.
 */
function blobBaseFeeOf(excessGas: bigint, { blobs: { updateFraction } }: Rules): bigint {
  const most = MAX_FRACTIONS * updateFraction
  const excess = excessGas < most ? excessGas : most
  let sum = 0n
  for (let i = 1n, term = updateFraction; term > 0n; i++) {
    sum += term
    term = (term * excess) / (updateFraction * i)
  }
  return sum / updateFraction
}
