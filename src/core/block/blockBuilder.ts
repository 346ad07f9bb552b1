/**
 * Executes a block and makes its header.
 *
 *   openBlock ─► begin ─► add… ─► end ─► preconf block 0 ─► add… ─► end ─► preconf block 1 ─► …
 *
 * Owns: the additions until the block ends. Discarding a builder has no effect. Does not own the preconf block that it
 * continues, and does not execute its transactions again.
 */

import { bytesToHex, concatBytes } from '../../base/bytes.ts'
import { TransactionRejectedError } from '../../base/errors.ts'
import type { Hash, MaybePromise } from '../../base/types.ts'
import { createYielder, whenLoaded, type Yielder } from '../../base/waiting.ts'
import type { Block, Receipt, Withdrawal } from '../../ethereum/block.ts'
import {
  type BlockEnv,
  type Executed as ExecutedTransaction,
  type Execution,
  type Hooks,
  type Included,
  type Rejected,
  transactionChecks,
} from '../../ethereum/evm/executor.ts'
import { toReceipt } from '../../ethereum/evm/receiptEncoding.ts'
import { type Header, measureHeader } from '../../ethereum/header.ts'
import type { Rules } from '../../ethereum/rules.ts'
import type { StateChanges } from '../../ethereum/state/account.ts'
import { withdrawalsRoot } from '../../ethereum/state/bodyFields.ts'
import { isUnchanged, Layer, stackLayer } from '../../ethereum/state/layer.ts'
import { Overlay } from '../../ethereum/state/overlay.ts'
import { type StateTrie, stateRoot, updateStateTrie } from '../../ethereum/state/stateTrie.ts'
import { blobGasOf, gasOf, type Transaction } from '../../ethereum/transaction.ts'
import { checkChainId } from '../../ethereum/validity.ts'
import { blockSize, buildHeader, MAX_FRAME_SIZE, type PayloadAttributes, sizeInBody } from './attributes.ts'
import {
  openBlock,
  type Payload,
  type PayloadConfig,
  type PayloadParent,
  type PayloadStart,
  type PayloadState,
} from './payload.ts'
import {
  beginBlock,
  type checkRequestCall,
  depositsOf,
  endBlock,
  NO_DEPOSITS,
  payRewards,
  payWithdrawals,
  requestsHash,
} from './systemCalls.ts'

/** The inputs of a block's end, and the check of its requests. */
export interface BlockEnding {
  /** None before Shanghai. */
  readonly withdrawals?: readonly Withdrawal[] | undefined
  /** None since the merge. */
  readonly uncles?: readonly Header[]
  /** Called with the result of each call to a request contract. By default a contract may lack code, or fail. */
  readonly check?: typeof checkRequestCall
}

const NONE: readonly never[] = []

/** The end of a block that the chain builds: without withdrawals, uncles and a check. */
const OWN_ENDING: BlockEnding = {}

/** How many changed accounts and transactions `end` hashes in one step. With more, it hashes them in parts. */
const MAX_PENDING = 1_000

/** Builds preconf block 0 after `parent`. Returns a promise only if the execution paused or had to load something. */
export function startPayload(
  config: PayloadConfig,
  parent: PayloadParent,
  attributes: PayloadAttributes,
): MaybePromise<Payload> {
  const builder = new BlockBuilder(config, openBlock(config, parent, attributes))
  const begun = builder.begin()
  return begun instanceof Promise ? begun.then(() => builder.end()) : builder.end()
}

/** Builds one block; see the header of the file. */
export class BlockBuilder {
  readonly #config: PayloadConfig
  readonly #from: PayloadStart
  readonly state: Overlay
  readonly #transactions: Transaction[] = []
  readonly #receipts: Receipt[] = []
  readonly #deposits: Uint8Array[] = []
  /** Yields to the event loop during transactions. Callers use it between them. */
  readonly pause: Yielder
  #gasUsed: bigint
  #blobGasUsed: bigint
  #logCount: number
  #bodySize: number
  readonly #mayDefer: boolean
  /** The state trie for receipts before Byzantium; undefined until a receipt needs its root. */
  #stateTrie: StateTrie | undefined

  /** @param mayDefer - see {@link Execution.mayDefer}. */
  constructor(
    config: PayloadConfig,
    from: PayloadStart,
    pause = createYielder(config.clock),
    mayDefer = false,
  ) {
    this.#config = config
    this.#mayDefer = mayDefer
    this.#from = from
    this.pause = pause
    this.state = new Overlay(from.base.layer)
    this.#gasUsed = from.base.gasUsed
    this.#blobGasUsed = from.base.blobGasUsed
    this.#logCount = from.base.logCount
    this.#bodySize = from.base.bodySize
  }

