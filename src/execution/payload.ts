/**
 * The block under construction, snapshot by snapshot.
 *
 * A `Payload` is a value: one published snapshot with all that the next one builds on. A `PayloadDraft` owns what is
 * added until it is published; dropping a draft leaves no trace.
 *
 *   startPayload ─► index 0 ─► draft.add… ─► publish ─► index 1 ─► …
 *
 *   parent state ─ layer 0 ─ layer 1 ─ … ─ layer i ─ leaf i     snapshot i reads the leaf;
 *                                             └───── layer i+1   snapshot i+1 builds on the layer
 */
import { type BlockHeader, createBlockHeader } from '@ethereumjs/block'
import { RLP } from '@ethereumjs/rlp'
import { bigintToBytes32, bytesToHex, concatBytes, hexToBytes } from '../bytes.ts'
import type { Crypto } from '../crypto.ts'
import { TransactionRejectedError } from '../errors.ts'
import type { Block, Receipt } from '../ledger/block.ts'
import type { ChainRules } from '../rules.ts'
import type { StateReader } from '../state/account.ts'
import { changesSince, isUnchanged, Layer, stackLayer } from '../state/layer.ts'
import { Overlay } from '../state/overlay.ts'
import { type StateTrie, stateRoot, updateStateTrie } from '../state/stateTrie.ts'
import { type TrieRoot, trieHash, trieUpdate } from '../state/trie.ts'
import type { Transaction } from '../transaction.ts'
import type { Address, Hash, Hex } from '../types.ts'
import { ALL_CHECKS, type BlockEnv, type Executor, executeLoaded, type Included, type Rejected } from './executor.ts'
import { encodeReceipt, logsToBloom } from './receiptEncoding.ts'
import { beginBlock, depositsOf, endBlock } from './systemCalls.ts'

/** What every payload of a chain is built with. */
export interface PayloadConfig {
  readonly executor: Executor
  readonly crypto: Crypto
  readonly rules: ChainRules
  readonly depositContract: Address
  readonly coinbase: Address
  readonly extraData: Hex
  /** The gas limit blocks aim at; a header may move towards it by a 1024th. */
  readonly gasLimit: bigint
  readonly fixedBaseFee: bigint | undefined
}

/** What a payload is built on: an executed block, sealed or about to be. */
export interface PayloadParent {
  readonly block: Block
  readonly state: StateReader
  readonly stateTrie: StateTrie
  /** Hashes of the parent's ancestors. */
  hashAt(number: bigint): Hash | undefined
}

/** One snapshot of the block under construction; see the file's header. */
export interface Payload {
  readonly index: number
  /** Index of the first transaction that was not in the snapshot before. */
  readonly added: number
  readonly block: Block
  readonly env: BlockEnv
  /** The state after the block as it stands, end-of-block calls included. */
  readonly state: StateReader
  readonly stateTrie: StateTrie
  readonly growth: Growth
}

/** What the next snapshot builds on: everything but the end of the block. */
export interface Growth {
  readonly parent: PayloadParent
  readonly layer: StateReader
  readonly stateTrie: StateTrie
  readonly transactionTrie: TrieRoot<Uint8Array>
  readonly receiptTrie: TrieRoot<Uint8Array>
  readonly transactions: readonly Transaction[]
  readonly receipts: readonly Receipt[]
  readonly gasUsed: bigint
  readonly logCount: number
  readonly bloom: Uint8Array
  readonly deposits: Uint8Array
  /** RLP bytes of the transactions within the block's body. */
  readonly bodySize: number
}

/** Builds index 0 of the block after `parent`: no transactions, the start of the block done. */
export async function startPayload(config: PayloadConfig, parent: PayloadParent, timestamp: bigint): Promise<Payload> {
  const env = nextEnv(config, parent, timestamp)
  const overlay = new Overlay(parent.state)
  beginBlock(env, parent.block.hash, ZERO_HASH, overlay)
  const empty: Growth = {
    parent,
    layer: parent.state,
    stateTrie: parent.stateTrie,
    transactionTrie: null,
    receiptTrie: null,
    transactions: [],
    receipts: [],
    gasUsed: 0n,
    logCount: 0,
    bloom: new Uint8Array(256),
    deposits: new Uint8Array(0),
    bodySize: 0,
  }
  return publish(config, env, 0, 0, grow(config, empty, overlay))
}

