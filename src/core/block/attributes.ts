/** A block's attributes beyond its parent and transactions, and the environment it executes in. */

import { bigintToBytes32, concatBytes, hexToBytes, ZERO_HASH } from '../../base/bytes.ts'
import type { Crypto } from '../../base/crypto/crypto.ts'
import { rlpSizeOf } from '../../base/rlp.ts'
import type { Address, Hash, Hex } from '../../base/types.ts'
import type { Block } from '../../ethereum/block.ts'
import type { BlockEnv } from '../../ethereum/evm/executor.ts'
import {
  blobBaseFee,
  type FeeParameters,
  type Header,
  nextBaseFee as nextBaseFeeOf,
  nextBlobBaseFee,
} from '../../ethereum/header.ts'
import type { ChainRules, Rules } from '../../ethereum/rules.ts'
import type { Transaction } from '../../ethereum/transaction.ts'

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

/** The settings of the blocks to come, changed while the chain runs; a value, replaced as a whole. */
export interface BlockSettings {
  /** Milliseconds by which the chain's time is ahead of its clock's. */
  readonly timeOffset: number
  /** For all blocks to come. */
  readonly chainId?: bigint
  /** Seconds from each block to the next, regardless of the clock; with 0 a block has its parent's timestamp. */
  readonly timestampInterval?: bigint | undefined
  /** Unix time in seconds, for the next block only. */
  readonly nextTimestamp?: bigint | undefined
  /** Whether the next block has the chain's time although there is an interval. */
  readonly nextByTime?: boolean | undefined
  /** Wei per gas, for the next block only. */
  readonly nextBaseFee?: bigint | undefined
  /** For the next block only. */
  readonly nextPrevRandao?: Hash | undefined
  /** For all blocks to come. The next one has it already, however far it is from its parent's. */
  readonly gasLimit?: bigint
  readonly coinbase?: Address
  /** Wei per gas below which the mempool accepts no transaction. */
  readonly minGasPrice?: bigint
}

/** The place of the block to come. */
export interface NextBlock {
  readonly parent: Pick<Block, 'timestamp'>
  /** The clock's time, in milliseconds, at which its attributes are fixed. */
  readonly ms: number
}

/** The settings of a chain that has not changed any. */
export const NO_SETTINGS: BlockSettings = Object.freeze({ timeOffset: 0 })

/**
 * The settings after a block is built, without those that apply to the next block only. If its timestamp was one of
 * them, time continues from there.
 *
 * @param ms - the clock's time at which the block ends.
 */
export function settingsAfter(
  settings: BlockSettings,
  { timestamp }: Pick<Block, 'timestamp'>,
  ms: number,
): BlockSettings {
  const { nextTimestamp, nextByTime, nextBaseFee, nextPrevRandao, ...lasting } = settings
  const isLasting = nextTimestamp === undefined && nextByTime === undefined
  if (isLasting && nextBaseFee === undefined && nextPrevRandao === undefined) return settings
  return nextTimestamp === undefined ? lasting : { ...lasting, timeOffset: 1000 * Number(timestamp) - ms }
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
  { timeOffset, timestampInterval, nextTimestamp, nextByTime }: BlockSettings,
  { parent, ms }: NextBlock,
): bigint {
  const isFree = nextTimestamp === undefined && nextByTime === undefined
  if (isFree && timestampInterval !== undefined) return parent.timestamp + timestampInterval
  const least = leastTimestamp(options, parent)
  const at = nextTimestamp ?? BigInt(Math.floor((ms + timeOffset) / 1000))
  return at > least ? at : least
}

/** The attributes of the block after `parent`, fixed at `ms` (milliseconds of the clock). */
export function nextAttributes(
  options: AttributeOptions,
  parent: Block,
  ms: number,
  crypto: Crypto,
  settings: BlockSettings = NO_SETTINGS,
): PayloadAttributes {
  return {
    chainId: settings.chainId ?? BigInt(options.chainId),
    timestamp: timestampOf(options, settings, { parent, ms }),
    coinbase: settings.coinbase ?? options.coinbase,
    extraData: options.extraData,
    gasLimit: settings.gasLimit ?? nextGasLimit(parent.header.gasLimit, options.gasLimit),
    baseFee: settings.nextBaseFee ?? nextBaseFee(options, parent),
    prevRandao:
      settings.nextPrevRandao ??
      crypto.keccak256Hex(concatBytes(hexToBytes(parent.hash), bigintToBytes32(parent.number + 1n))),
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

/** The environment in which the block after `parent` with these attributes executes. */
export function toBlockEnv(
  chainRules: ChainRules,
  parent: { readonly block: Block; hashAt(number: bigint): Hash | undefined },
  attributes: PayloadAttributes,
): BlockEnv {
  const { number, hash, header } = parent.block
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
    blockHash: (at) => (at === number ? hash : parent.hashAt(at)),
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
 * @param headerSize - that of its header's RLP.
 * @param bodySize - the sum of its transactions' sizes.
 * @param withdrawalsSize - the sum of its withdrawals' sizes.
 */
export function blockSize(
  { withdrawalsRoot }: Pick<Header, 'withdrawalsRoot'>,
  headerSize: number,
  bodySize: number,
  withdrawalsSize = 0,
): number {
  const withdrawals = withdrawalsRoot === undefined ? 0 : rlpSizeOf(withdrawalsSize)
  const noUncles = 1
  return rlpSizeOf(headerSize + rlpSizeOf(bodySize) + noUncles + withdrawals)
}