  /** Executes the start of the block. A builder that continues a preconf block must not call it. */
  begin(): MaybePromise<void> {
    const { env, attributes, base } = this.#from
    return whenLoaded(() => {
      const written = this.state.child()
      beginBlock(env, base.parent.block.hash, attributes.beaconRoot, written)
      written.merge()
    })
  }

  get env(): BlockEnv {
    return this.#from.env
  }

  get gasLeft(): bigint {
    return this.#from.env.gasLimit - this.#gasUsed
  }

  /** Returns whether transactions fit the remaining gas, blob gas and bytes (EIP-7934). */
  hasRoomFor(...transactions: readonly Transaction[]): boolean {
    const { env } = this.#from
    if (gasOf(transactions) > this.gasLeft) return false
    let blobGas = 0n
    for (const tx of transactions) blobGas += blobGasOf(tx)
    if (blobGas > 0n && this.#blobGasUsed + blobGas > env.rules.blobs.maxGas) return false
    const { maxBlockSize } = env.rules
    if (maxBlockSize === Number.POSITIVE_INFINITY) return true
    const size = transactions.reduce((sum, tx) => sum + sizeInBody(tx), this.#bodySize)
    return size <= maxBlockSize - MAX_FRAME_SIZE
  }

  get size(): number {
    return this.#transactions.length
  }

  /** Marks the content. The returned function removes all later additions. */
  mark(): () => void {
    const state = this.state.mark()
    const { length } = this.#transactions
    const deposits = this.#deposits.length
    const [gasUsed, blobGasUsed] = [this.#gasUsed, this.#blobGasUsed]
    const [logCount, bodySize] = [this.#logCount, this.#bodySize]
    return () => {
      this.state.revert(state)
      this.#transactions.length = length
      this.#receipts.length = length
      this.#deposits.length = deposits
      this.#gasUsed = gasUsed
      this.#blobGasUsed = blobGasUsed
      this.#logCount = logCount
      this.#bodySize = bodySize
      this.#stateTrie = undefined
    }
  }

  /** Executes a transaction, and adds it if it may be included. */
  add(tx: Transaction, checks = transactionChecks(tx), hooks?: Hooks): MaybePromise<Included | Rejected> {
    const { env } = this.#from
    const mismatch = checkChainId(tx, env.rules.chainId)
    if (mismatch !== undefined) return { kind: 'rejected', error: mismatch, retryable: false }
    const execution: Execution = { tx, env, state: this.state, checks, hooks, mayDefer: this.#mayDefer }
    const executed = whenLoaded(() => this.#config.executor.execute(execution, this.pause), this.pause)
    return executed instanceof Promise
      ? executed.then((result) => this.#include(tx, result))
      : this.#include(tx, executed)
  }

  #include(tx: Transaction, { outcome, overlay }: ExecutedTransaction): Included | Rejected {
    const { depositContract, options } = this.#config
    const { fork } = this.#from.env.rules
    if (outcome.kind === 'rejected') return outcome
    let deposits = NO_DEPOSITS
    try {
      if (fork.prague) deposits = depositsOf(outcome.logs, depositContract)
    } catch (error) {
      if (error instanceof TransactionRejectedError) return { kind: 'rejected', error, retryable: false }
      throw error
    }
    const receipt = toReceipt(outcome, this.#gasUsed, this.#logCount, options.revertReason)
    // Not `push`: V8 compiles it for arrays of small integers if the array started empty.
    this.#receipts[this.#receipts.length] = fork.byzantium
      ? receipt
      : { ...receipt, stateRoot: this.#rootWith(overlay) }
    overlay.merge()
    this.#gasUsed += outcome.gasUsed
    this.#blobGasUsed += blobGasOf(tx)
    this.#transactions[this.#transactions.length] = tx
    this.#bodySize += sizeInBody(tx)
    if (deposits.length > 0) this.#deposits.push(deposits)
    this.#logCount += outcome.logs.length
    return outcome
  }

  #rootWith(effects: Overlay): Hash {
    const { crypto } = this.#config
    const { stateTrie } = this.#from.base.commitment
    this.#stateTrie ??= updateStateTrie(stateTrie, this.state.changes(), crypto)
    this.#stateTrie = updateStateTrie(this.#stateTrie, effects.changes(), crypto)
    return bytesToHex(stateRoot(this.#stateTrie, crypto))
  }

  /** Ends the block as preconf block `index`. Must be the last call. @throws the errors of `ending.check` */
  end(index = 0, ending = OWN_ENDING): MaybePromise<Payload> {
    const base = this.#extended()
    const ended = whenLoaded(() => this.#executeEnd(base, ending))
    const isLong = base.commitment.pendingSize > MAX_PENDING
    if (!isLong && !(ended instanceof Promise)) return this.#toPayload(index, base, ending, ended)
    return Promise.resolve(ended).then(async (end) => {
      if (isLong) await base.commitment.prepare(this.pause)
      return this.#toPayload(index, base, ending, end)
    })
  }

  #extended(): PayloadState {
    const { base } = this.#from
    const changes = this.state.changes()
    const [transactions, receipts] = [this.#transactions, this.#receipts]
    // Fields in the order of `openBlock`, so that all objects share one shape.
    return {
      parent: base.parent,
      layer: isUnchanged(changes) ? base.layer : stackLayer(base.layer, changes, base.parent.state),
      commitment: base.commitment.with({ changes, transactions, receipts }),
      // Unlike spreads, `concat` reserves no spare capacity, which sealed blocks would keep.
      transactions: base.transactions.concat(transactions),
      receipts: base.receipts.concat(receipts),
      gasUsed: this.#gasUsed,
      blobGasUsed: this.#blobGasUsed,
      logCount: this.#logCount,
      deposits: concatBytes(base.deposits, ...this.#deposits),
      bodySize: this.#bodySize,
    }
  }

  /** Writes to a separate layer, since the next preconf block continues from the state before the block's end. */
  #executeEnd(
    { layer, deposits }: PayloadState,
    { withdrawals = NONE, uncles = NONE, check }: BlockEnding,
  ): MaybePromise<ExecutedEnd> {
    const { env } = this.#from
    const leaf = new Overlay(layer)
    payWithdrawals(withdrawals, leaf)
    payRewards(env, uncles, leaf)
    const requests = endBlock(env, deposits, this.#config.executor, leaf, this.pause, check)
    return requests instanceof Promise
      ? requests.then((all) => toExecutedEnd(leaf, all))
      : toExecutedEnd(leaf, requests)
  }

  #toPayload(
    index: number,
    base: PayloadState,
    { withdrawals = NONE }: BlockEnding,
    { changes, requests, requestsHash }: ExecutedEnd,
  ): Payload {
    const { attributes, env } = this.#from
    const { crypto } = this.#config
    const { parent, gasUsed, blobGasUsed } = base
    const state = isUnchanged(changes) ? base.layer : new Layer(base.layer, changes)
    const commitment = base.commitment.with({ changes, transactions: [], receipts: [] })
    const block = new BuiltBlock(env, base, withdrawals, () =>
      buildHeader(parent.block, attributes, env, {
        gasUsed,
        blobGasUsed,
        requestsHash,
        withdrawalsRoot: withdrawals.length > 0 ? withdrawalsRoot(withdrawals, crypto) : undefined,
        ...commitment.fields(),
      }),
    )
    const added = this.#from.base.transactions.length
    return { index, added, block, attributes, env, state, commitment, requests, base }
  }
}

interface ExecutedEnd {
  readonly changes: StateChanges
  readonly requests: readonly Uint8Array[]
  readonly requestsHash: Hash | undefined
}

function toExecutedEnd(leaf: Overlay, requests: readonly Uint8Array[]): ExecutedEnd {
  return { changes: leaf.changes(), requests, requestsHash: requestsHash(requests) }
}

/** A block that builds its header on first read. A spread does not copy `header`, `hash` and `size`. */
class BuiltBlock implements Block {
  readonly number: bigint
  readonly timestamp: bigint
  readonly rules: Rules
  readonly transactions: readonly Transaction[]
  readonly receipts: readonly Receipt[]
  readonly uncles = NONE
  readonly withdrawals: readonly Withdrawal[] | undefined
  readonly #bodySize: number
  #buildHeader: (() => Header) | undefined
  #header: Header | undefined
  #hash: Hash | undefined
  #headerSize = 0

  constructor(
    { number, timestamp, rules }: BlockEnv,
    { transactions, receipts, bodySize }: PayloadState,
    withdrawals: readonly Withdrawal[],
    buildHeader: () => Header,
  ) {
    this.number = number
    this.timestamp = timestamp
    this.rules = rules
    this.transactions = transactions
    this.receipts = receipts
    this.withdrawals = rules.fork.shanghai ? withdrawals : undefined
    this.#bodySize = bodySize
    this.#buildHeader = buildHeader
  }

  get header(): Header {
    if (this.#header === undefined) {
      this.#header = this.#buildHeader!()
      // Dropped, since the function would keep the parent in memory, and with it all earlier blocks.
      this.#buildHeader = undefined
    }
    return this.#header
  }

  get hash(): Hash {
    if (this.#hash === undefined) {
      const { hash, size } = measureHeader(this.header)
      this.#hash = hash
      this.#headerSize = size
    }
    return this.#hash
  }

  get size(): number {
    // Reading the hash measures the header.
    void this.hash
    return blockSize(this.#headerSize, this.#bodySize, this.withdrawals)
  }
}
