/** A block's attributes beyond its parent and transactions, and the environment it executes in. */

import { bigintToBytes32, concatBytes, hexToBytes, ZERO_HASH } from '../../base/bytes.ts'
import type { Crypto } from '../../base/crypto/crypto.ts'
import { rlpSize, rlpSizeOf } from '../../base/rlp.ts'
import type { Address, Hash, Hex } from '../../base/types.ts'
import type { Block, Withdrawal } from '../../ethereum/block.ts'
import { encodeWithdrawal } from '../../ethereum/blockEncoding.ts'
import type { BlockEnv } from '../../ethereum/evm/executor.ts'
import {
  blobBaseFee,
  createHeader,
  type FeeParameters,
  type Header,
  nextBaseFee as nextBaseFeeOf,
  nextBlobBaseFee,
  nextExcessBlobGas,
} from '../../ethereum/header.ts'
import type { ChainRules, Rules } from '../../ethereum/rules.ts'
import type { Transaction } from '../../ethereum/transaction.ts'
import type { ResolvedOptions } from '../options.ts'
import { NO_SETTINGS, type Settings } from './settings.ts'

/** The attributes of a block beyond its parent and its transactions. */
export interface PayloadAttributes {
  /** The value of CHAINID, and the chain id of the block's transactions (EIP-155). */
  readonly chainId: bigint
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

/** The options of a chain that attributes depend on. */
export interface AttributeOptions {
  readonly chainId: number
  readonly coinbase: Address
  readonly extraData: Hex
  /** The target gas limit of blocks; each header may move towards it by less than a 1024th. */
  readonly gasLimit: bigint
  readonly fixedBaseFee: bigint | undefined
  /** How base fees follow from the parent's; by default as on Ethereum. */
  readonly feeParameters?: FeeParameters | undefined
  /** Whether a block may have its parent's timestamp. */
  readonly allowBlocksWithSameTimestamp: boolean
}

/** The options of a chain, and the fee parameters that only a fork has. */
export type CoreOptions = ResolvedOptions & Pick<AttributeOptions, 'feeParameters'>

/** The place of the block to come. */
export interface NextBlock {
  readonly parent: Pick<Block, 'timestamp'>
  /** The clock's time, in milliseconds, at which its attributes are fixed. */
  readonly ms: number
}

/** The lowest timestamp, in seconds, that a block after `parent` may have. */
export function leastTimestamp(
  { allowBlocksWithSameTimestamp }: Pick<AttributeOptions, 'allowBlocksWithSameTimestamp'>,
  parent: Pick<Block, 'timestamp'>,
): bigint {
  return parent.timestamp + (allowBlocksWithSameTimestamp ? 0n : 1n)
}

/** The timestamp, in seconds, of a block. */
function timestampOf(
  options: AttributeOptions,
  { timeOffset, timestampInterval, nextTimestamp, nextByTime }: Settings,
  { parent, ms }: NextBlock,
): bigint {
  const isFree = nextTimestamp === undefined && nextByTime === undefined
  if (isFree && timestampInterval !== undefined) return parent.timestamp + timestampInterval
  const least = leastTimestamp(options, parent)
  const at = nextTimestamp ?? BigInt(Math.floor((ms + timeOffset) / 1000))
  return at > least ? at : least
}

/** The attributes of the block after `parent`, fixed at `ms` (milliseconds of the clock). @param base - of the chain's tip. */
export function nextAttributes(
  base: { readonly options: AttributeOptions; readonly config: { readonly crypto: Crypto } },
  parent: Block,
  ms: number,
  settings: Settings = NO_SETTINGS,
): PayloadAttributes {
  const { options, config } = base
  return {
    chainId: settings.chainId ?? BigInt(options.chainId),
    timestamp: timestampOf(options, settings, { parent, ms }),
    coinbase: settings.coinbase ?? options.coinbase,
    extraData: options.extraData,
    gasLimit: settings.gasLimit ?? nextGasLimit(parent.header.gasLimit, options.gasLimit),
    baseFee: settings.nextBaseFee ?? nextBaseFee(options, parent),
    prevRandao:
      settings.nextPrevRandao ??
      config.crypto.keccak256Hex(concatBytes(hexToBytes(parent.hash), bigintToBytes32(parent.number + 1n))),
    beaconRoot: ZERO_HASH,
  }
}

/** Whether two blocks have the same attributes. */
export function sameAttributes(a: PayloadAttributes, b: PayloadAttributes): boolean {
  return (Object.keys(a) as (keyof PayloadAttributes)[]).every((name) => a[name] === b[name])
}

/** Wei per gas of the block after `parent`. */
export function nextBaseFee(
  { fixedBaseFee, feeParameters }: Pick<AttributeOptions, 'fixedBaseFee' | 'feeParameters'>,
  parent: Pick<Block, 'header'>,
): bigint {
  return fixedBaseFee ?? nextBaseFeeOf(parent.header, feeParameters)
}

/** The attributes that a header was built with; a header does not contain the chain id. */
export function attributesOf(header: Header, chainId: bigint): PayloadAttributes {
  return {
    chainId,
    timestamp: header.timestamp,
    coinbase: header.miner,
    extraData: header.extraData,
    gasLimit: header.gasLimit,
    baseFee: header.baseFeePerGas ?? 0n,
    prevRandao: header.mixHash,
    beaconRoot: header.parentBeaconBlockRoot ?? ZERO_HASH,
  }
}

/**
 * The header of the block after `parent`, whose nonce is zero and which has no uncles.
 *
 * @param content - the fields that its execution determines; an empty block's by default.
 */
export function buildHeader(
  parent: Pick<Block, 'header' | 'hash'>,
  attributes: PayloadAttributes,
  { number, rules, difficulty }: Pick<BlockEnv, 'number' | 'rules' | 'difficulty'>,
  content: Partial<Header>,
): Header {
  return createHeader(
    {
      parentHash: parent.hash,
      miner: attributes.coinbase,
      difficulty,
      number,
      gasLimit: attributes.gasLimit,
      timestamp: attributes.timestamp,
      extraData: attributes.extraData,
      mixHash: attributes.prevRandao,
      baseFeePerGas: attributes.baseFee,
      excessBlobGas: rules.fork.cancun ? nextExcessBlobGas(parent.header, rules) : 0n,
      parentBeaconBlockRoot: attributes.beaconRoot,
      ...content,
    },
    rules,
  )
}

/** The hash of a block by its number, up to `parent`. */
export function hashesUpTo(parent: BlockParent): BlockEnv['blockHash'] {
  const { number, hash } = parent.block
  return (at) => (at === number ? hash : parent.hashAt(at))
}

/** A block with the hashes of its ancestors. */
interface BlockParent {
  readonly block: Block
  hashAt(number: bigint): Hash | undefined
}

/** The environment in which the block after `parent` with these attributes executes. */
export function toBlockEnv(
  chainRules: ChainRules,
  parent: BlockParent,
  attributes: PayloadAttributes,
): BlockEnv {
  const { number, header } = parent.block
  const rules = chainRules.withChainId(attributes.chainId).at(number + 1n, attributes.timestamp)
  return {
    rules,
    number: number + 1n,
    timestamp: attributes.timestamp,
    coinbase: attributes.coinbase,
    gasLimit: attributes.gasLimit,
    baseFee: attributes.baseFee,
    blobBaseFee: nextBlobBaseFee(header, rules),
    prevRandao: attributes.prevRandao,
    difficulty: 0n,
    blockHash: hashesUpTo(parent),
  }
}

/**
 * The environment in which the transactions of a block with this header were executed.
 *
 * @param blockHash - the hash of an ancestor.
 */
export function executedEnv(header: Header, rules: Rules, blockHash: BlockEnv['blockHash']): BlockEnv {
  return {
    ...attributesOf(header, rules.chainId),
    rules,
    number: header.number,
    difficulty: header.difficulty,
    blobBaseFee: blobBaseFee(header, rules),
    blockHash,
  }
}

/** A header's gas limit may differ from its parent's by less than a 1024th. */
function nextGasLimit(parent: bigint, target: bigint): bigint {
  const step = parent / 1024n - 1n
  if (target > parent + step) return parent + step
  return target < parent - step ? parent - step : target
}

// Sizes of blocks and transactions in RLP.

/** The maximum size in bytes of what a block's RLP has besides its transactions: header and prefixes. */
export const MAX_FRAME_SIZE = 2048

/** The size in bytes of a transaction in a block's body: a legacy one is a list, others are wrapped as a string. */
export function sizeInBody({ type, raw }: Transaction): number {
  return type === 0 ? raw.length : rlpSizeOf(raw.length)
}

/**
 * The size in bytes of the RLP of a block without uncles.
 *
 * @param headerSize - the size of its header's RLP.
 * @param bodySize - the sum of its transactions' sizes.
 * @param withdrawals - undefined before Shanghai.
 */
export function blockSize(
  headerSize: number,
  bodySize: number,
  withdrawals: readonly Withdrawal[] | undefined,
): number {
  const noUncles = 1
  const paid = withdrawals === undefined ? 0 : rlpSize(withdrawals.map(encodeWithdrawal))
  return rlpSizeOf(headerSize + rlpSizeOf(bodySize) + noUncles + paid)
}
