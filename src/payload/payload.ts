/**
 * The block under construction, snapshot by snapshot.
 *
 * A `Payload` is a value: one published snapshot with everything that the next one builds on. A
 * `PayloadDraft` owns what is added until it is published; a discarded draft has no effect.
 *
 *   startPayload ─► index 0 ─► draft.add… ─► publish ─► index 1 ─► …
 *
 *   parent state ─ layer 0 ─ layer 1 ─ … ─ layer i ─ leaf i     snapshot i reads the leaf;
 *                                             └───── layer i+1   snapshot i+1 builds on the layer
 */
import type { Crypto } from '../crypto/crypto.ts'
import {
  ALL_CHECKS,
  type BlockEnv,
  type Checks,
  type Executor,
  executeLoaded,
  type Hooks,
  type Included,
  type Rejected,
} from '../evm/executor.ts'
import { addLogs, encodeReceipt, logsToBloom, toReceipt } from '../evm/receiptEncoding.ts'
import { bytesToHex, concatBytes } from '../primitives/bytes.ts'
import type { Clock } from '../primitives/clock.ts'
import { TransactionRejectedError } from '../primitives/errors.ts'
import { whenLoaded } from '../primitives/missing.ts'
import type { Address, Hash } from '../primitives/types.ts'
import { createYielder, type Yielder } from '../primitives/yielder.ts'
import type { Block, Receipt } from '../protocol/block.ts'
import { createHeader, EMPTY_BLOOM, type Header, hashHeader, nextExcessBlobGas } from '../protocol/header.ts'
import type { ChainRules } from '../protocol/rules.ts'
import { blobGasOf, gasOf, type Transaction } from '../protocol/transaction.ts'
import { checkChainId } from '../protocol/validity.ts'
import type { StateReader } from '../state/account.ts'
import { changesSince, isUnchanged, Layer, stackLayer } from '../state/layer.ts'
import { appendToList, type ListTrie, listTrieRoot } from '../state/listTrie.ts'
import { Overlay } from '../state/overlay.ts'
import { type StateTrie, stateRoot, updateStateTrie } from '../state/stateTrie.ts'
import { type PayloadAttributes, toBlockEnv } from './attributes.ts'
import { blockSize, MAX_BODY_SIZE, sizeInBody } from './blockSize.ts'
import { beginBlock, depositsOf, endBlock } from './systemCalls.ts'

/** What all payloads of a chain are built with. */
export interface PayloadConfig {
  readonly executor: Executor
  readonly crypto: Crypto
  readonly rules: ChainRules
  readonly depositContract: Address
  /** Lets the event loop turn during long executions. */
  readonly clock: Pick<Clock, 'yield'>
  /** Whether receipts contain the revert data of transactions. */
  readonly revertReason: boolean
}

/** The executed block that a payload is built on: sealed, about to be sealed, or simulated. */
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
  readonly attributes: PayloadAttributes
  readonly env: BlockEnv
  /** The state after this snapshot of the block, including the calls at the end of the block. */
  readonly state: StateReader
  readonly stateTrie: StateTrie
  readonly base: PayloadState
}

/** What the next snapshot builds on: everything except the calls at the end of the block. */
export interface PayloadState {
  readonly parent: PayloadParent
  readonly layer: StateReader
  readonly stateTrie: StateTrie
  readonly transactionTrie: ListTrie
  readonly receiptTrie: ListTrie
  readonly transactions: readonly Transaction[]
  readonly receipts: readonly Receipt[]
  readonly gasUsed: bigint
  readonly blobGasUsed: bigint
  readonly logCount: number
  readonly bloom: Uint8Array
  readonly deposits: Uint8Array
  /** The size in bytes of the transactions' RLP within the block's body. */
  readonly bodySize: number
}

/** Builds snapshot 0 of the block after `parent`: the start of the block, without transactions. */
export async function startPayload(
  config: PayloadConfig,
  parent: PayloadParent,
  attributes: PayloadAttributes,
  pause = createYielder(config.clock),
): Promise<Payload> {
  const env = toBlockEnv(config.rules, parent, attributes)
  const overlay = await whenLoaded(() => {
    const written = new Overlay(parent.state)
    beginBlock(env, parent.block.hash, attributes.beaconRoot, written)
    return written
  })
  const empty: PayloadState = {
    parent,
    layer: parent.state,
    stateTrie: parent.stateTrie,
    transactionTrie: null,
    receiptTrie: null,
    transactions: [],
    receipts: [],
    gasUsed: 0n,
    blobGasUsed: 0n,
    logCount: 0,
    bloom: new Uint8Array(256),
    deposits: new Uint8Array(0),
    bodySize: 0,
  }
  return publish(config, { attributes, env }, 0, 0, extendState(config, empty, overlay), pause)
}