/** The environment of the block after `parent`. */
export function nextEnv(config: PayloadConfig, parent: PayloadParent, timestamp: bigint): BlockEnv {
  const { header, hash } = parent.block
  const number = parent.block.number + 1n
  const rules = config.rules.at(number, timestamp)
  return {
    rules,
    number,
    timestamp,
    coinbase: config.coinbase,
    gasLimit: nextGasLimit(header.gasLimit, config.gasLimit),
    baseFee: config.fixedBaseFee ?? header.calcNextBaseFee(),
    blobBaseFee: rules.fork.cancun ? header.calcNextBlobGasPrice(rules.common) : 0n,
    prevRandao: config.crypto.keccak256Hex(concatBytes(hexToBytes(hash), bigintToBytes32(number))),
    difficulty: 0n,
    blockHash: (at) => (at === parent.block.number ? hash : parent.hashAt(at)),
  }
}

/** The snapshot that follows one to which nothing was added. */
export function repeatPayload(payload: Payload): Payload {
  return { ...payload, index: payload.index + 1, added: payload.block.transactions.length }
}

/** The same payload on another state that reads alike: the version its parent's layers were folded into. */
export function rebasePayload(payload: Payload, parent: PayloadParent): Payload {
  const { growth } = payload
  const rebase = (top: StateReader, below: StateReader, onto: StateReader): StateReader => {
    const changes = changesSince(top, below)
    return isUnchanged(changes) ? onto : new Layer(onto, changes)
  }
  const layer = rebase(growth.layer, growth.parent.state, parent.state)
  const state = rebase(payload.state, growth.layer, layer)
  return { ...payload, state, growth: { ...growth, parent, layer } }
}

/** Transactions on their way into the next snapshot. */
export class PayloadDraft {
  readonly #config: PayloadConfig
  readonly #from: Payload
  readonly #overlay: Overlay
  readonly #transactions: Transaction[] = []
  readonly #receipts: Receipt[] = []
  readonly #deposits: Uint8Array[] = []
  #gasUsed: bigint
  #logCount: number

  constructor(config: PayloadConfig, from: Payload) {
    this.#config = config
    this.#from = from
    this.#overlay = new Overlay(from.growth.layer)
    this.#gasUsed = from.growth.gasUsed
    this.#logCount = from.growth.logCount
  }

  /** Gas the block has left. */
  get gasLeft(): bigint {
    return this.#from.env.gasLimit - this.#gasUsed
  }

  /** How many transactions were added. */
  get size(): number {
    return this.#transactions.length
  }

