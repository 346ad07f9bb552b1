/** The attributes of a block, and the environment in which it executes. */

import { bigintToBytes32, concatBytes, hexToBytes, ZERO_HASH } from '../../base/bytes.ts'
import type { Crypto } from '../../base/crypto/crypto.ts'
import { rlpSize, rlpSizeOf } from '../../base/rlp.ts'
import type { Address, Hash, Hex } from '../../base/types.ts'
import type { Block, Withdrawal } from '../../ethereum/block.ts'
import { encodeWithdrawal } from '../../ethereum/blockEncoding.ts'
import type { ChainSpec } from '../../ethereum/chainSpec.ts'
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

/** The fields that a block fixes before its transactions are executed. */
export interface PayloadAttributes {
  /** CHAINID, and the chain id of the block's transactions (EIP-155). */
  readonly chainId: bigint
  /** Unix time in seconds. */
  readonly timestamp: bigint
  readonly coinbase: Address
  readonly gasLimit: bigint
  /** Wei per gas. */
  readonly baseFee: bigint
  readonly prevRandao: Hash
  readonly beaconRoot: Hash
  readonly extraData: Hex
}

/** The options of a chain, including options that only a fork or a spec has. */
export type CoreOptions = ResolvedOptions & {
  /** How a base fee follows from the parent's; default: as on Ethereum. */
  readonly feeParameters?: FeeParameters | undefined
  /** The chain's rules beyond Ethereum's; undefined on Ethereum. */
  readonly spec?: ChainSpec | undefined
}

type TimeOptions = Pick<CoreOptions, 'allowBlocksWithSameTimestamp'>
type FeeOptions = Pick<CoreOptions, 'fixedBaseFee' | 'feeParameters'>
type AttributeOptions = Pick<CoreOptions, 'chainId' | 'coinbase' | 'extraData' | 'gasLimit'> &
  TimeOptions &
  FeeOptions

/** The parent and the time of the next block. */
export interface NextBlock {
  readonly parent: Pick<Block, 'timestamp'>
  /** The clock's time in milliseconds when the attributes are fixed. */
  readonly ms: number
}

/** Returns the lowest timestamp, in seconds, of a block after `parent`. */
export function leastTimestamp(
  { allowBlocksWithSameTimestamp }: TimeOptions,
  parent: Pick<Block, 'timestamp'>,
): bigint {
  return parent.timestamp + (allowBlocksWithSameTimestamp ? 0n : 1n)
}

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

/** Returns the attributes of the block after `parent`, fixed at the clock's time `ms`, in milliseconds. */
export function nextAttributes(
  { options, config }: { readonly options: AttributeOptions; readonly config: { readonly crypto: Crypto } },
  parent: Block,
  ms: number,
  settings: Settings = NO_SETTINGS,
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
      config.crypto.keccak256Hex(concatBytes(hexToBytes(parent.hash), bigintToBytes32(parent.number + 1n))),
    beaconRoot: ZERO_HASH,
  }
}

/** Returns whether two blocks have the same attributes. */
export function sameAttributes(a: PayloadAttributes, b: PayloadAttributes): boolean {
  return (Object.keys(a) as (keyof PayloadAttributes)[]).every((name) => a[name] === b[name])
}

/** Returns the base fee of the block after `parent`, in wei per gas. */
export function nextBaseFee(
  { fixedBaseFee, feeParameters }: FeeOptions,
  parent: Pick<Block, 'header'>,
): bigint {
  return fixedBaseFee ?? nextBaseFeeOf(parent.header, feeParameters)
}

/** Returns the attributes in a header. @param chainId - given, since headers have none. */
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

/** Builds the header of the block after `parent`. Absent fields of `content` are set as in an empty block. */
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

/** Returns a function that returns the hash of a block by number, for `parent` and its ancestors. */
export function hashesUpTo(parent: BlockParent): BlockEnv['blockHash'] {
  const { number, hash } = parent.block
  return (at) => (at === number ? hash : parent.hashAt(at))
}

/** A block with the hashes of its ancestors. */
interface BlockParent {
  readonly block: Block
  hashAt(number: bigint): Hash | undefined
}

/** Returns the environment for executing the block after `parent`. */
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

/** Returns the environment in which the transactions of a sealed block were executed. */
export function executedEnv(header: Header, rules: Rules, blockHash: BlockEnv['blockHash']): BlockEnv {
  // Listed field by field: a spread would take longer than a short call to a contract.
  return {
    rules,
    number: header.number,
    timestamp: header.timestamp,
    coinbase: header.miner,
    gasLimit: header.gasLimit,
    baseFee: header.baseFeePerGas ?? 0n,
    blobBaseFee: blobBaseFee(header, rules),
    prevRandao: header.mixHash,
    difficulty: header.difficulty,
    blockHash,
  }
}

/** Moves the gas limit towards `target`. It may differ from the parent's by less than 1/1024. */
function nextGasLimit(parent: bigint, target: bigint): bigint {
  const step = parent / 1024n - 1n
  if (target > parent + step) return parent + step
  return target < parent - step ? parent - step : target
}

/** The maximum size in bytes of a block's RLP without its transactions: header and prefixes. */
export const MAX_FRAME_SIZE = 2048

/** Returns the size in bytes of a transaction in a block's body. A typed transaction is wrapped as an RLP string. */
export function sizeInBody({ type, raw }: Transaction): number {
  return type === 0 ? raw.length : rlpSizeOf(raw.length)
}

/** Returns the size of a block without uncles in RLP. @param bodySize - the sum of {@link sizeInBody}. */
export function blockSize(
  headerSize: number,
  bodySize: number,
  withdrawals: readonly Withdrawal[] | undefined,
): number {
  const noUncles = 1
  const paid = withdrawals === undefined ? 0 : rlpSize(withdrawals.map(encodeWithdrawal))
  return rlpSizeOf(headerSize + rlpSizeOf(bodySize) + noUncles + paid)
}