/** The next snapshot of a block if nothing was added to it. */
export function repeatPayload(payload: Payload, index: number): Payload {
  return { ...payload, index, added: payload.block.transactions.length }
}

/** The same payload over an equal state: the version that its parent's layers were committed to. */
export function rebasePayload(payload: Payload, parent: PayloadParent): Payload {
  const { base } = payload
  const rebase = (top: StateReader, below: StateReader, onto: StateReader): StateReader => {
    const changes = changesSince(top, below)
    return isUnchanged(changes) ? onto : new Layer(onto, changes)
  }
  const layer = rebase(base.layer, base.parent.state, parent.state)
  const state = rebase(payload.state, base.layer, layer)
  return { ...payload, state, base: { ...base, parent, layer } }
}

/** The next snapshot under construction. */
export class PayloadDraft {
  readonly #config: PayloadConfig
  readonly #from: Payload
  readonly #overlay: Overlay
  readonly #transactions: Transaction[] = []
  readonly #receipts: Receipt[] = []
  readonly #deposits: Uint8Array[] = []
  /** Yields while transactions are executed, and for the caller between them. */
  readonly pause: Yielder
  #gasUsed: bigint
  #blobGasUsed: bigint
  #logCount: number
  #bodySize: number

  constructor(config: PayloadConfig, from: Payload, pause = createYielder(config.clock)) {
    this.#config = config
    this.#from = from
    this.pause = pause
    this.#overlay = new Overlay(from.base.layer)
    this.#gasUsed = from.base.gasUsed
    this.#blobGasUsed = from.base.blobGasUsed
    this.#logCount = from.base.logCount
    this.#bodySize = from.base.bodySize
  }

