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

import { concatBytes } from '../../base/bytes.ts'
import type { Clock } from '../../base/clock.ts'
import type { Crypto } from '../../base/crypto/crypto.ts'
import { TransactionRejectedError } from '../../base/errors.ts'
import type { Address, Hash, MaybePromise } from '../../base/types.ts'
import { createYielder, whenLoaded, type Yielder } from '../../base/waiting.ts'
import type { Block, Receipt } from '../../ethereum/block.ts'
import {
  type BlockEnv,
  type Executed as ExecutedTransaction,
  type Execution,
  type Executor,
  type Hooks,
  type Included,
  type Rejected,
  transactionChecks,
} from '../../ethereum/evm/executor.ts'
import { toReceipt } from '../../ethereum/evm/receiptEncoding.ts'
import { createHeader, type Header, nextExcessBlobGas } from '../../ethereum/header.ts'
import type { ChainRules } from '../../ethereum/rules.ts'
import type { StateChanges, StateReader } from '../../ethereum/state/account.ts'
import { isUnchanged, Layer, stackLayer } from '../../ethereum/state/layer.ts'
import { Overlay } from '../../ethereum/state/overlay.ts'
import type { StateTrie } from '../../ethereum/state/stateTrie.ts'
import { blobGasOf, gasOf, type Transaction } from '../../ethereum/transaction.ts'
import { checkChainId } from '../../ethereum/validity.ts'
import { MAX_FRAME_SIZE, type PayloadAttributes, sizeInBody, toBlockEnv } from './attributes.ts'
import { Commitment, LazyBlock } from './commitment.ts'
import { beginBlock, depositsOf, endBlock, NO_DEPOSITS } from './systemCalls.ts'

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
  /** What the state tries of a chain are built on if they are built anew; by default the empty trie. */
  readonly baseTrie?: StateTrie
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
  readonly commitment: Commitment
  readonly base: PayloadState
}

/** A block with the state after it, on layers over its parent's. */
export interface Executed {
  readonly block: Block
  readonly state: StateReader
  readonly stateTrie: StateTrie
}

/** What the next snapshot builds on: everything except the calls at the end of the block. */
export interface PayloadState {
  readonly parent: PayloadParent
  readonly layer: StateReader
  readonly commitment: Commitment
  readonly transactions: readonly Transaction[]
  readonly receipts: readonly Receipt[]
  readonly gasUsed: bigint
  readonly blobGasUsed: bigint
  readonly logCount: number
  readonly deposits: Uint8Array
  /** The size in bytes of the transactions' RLP within the block's body. */
  readonly bodySize: number
}

/**
 * Builds snapshot 0 of the block after `parent`: the start of the block, without transactions.
 *
 * @returns a promise only if it took a pause or something had to be loaded, as below.
 */
export function startPayload(
  config: PayloadConfig,
  parent: PayloadParent,
  attributes: PayloadAttributes,
  pause = createYielder(config.clock),
): MaybePromise<Payload> {
  const env = toBlockEnv(config.rules, parent, attributes)
  const begun = whenLoaded(() => {
    const written = new Overlay(parent.state)
    beginBlock(env, parent.block.hash, attributes.beaconRoot, written)
    return written
  })
  const empty: PayloadState = {
    parent,
    layer: parent.state,
    commitment: Commitment.of(parent.stateTrie, config.crypto),
    transactions: [],
    receipts: [],
    gasUsed: 0n,
    blobGasUsed: 0n,
    logCount: 0,
    deposits: NO_DEPOSITS,
    bodySize: 0,
  }
  const start = (overlay: Overlay) =>
    publish(config, { attributes, env }, 0, 0, extend(empty, overlay, [], [], empty), pause)
  return begun instanceof Promise ? begun.then(start) : start(begun)
}

/** The next snapshot of a block if nothing was added to it. */
export function repeatPayload(payload: Payload, index: number): Payload {
  return { ...payload, index, added: payload.block.transactions.length }
}