  /** Executes a transaction, and keeps what it did if it may be included. */
  async add(tx: Transaction): Promise<Included | Rejected> {
    const { executor, depositContract } = this.#config
    const child = () => this.#overlay.child()
    const { outcome, overlay } = await executeLoaded(executor, tx, this.#from.env, child, ALL_CHECKS)
    if (outcome.kind === 'rejected') return outcome
    let deposits: Uint8Array
    try {
      deposits = depositsOf(outcome.logs, depositContract)
    } catch (error) {
      if (error instanceof TransactionRejectedError) return { kind: 'rejected', error, retryable: false }
      throw error
    }
    overlay.merge()
    this.#gasUsed += outcome.gasUsed
    this.#transactions.push(tx)
    if (deposits.length > 0) this.#deposits.push(deposits)
    this.#receipts.push({
      succeeded: outcome.succeeded,
      gasUsed: outcome.gasUsed,
      cumulativeGasUsed: this.#gasUsed,
      effectiveGasPrice: outcome.effectiveGasPrice,
      contractAddress: outcome.contractAddress,
      logs: outcome.logs,
      firstLogIndex: this.#logCount,
    })
    this.#logCount += outcome.logs.length
    return outcome
  }

  /** The snapshot with what was added. The draft is used up. */
  publish(): Promise<Payload> {
    const { env, index, growth, block } = this.#from
    const { rules } = env
    const transactionChanges: [Uint8Array, Uint8Array][] = []
    const receiptChanges: [Uint8Array, Uint8Array][] = []
    const bloom = growth.bloom.slice()
    let { bodySize } = growth
    for (const [i, tx] of this.#transactions.entries()) {
      const key = RLP.encode(growth.transactions.length + i)
      const receipt = this.#receipts[i]!
      const own = logsToBloom(receipt.logs, rules)
      for (let at = 0; at < own.length; at++) bloom[at]! |= own[at]!
      transactionChanges.push([key, tx.raw])
      receiptChanges.push([key, encodeReceipt(receipt, tx.type, own)])
      bodySize += tx.type === 0 ? tx.raw.length : listSize(tx.raw.length)
    }
    const next: Growth = {
      ...growth,
      transactionTrie: trieUpdate(growth.transactionTrie, transactionChanges),
      receiptTrie: trieUpdate(growth.receiptTrie, receiptChanges),
      transactions: [...growth.transactions, ...this.#transactions],
      receipts: [...growth.receipts, ...this.#receipts],
      gasUsed: this.#gasUsed,
      logCount: this.#logCount,
      bloom,
      deposits: concatBytes(growth.deposits, ...this.#deposits),
      bodySize,
    }
    return publish(this.#config, env, index + 1, block.transactions.length, grow(this.#config, next, this.#overlay))
  }
}

const ZERO_HASH: Hash = `0x${'00'.repeat(32)}`

function grow(config: PayloadConfig, growth: Growth, overlay: Overlay): Growth {
  const changes = overlay.changes()
  if (isUnchanged(changes)) return growth
  return {
    ...growth,
    layer: stackLayer(growth.layer, changes, growth.parent.state),
    stateTrie: updateStateTrie(growth.stateTrie, changes, config.crypto),
  }
}

async function publish(
  config: PayloadConfig,
  env: BlockEnv,
  index: number,
  added: number,
  growth: Growth,
): Promise<Payload> {
  const { crypto, executor } = config
  const leaf = new Overlay(growth.layer)
  const requestsHash = await endBlock(env, growth.deposits, executor, leaf)
  const changes = leaf.changes()
  const unchanged = isUnchanged(changes)
  const stateTrie = unchanged ? growth.stateTrie : updateStateTrie(growth.stateTrie, changes, crypto)
  const state = unchanged ? growth.layer : new Layer(growth.layer, changes)
  const header = sealHeader(config, env, growth, stateTrie, requestsHash)
  const block: Block = {
    header,
    hash: bytesToHex(header.hash()),
    number: env.number,
    timestamp: env.timestamp,
    rules: env.rules,
    transactions: growth.transactions,
    receipts: growth.receipts,
    size: blockSize(header, growth.bodySize),
  }
  return { index, added, block, env, state, stateTrie, growth }
}

function sealHeader(
  config: PayloadConfig,
  env: BlockEnv,
  growth: Growth,
  stateTrie: StateTrie,
  requestsHash: Uint8Array | undefined,
): BlockHeader {
  const { crypto, extraData } = config
  const { common, fork } = env.rules
  const { header, hash } = growth.parent.block
  return createBlockHeader(
    {
      parentHash: hexToBytes(hash),
      coinbase: hexToBytes(env.coinbase),
      stateRoot: stateRoot(stateTrie, crypto),
      transactionsTrie: trieHash(growth.transactionTrie, BYTES, crypto.keccak256),
      receiptTrie: trieHash(growth.receiptTrie, BYTES, crypto.keccak256),
      logsBloom: growth.bloom,
      number: env.number,
      gasLimit: env.gasLimit,
      gasUsed: growth.gasUsed,
      timestamp: env.timestamp,
      extraData: hexToBytes(extraData),
      mixHash: hexToBytes(env.prevRandao),
      baseFeePerGas: env.baseFee,
      ...(fork.cancun && { blobGasUsed: 0n, excessBlobGas: header.calcNextExcessBlobGas(common) }),
      ...(requestsHash && { requestsHash }),
    },
    { common },
  )
}

const BYTES = { encode: (bytes: Uint8Array) => bytes }

/** Length of an RLP list or string of more than one byte, by the length of what it holds. */
function listSize(content: number): number {
  if (content < 56) return 1 + content
  let prefix = 2
  for (let rest = content; rest > 255; rest >>>= 8) prefix += 1
  return prefix + content
}

function blockSize(header: BlockHeader, bodySize: number): number {
  const withdrawals = header.withdrawalsRoot === undefined ? 0 : 1
  const noUncles = 1
  return listSize(RLP.encode(header.raw()).length + listSize(bodySize) + noUncles + withdrawals)
}

/** A header's gas limit may differ from its parent's by less than a 1024th. */
function nextGasLimit(parent: bigint, target: bigint): bigint {
  const step = parent / 1024n - 1n
  if (target > parent + step) return parent + step
  return target < parent - step ? parent - step : target
}