  /** Whether the block has enough gas and blob gas left for transactions, and since Osaka enough bytes (EIP-7934). */
  hasRoomFor(...transactions: readonly Transaction[]): boolean {
    const { env } = this.#from
    if (gasOf(transactions) > env.gasLimit - this.#gasUsed) return false
    const blobGas = transactions.reduce((sum, tx) => sum + blobGasOf(tx), 0n)
    if (blobGas > 0n && this.#blobGasUsed + blobGas > env.rules.blobs.maxGas) return false
    if (!env.rules.fork.osaka) return true
    return transactions.reduce((sum, tx) => sum + sizeInBody(tx), this.#bodySize) <= MAX_BODY_SIZE
  }

  /** The number of transactions that were added. */
  get size(): number {
    return this.#transactions.length
  }

  /** Marks the current content; the returned function removes what was added since. */
  mark(): () => void {
    const state = this.#overlay.mark()
    const { length } = this.#transactions
    const deposits = this.#deposits.length
    const [gasUsed, blobGasUsed] = [this.#gasUsed, this.#blobGasUsed]
    const [logCount, bodySize] = [this.#logCount, this.#bodySize]
    return () => {
      this.#overlay.revert(state)
      this.#transactions.length = length
      this.#receipts.length = length
      this.#deposits.length = deposits
      this.#gasUsed = gasUsed
      this.#blobGasUsed = blobGasUsed
      this.#logCount = logCount
      this.#bodySize = bodySize
    }
  }

  /** Executes a transaction, and adds it with its effects if it may be included. */
  async add(tx: Transaction, hooks?: Hooks): Promise<Included | Rejected> {
    const { executor, depositContract, revertReason } = this.#config
    const mismatch = checkChainId(tx, this.#from.env.rules.chainId)
    if (mismatch !== undefined) return { kind: 'rejected', error: mismatch, retryable: false }
    const execution = { tx, env: this.#from.env, state: this.#overlay, checks: checksOf(tx), hooks }
    const executed = executeLoaded(executor, execution, this.pause)
    const { outcome, overlay } = executed instanceof Promise ? await executed : executed
    if (outcome.kind === 'rejected') return outcome
    let deposits: Uint8Array = new Uint8Array(0)
    try {
      if (this.#from.env.rules.fork.prague) deposits = depositsOf(outcome.logs, depositContract)
    } catch (error) {
      if (error instanceof TransactionRejectedError) return { kind: 'rejected', error, retryable: false }
      throw error
    }
    overlay.merge()
    this.#receipts.push(toReceipt(outcome, this.#gasUsed, this.#logCount, revertReason))
    this.#gasUsed += outcome.gasUsed
    this.#blobGasUsed += blobGasOf(tx)
    this.#transactions.push(tx)
    this.#bodySize += sizeInBody(tx)
    if (deposits.length > 0) this.#deposits.push(deposits)
    this.#logCount += outcome.logs.length
    return outcome
  }

  /** Publishes what was added as snapshot `index` of its block. The draft must not be used afterwards. */
  publish(index: number): Promise<Payload> {
    const { base, block } = this.#from
    const { length } = base.transactions
    const bloom = base.bloom.slice()
    const raws = this.#transactions.map(({ raw }) => raw)
    const receipts = this.#receipts.map((receipt, i) => {
      addLogs(bloom, receipt.logs)
      return encodeReceipt(receipt, this.#transactions[i]!.type, logsToBloom(receipt.logs))
    })
    const next: PayloadState = {
      ...base,
      transactionTrie: appendToList(base.transactionTrie, length, raws),
      receiptTrie: appendToList(base.receiptTrie, length, receipts),
      transactions: [...base.transactions, ...this.#transactions],
      receipts: [...base.receipts, ...this.#receipts],
      gasUsed: this.#gasUsed,
      blobGasUsed: this.#blobGasUsed,
      logCount: this.#logCount,
      bloom,
      deposits: concatBytes(base.deposits, ...this.#deposits),
      bodySize: this.#bodySize,
    }
    return publish(
      this.#config,
      this.#from,
      index,
      block.transactions.length,
      extendState(this.#config, next, this.#overlay),
      this.pause,
    )
  }
}

function extendState(config: PayloadConfig, base: PayloadState, overlay: Overlay): PayloadState {
  const changes = overlay.changes()
  if (isUnchanged(changes)) return base
  return {
    ...base,
    layer: stackLayer(base.layer, changes, base.parent.state),
    stateTrie: updateStateTrie(base.stateTrie, changes, config.crypto),
  }
}

async function publish(
  config: PayloadConfig,
  { attributes, env }: Pick<Payload, 'attributes' | 'env'>,
  index: number,
  added: number,
  base: PayloadState,
  pause: Yielder,
): Promise<Payload> {
  const { crypto, executor } = config
  const { changes, requestsHash } = await whenLoaded(async () => {
    const leaf = new Overlay(base.layer)
    const hash = await endBlock(env, base.deposits, executor, leaf, pause)
    return { changes: leaf.changes(), requestsHash: hash }
  })
  const unchanged = isUnchanged(changes)
  const stateTrie = unchanged ? base.stateTrie : updateStateTrie(base.stateTrie, changes, crypto)
  const state = unchanged ? base.layer : new Layer(base.layer, changes)
  const header = toHeader(config, attributes, env, base, stateTrie, requestsHash)
  const block: Block = {
    header,
    hash: hashHeader(header),
    number: env.number,
    timestamp: env.timestamp,
    rules: env.rules,
    transactions: base.transactions,
    receipts: base.receipts,
    uncles: [],
    withdrawals: env.rules.fork.shanghai ? [] : undefined,
    size: blockSize(header, base.bodySize),
  }
  return { index, added, block, attributes, env, state, stateTrie, base }
}

function toHeader(
  { crypto }: PayloadConfig,
  attributes: PayloadAttributes,
  { number, rules }: BlockEnv,
  base: PayloadState,
  stateTrie: StateTrie,
  requestsHash: Hash | undefined,
): Header {
  const { header, hash } = base.parent.block
  return createHeader(
    {
      parentHash: hash,
      miner: attributes.coinbase,
      stateRoot: bytesToHex(stateRoot(stateTrie, crypto)),
      transactionsRoot: bytesToHex(listTrieRoot(base.transactionTrie, crypto)),
      receiptsRoot: bytesToHex(listTrieRoot(base.receiptTrie, crypto)),
      logsBloom: base.logCount === 0 ? EMPTY_BLOOM : bytesToHex(base.bloom),
      number,
      gasLimit: attributes.gasLimit,
      gasUsed: base.gasUsed,
      timestamp: attributes.timestamp,
      extraData: attributes.extraData,
      mixHash: attributes.prevRandao,
      baseFeePerGas: attributes.baseFee,
      blobGasUsed: base.blobGasUsed,
      excessBlobGas: rules.fork.cancun ? nextExcessBlobGas(header, rules) : 0n,
      parentBeaconBlockRoot: attributes.beaconRoot,
      requestsHash,
    },
    rules,
  )
}

/** An impersonated sender may be a contract. */
function checksOf({ unsigned }: Transaction): Checks {
  return unsigned ? { ...ALL_CHECKS, senderCode: false } : ALL_CHECKS
}