/** The block that a payload becomes if it is sealed. */
export function toExecuted({ block, state, commitment }: Payload): Executed {
  return { block, state, stateTrie: commitment.stateTrie }
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
  readonly #mayDefer: boolean

  /** @param mayDefer - see {@link Execution.mayDefer}. */
  constructor(config: PayloadConfig, from: Payload, pause = createYielder(config.clock), mayDefer = false) {
    this.#config = config
    this.#mayDefer = mayDefer
    this.#from = from
    this.pause = pause
    this.#overlay = new Overlay(from.base.layer)
    this.#gasUsed = from.base.gasUsed
    this.#blobGasUsed = from.base.blobGasUsed
    this.#logCount = from.base.logCount
    this.#bodySize = from.base.bodySize
  }

  /** Whether the block has enough gas, blob gas and enough bytes left for transactions (EIP-7934). */
  hasRoomFor(...transactions: readonly Transaction[]): boolean {
    const { env } = this.#from
    if (gasOf(transactions) > env.gasLimit - this.#gasUsed) return false
    let blobGas = 0n
    for (const tx of transactions) blobGas += blobGasOf(tx)
    if (blobGas > 0n && this.#blobGasUsed + blobGas > env.rules.blobs.maxGas) return false
    const { maxBlockSize } = env.rules
    if (maxBlockSize === Number.POSITIVE_INFINITY) return true
    const size = transactions.reduce((sum, tx) => sum + sizeInBody(tx), this.#bodySize)
    return size <= maxBlockSize - MAX_FRAME_SIZE
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
  add(tx: Transaction, hooks?: Hooks): MaybePromise<Included | Rejected> {
    const mismatch = checkChainId(tx, this.#from.env.rules.chainId)
    if (mismatch !== undefined) return { kind: 'rejected', error: mismatch, retryable: false }
    const execution: Execution = {
      tx,
      env: this.#from.env,
      state: this.#overlay,
      checks: transactionChecks(tx),
      hooks,
      mayDefer: this.#mayDefer,
    }
    const executed = whenLoaded(() => this.#config.executor.execute(execution, this.pause), this.pause)
    return executed instanceof Promise
      ? executed.then((result) => this.#include(tx, result))
      : this.#include(tx, executed)
  }

  #include(tx: Transaction, { outcome, overlay }: ExecutedTransaction): Included | Rejected {
    const { depositContract, revertReason } = this.#config
    if (outcome.kind === 'rejected') return outcome
    let deposits = NO_DEPOSITS
    try {
      if (this.#from.env.rules.fork.prague) deposits = depositsOf(outcome.logs, depositContract)
    } catch (error) {
      if (error instanceof TransactionRejectedError) return { kind: 'rejected', error, retryable: false }
      throw error
    }
    overlay.merge()
    // Not `push`: compiled, it expects the numbers that an empty array is made for.
    this.#receipts[this.#receipts.length] = toReceipt(outcome, this.#gasUsed, this.#logCount, revertReason)
    this.#gasUsed += outcome.gasUsed
    this.#blobGasUsed += blobGasOf(tx)
    this.#transactions[this.#transactions.length] = tx
    this.#bodySize += sizeInBody(tx)
    if (deposits.length > 0) this.#deposits.push(deposits)
    this.#logCount += outcome.logs.length
    return outcome
  }

  /** Publishes what was added as snapshot `index` of its block. The draft must not be used afterwards. */
  publish(index: number): MaybePromise<Payload> {
    const { base, block } = this.#from
    const next = extend(base, this.#overlay, this.#transactions, this.#receipts, {
      gasUsed: this.#gasUsed,
      blobGasUsed: this.#blobGasUsed,
      logCount: this.#logCount,
      deposits: concatBytes(base.deposits, ...this.#deposits),
      bodySize: this.#bodySize,
    })
    return publish(this.#config, this.#from, index, block.transactions.length, next, this.pause)
  }
}

type Sums = Pick<PayloadState, 'gasUsed' | 'blobGasUsed' | 'logCount' | 'deposits' | 'bodySize'>

/** With the changes of transactions, the transactions themselves, and the sums over all of the block's. */
function extend(
  base: PayloadState,
  overlay: Overlay,
  transactions: readonly Transaction[],
  receipts: readonly Receipt[],
  { gasUsed, blobGasUsed, logCount, deposits, bodySize }: Sums,
): PayloadState {
  const changes = overlay.changes()
  // In one order wherever one is made, so that all have one shape.
  return {
    parent: base.parent,
    layer: isUnchanged(changes) ? base.layer : stackLayer(base.layer, changes, base.parent.state),
    commitment: base.commitment.with({ changes, transactions, receipts }),
    // Unlike spreads, these have no room for more: sealed blocks keep them.
    transactions: base.transactions.concat(transactions),
    receipts: base.receipts.concat(receipts),
    gasUsed,
    blobGasUsed,
    logCount,
    deposits,
    bodySize,
  }
}

/** The accounts and transactions from which a commitment is computed in parts, before anything can read it. */
const MOST_PENDING = 1_000

function publish(
  config: PayloadConfig,
  { attributes, env }: Pick<Payload, 'attributes' | 'env'>,
  index: number,
  added: number,
  base: PayloadState,
  pause: Yielder,
): MaybePromise<Payload> {
  const toPayload = ({ changes, requestsHash }: BlockEnd): Payload => {
    const state = isUnchanged(changes) ? base.layer : new Layer(base.layer, changes)
    const commitment = base.commitment.with({ changes, transactions: [], receipts: [] })
    const block = new LazyBlock(env, base, base.bodySize, () =>
      toHeader(attributes, env, base, commitment, requestsHash),
    )
    return { index, added, block, attributes, env, state, commitment, base }
  }
  const end = executeBlockEnd(env, base, config.executor, pause)
  const isLong = base.commitment.pendingSize > MOST_PENDING
  if (!isLong && !(end instanceof Promise)) return toPayload(end)
  return Promise.resolve(end).then(async (ended) => {
    if (isLong) await base.commitment.prepare(pause)
    return toPayload(ended)
  })
}

function toHeader(
  attributes: PayloadAttributes,
  { number, rules }: BlockEnv,
  { parent, gasUsed, blobGasUsed }: PayloadState,
  commitment: Commitment,
  requestsHash: Hash | undefined,
): Header {
  const { header, hash } = parent.block
  return createHeader(
    {
      parentHash: hash,
      miner: attributes.coinbase,
      number,
      gasLimit: attributes.gasLimit,
      gasUsed,
      timestamp: attributes.timestamp,
      extraData: attributes.extraData,
      mixHash: attributes.prevRandao,
      baseFeePerGas: attributes.baseFee,
      blobGasUsed,
      excessBlobGas: rules.fork.cancun ? nextExcessBlobGas(header, rules) : 0n,
      parentBeaconBlockRoot: attributes.beaconRoot,
      requestsHash,
      ...commitment.fields(),
    },
    rules,
  )
}

// The end of a block under construction, on a layer of its own: the next snapshot builds without it.

/** What the calls at the end of a block change, and the hash of its requests. */
export interface BlockEnd {
  readonly changes: StateChanges
  readonly requestsHash: Hash | undefined
}

/**
 * Executes what the protocol does at the end of a block.
 *
 * @returns a promise only if a call was suspended or something had to be loaded.
 */
export function executeBlockEnd(
  env: BlockEnv,
  { layer, deposits }: { readonly layer: StateReader; readonly deposits: Uint8Array },
  executor: Executor,
  pause: Yielder,
): MaybePromise<BlockEnd> {
  return whenLoaded(() => {
    const leaf = new Overlay(layer)
    const hash = endBlock(env, deposits, executor, leaf, pause)
    return hash instanceof Promise ? hash.then((ended) => toBlockEnd(leaf, ended)) : toBlockEnd(leaf, hash)
  })
}

function toBlockEnd(leaf: Overlay, requestsHash: Hash | undefined): BlockEnd {
  return { changes: leaf.changes(), requestsHash }
}
