/**
 * Executes external blocks with the chain's own state transition, by the rules of every fork from Frontier on.
 *
 *   start of the block ─► transactions ─► withdrawals, rewards, requests ─► comparison with the header
 *
 * Owns: the writes and the sums of a block while it is executed. Does not own its parent, nor the decision
 * whether the block is adopted. Loaded by `import()`, since most chains never import a block.
 */

import { bytesToHex, concatBytes, ZERO_HASH } from '../../base/bytes.ts'
import type { Hash, MaybePromise } from '../../base/types.ts'
import { whenLoaded, type Yielder } from '../../base/waiting.ts'
import type { Receipt, StoredBlock } from '../../ethereum/block.ts'
import { BlockGasLimitError, InvalidBlockError } from '../../ethereum/errors.ts'
import { ALL_CHECKS, type BlockEnv, type Included } from '../../ethereum/evm/executor.ts'
import { receiptFields, toReceipt } from '../../ethereum/evm/receiptEncoding.ts'
import { createHeader } from '../../ethereum/header.ts'
import type { Rules } from '../../ethereum/rules.ts'
import { Overlay } from '../../ethereum/state/overlay.ts'
import {
  type StateTrie,
  stateRoot,
  updateStateTrie,
  updateStateTrieInParts,
} from '../../ethereum/state/stateTrie.ts'
import type { Transaction } from '../../ethereum/transaction.ts'
import { executedEnv } from '../block/attributes.ts'
import type { PayloadConfig } from '../block/payload.ts'
import {
  beginBlock,
  checkRequestCall,
  depositsOf,
  endBlock,
  payRewards,
  payWithdrawals,
} from '../block/systemCalls.ts'
import type { BlockParent, BlockRun, BlockRunner } from './blockRunner.ts'
import { toBlockError } from './invalidTransaction.ts'

/** Creates the runner. @param pause - called during each transaction, and after it. */
export function createBlockRunner(config: PayloadConfig, pause: Yielder): BlockRunner {
  return {
    run: (stored, transactions, rules, parent) =>
      new Execution(config, stored, rules, parent).run(transactions, pause),
  }
}

/** The fields of a header that follow from the block's execution, the most telling of a difference first. */
const EXECUTED_FIELDS = ['gasUsed', 'logsBloom', 'receiptsRoot', 'requestsHash', 'stateRoot'] as const

/** One block while it is executed. */
class Execution {
  readonly #config: PayloadConfig
  readonly #stored: StoredBlock
  readonly #parent: BlockParent
  readonly #env: BlockEnv
  readonly #overlay: Overlay
  readonly #receipts: Receipt[] = []
  readonly #deposits: Uint8Array[] = []
  #gasUsed = 0n
  #logCount = 0
  /** The trie after the last transaction; only before Byzantium. */
  #stateTrie: StateTrie = null

  constructor(config: PayloadConfig, stored: StoredBlock, rules: Rules, parent: BlockParent) {
    this.#config = config
    this.#stored = stored
    this.#parent = parent
    this.#env = executedEnv(stored.header, rules, parent.hashAt)
    this.#overlay = new Overlay(parent.state)
  }

  /** Executes the block; to be called once. */
  async run(transactions: readonly Transaction[], pause: Yielder): Promise<BlockRun> {
    const { header } = this.#stored
    const { crypto } = this.#config
    await this.#write((overlay) =>
      beginBlock(this.#env, header.parentHash, header.parentBeaconBlockRoot ?? ZERO_HASH, overlay),
    )
    if (!this.#env.rules.fork.byzantium) {
      this.#stateTrie = updateStateTrie(this.#parent.stateTrie, this.#overlay.changes(), crypto)
    }
    for (const [index, tx] of transactions.entries()) {
      try {
        await this.#include(tx, pause)
      } catch (error) {
        throw toBlockError(error, index)
      }
      const wait = pause()
      if (wait) await wait
    }
    const requestsHash = await this.#write((overlay) => this.#end(overlay, pause))
    const changes = this.#overlay.changes()
    const stateTrie = await updateStateTrieInParts(this.#parent.stateTrie, changes, crypto, pause)
    const executed = createHeader(
      {
        ...header,
        ...receiptFields(this.#receipts, transactions, crypto),
        gasUsed: this.#gasUsed,
        requestsHash,
        stateRoot: bytesToHex(stateRoot(stateTrie, crypto)),
      },
      this.#env.rules,
    )
    const field = EXECUTED_FIELDS.find((name) => header[name] !== executed[name])
    if (field !== undefined) throw new InvalidBlockError(`its ${field} does not match its execution`)
    return { receipts: this.#receipts, overlay: this.#overlay, stateTrie }
  }

  /** @throws TransactionRejectedError if the transaction may not be in the block. */
  async #include(tx: Transaction, pause: Yielder): Promise<void> {
    const { executor, depositContract } = this.#config
    const { gasLimit, rules } = this.#env
    if (tx.gasLimit > gasLimit - this.#gasUsed) throw new BlockGasLimitError()
    const execution = { tx, env: this.#env, state: this.#overlay, checks: ALL_CHECKS }
    const { outcome, overlay } = await whenLoaded(() => executor.execute(execution, pause), pause)
    if (outcome.kind === 'rejected') throw outcome.error
    if (rules.fork.prague) this.#deposits.push(depositsOf(outcome.logs, depositContract))
    this.#addReceipt(outcome, overlay)
    overlay.merge()
  }

  /** @param overlay - the effects of the transaction alone. */
  #addReceipt(outcome: Included, overlay: Overlay): void {
    const { crypto, revertReason } = this.#config
    const receipt = toReceipt(outcome, this.#gasUsed, this.#logCount, revertReason)
    if (this.#env.rules.fork.byzantium) {
      this.#receipts.push(receipt)
    } else {
      this.#stateTrie = updateStateTrie(this.#stateTrie, overlay.changes(), crypto)
      this.#receipts.push({ ...receipt, stateRoot: bytesToHex(stateRoot(this.#stateTrie, crypto)) })
    }
    this.#gasUsed += outcome.gasUsed
    this.#logCount += outcome.logs.length
  }

  /** @returns the requests hash. */
  #end(overlay: Overlay, pause: Yielder): MaybePromise<Hash | undefined> {
    const { uncles, withdrawals = [] } = this.#stored
    payWithdrawals(withdrawals, overlay)
    payRewards(this.#env, uncles, overlay)
    const deposits = concatBytes(...this.#deposits)
    return endBlock(this.#env, deposits, this.#config.executor, overlay, pause, checkRequestCall)
  }

  /** Writes what is not of a transaction; repeated as a whole if something it reads has to be loaded. */
  async #write<Value>(write: (overlay: Overlay) => MaybePromise<Value>): Promise<Value> {
    return whenLoaded(async () => {
      const overlay = this.#overlay.child()
      const value = await write(overlay)
      overlay.merge()
      return value
    })
  }
}
