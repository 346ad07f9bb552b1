/** What a block fixes beyond its parent and its transactions, and the environment that follows from it. */
import type { BlockHeader } from '@ethereumjs/block'
import { bigintToBytes32, bytesToHex, concatBytes, hexToBytes, ZERO_HASH } from '../bytes.ts'
import type { Crypto } from '../crypto.ts'
import type { Block } from '../ledger/block.ts'
import type { ChainRules } from '../rules.ts'
import type { Address, Hash, Hex } from '../types.ts'
import type { BlockEnv } from './executor.ts'

/** What a block fixes beyond its parent and its transactions. */
export interface PayloadAttributes {
  /** Unix time in seconds. */
  readonly timestamp: bigint
  readonly coinbase: Address
  readonly gasLimit: bigint
  /** Wei per unit of gas. */
  readonly baseFee: bigint
  readonly prevRandao: Hash
  readonly beaconRoot: Hash
  readonly extraData: Hex
}

/** Where a chain's attributes come from. */
export interface AttributeOptions {
  readonly coinbase: Address
  readonly extraData: Hex
  /** The gas limit blocks aim at; a header may move towards it by less than a 1024th. */
  readonly gasLimit: bigint
  readonly fixedBaseFee: bigint | undefined
  /** Whether a block may carry its parent's timestamp. */
  readonly sameSecondBlocks: boolean
}

/** Timestamp, in seconds, of a block after `parent` whose context is fixed at `ms` (milliseconds). */
export function timestampAt(
  { sameSecondBlocks }: Pick<AttributeOptions, 'sameSecondBlocks'>,
  parent: Pick<Block, 'timestamp'>,
  ms: number,
): bigint {
  const least = parent.timestamp + (sameSecondBlocks ? 0n : 1n)
  const at = BigInt(Math.floor(ms / 1000))
  return at > least ? at : least
}

/** The attributes of the block after `parent` whose context is fixed at `ms` (milliseconds). */
export function nextAttributes(
  options: AttributeOptions,
  parent: Block,
  ms: number,
  crypto: Crypto,
): PayloadAttributes {
  return {
    timestamp: timestampAt(options, parent, ms),
    coinbase: options.coinbase,
    extraData: options.extraData,
    gasLimit: nextGasLimit(parent.header.gasLimit, options.gasLimit),
    baseFee: nextBaseFee(options, parent),
    prevRandao: crypto.keccak256Hex(
      concatBytes(hexToBytes(parent.hash), bigintToBytes32(parent.number + 1n)),
    ),
    beaconRoot: ZERO_HASH,
  }
}

/** Wei per gas of the block after `parent`. */
export function nextBaseFee(
  { fixedBaseFee }: Pick<AttributeOptions, 'fixedBaseFee'>,
  parent: Pick<Block, 'header'>,
): bigint {
  if (fixedBaseFee !== undefined) return fixedBaseFee
  // Before London there was none; the first block that has one starts from this.
  return parent.header.baseFeePerGas === undefined ? INITIAL_BASE_FEE : parent.header.calcNextBaseFee()
}

/** The attributes a header was built with. */
export function attributesOf(header: BlockHeader): PayloadAttributes {
  return {
    timestamp: header.timestamp,
    coinbase: bytesToHex(header.coinbase.bytes),
    extraData: bytesToHex(header.extraData),
    gasLimit: header.gasLimit,
    baseFee: header.baseFeePerGas ?? 0n,
    prevRandao: bytesToHex(header.mixHash),
    beaconRoot:
      header.parentBeaconBlockRoot === undefined ? ZERO_HASH : bytesToHex(header.parentBeaconBlockRoot),
  }
}

/** What the block after `parent` with these attributes executes in. */
export function toBlockEnv(
  chainRules: ChainRules,
  parent: { readonly block: Block; hashAt(number: bigint): Hash | undefined },
  attributes: PayloadAttributes,
): BlockEnv {
  const { number, hash, header } = parent.block
  const rules = chainRules.at(number + 1n, attributes.timestamp)
  return {
    rules,
    number: number + 1n,
    timestamp: attributes.timestamp,
    coinbase: attributes.coinbase,
    gasLimit: attributes.gasLimit,
    baseFee: attributes.baseFee,
    blobBaseFee: rules.fork.cancun ? header.calcNextBlobGasPrice(rules.common) : 0n,
    prevRandao: attributes.prevRandao,
    difficulty: 0n,
    blockHash: (at) => (at === number ? hash : parent.hashAt(at)),
  }
}

/** Wei per gas (EIP-1559). */
const INITIAL_BASE_FEE = 1_000_000_000n

/** A header's gas limit may differ from its parent's by less than a 1024th. */
function nextGasLimit(parent: bigint, target: bigint): bigint {
  const step = parent / 1024n - 1n
  if (target > parent + step) return parent + step
  return target < parent - step ? parent - step : target
}
