/**
 * Validates external blocks, and executes them with the chain's own state transition, by the rules of every fork from Frontier on.
 *
 *   validation ─► start of the block ─► transactions ─► withdrawals, rewards, requests ─► comparison with the header
 *
 * Owns: the writes and the sums of a block while it is executed. Does not own its parent, nor the decision
 * whether the block is adopted. Loaded by `import()`, since most chains never import a block.
 */

import type { BlockHeader } from '@ethereumjs/block'
import { bytesToHex, concatBytes, hexToBytes, ZERO_HASH } from '../../base/bytes.ts'
import type { Crypto } from '../../base/crypto/crypto.ts'
import type { Hash, MaybePromise } from '../../base/types.ts'
import { whenLoaded, type Yielder } from '../../base/waiting.ts'
import type { Receipt, StoredBlock } from '../../ethereum/block.ts'
import { daoForkBlock } from '../../ethereum/daoFork.ts'
import { BlockGasLimitError, InvalidBlockError } from '../../ethereum/errors.ts'
import { ALL_CHECKS, type BlockEnv, type Included } from '../../ethereum/evm/executor.ts'
import { receiptFields, toReceipt } from '../../ethereum/evm/receiptEncoding.ts'
import {
  createHeader,
  type Header,
  hashHeader,
  nextBaseFee,
  nextExcessBlobGas,
} from '../../ethereum/header.ts'
import type { Rules } from '../../ethereum/rules.ts'
import { Overlay } from '../../ethereum/state/overlay.ts'
import {
  type StateTrie,
  stateRoot,
  updateStateTrie,
  updateStateTrieInParts,
} from '../../ethereum/state/stateTrie.ts'
import { blobGasOf, type Transaction } from '../../ethereum/transaction.ts'
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
import { bodyFields } from '../ledger/storedBlock.ts'
import { type BlockParent, type BlockRun, type BlockRunner, toBlockError } from './blockRunner.ts'
import { toEthereumjsHeader } from './ethereumjsHeader.ts'

// Validates a block against its parent and its ancestors, before it is executed.

/** The parts of an ancestor that uncles are checked against. */
export interface Ancestor {
  readonly header: Header
  readonly uncles: readonly Header[]
}

/** The maximum number of uncles, and of generations back to the parent of an uncle (Yellow Paper, section 11.1). */
const MAX_UNCLES = 2
const MAX_GENERATIONS = 7

const MIN_GAS_LIMIT = 5_000n
const MAX_GAS_LIMIT = 2n ** 63n - 1n
const MAX_EXTRA_DATA = 32
/** The ASCII of `dao-hard-fork`. */
const DAO_EXTRA_DATA = '0x64616f2d686172642d666f726b'

/**
 * Checks a header against its parent: everything except the proof of work and the fields that depend on execution.
 *
 * @param rules - the header's.
 * @throws InvalidBlockError that names the field.
 */
export function validateHeader(header: Header, parent: Header, rules: Rules, crypto: Crypto): void {
  const { fork } = rules
  expectField('number', header.number, parent.number + 1n)
  expectField('parentHash', header.parentHash, hashHeader(parent))
  if (header.timestamp <= parent.timestamp) {
    throw new InvalidBlockError(
      `its timestamp is ${header.timestamp}, expected more than its parent's ${parent.timestamp}`,
    )
  }
  const isFirstOfLondon = fork.london && parent.baseFeePerGas === undefined
  if (!isGasLimitWithin(header.gasLimit, isFirstOfLondon ? 2n * parent.gasLimit : parent.gasLimit)) {
    throw new InvalidBlockError(
      `its gasLimit is ${header.gasLimit}, too far from its parent's ${parent.gasLimit}`,
    )
  }
  const extraBytes = header.extraData.length / 2 - 1
  if (extraBytes > MAX_EXTRA_DATA) {
    throw new InvalidBlockError(`its extraData has ${extraBytes} bytes, expected at most ${MAX_EXTRA_DATA}`)
  }
  if (isOfDAOFork(header.number, rules)) expectField('extraData', header.extraData, DAO_EXTRA_DATA)
  if (fork.london) {
    expectField('baseFeePerGas', header.baseFeePerGas!, nextBaseFee(parent))
  }
  if (fork.paris) {
    expectField('difficulty', header.difficulty, 0n)
    expectField('nonce', header.nonce, ZERO_NONCE)
  } else {
    expectField('difficulty', header.difficulty, canonicalDifficulty(header, parent, rules, crypto))
  }
  if (fork.cancun) expectField('excessBlobGas', header.excessBlobGas!, nextExcessBlobGas(parent, rules))
}

/**
 * Checks a body against its header.
 *
 * @throws InvalidBlockError that names the field of the header.
 */
export function validateBody(
  { header, uncles, withdrawals, size }: StoredBlock,
  transactions: readonly Transaction[],
  { blobs, fork, maxBlockSize }: Rules,
  crypto: Crypto,
): void {
  if (size > maxBlockSize) {
    throw new InvalidBlockError(`its RLP has ${size} bytes, expected at most ${maxBlockSize}`)
  }
  const raws = transactions.map(({ raw }) => raw)
  const { sha3Uncles, transactionsRoot, withdrawalsRoot } = bodyFields(raws, uncles, withdrawals, crypto)
  expectField('sha3Uncles', header.sha3Uncles, sha3Uncles)
  expectField('transactionsRoot', header.transactionsRoot, transactionsRoot)
  if (withdrawalsRoot !== undefined) expectField('withdrawalsRoot', header.withdrawalsRoot!, withdrawalsRoot)
  if (fork.cancun) {
    const blobGas = transactions.reduce((sum, tx) => sum + blobGasOf(tx), 0n)
    expectField('blobGasUsed', header.blobGasUsed!, blobGas)
    if (blobGas > blobs.maxGas) {
      throw new InvalidBlockError(`its blobGasUsed is ${blobGas}, expected at most ${blobs.maxGas}`)
    }
  }
}

/**
 * Checks a block's uncles: each has a parent in the last generations and a valid header, and was not included before.
 *
 * @param rulesOf - the rules of a header.
 * @param ancestor - a block of the chain by its hash.
 * @throws InvalidBlockError that names the uncle.
 */
export async function validateUncles(
  { header, uncles }: StoredBlock,
  rulesOf: (header: Header) => Rules,
  ancestor: (hash: Hash) => Promise<Ancestor | undefined>,
  crypto: Crypto,
): Promise<void> {
  if (uncles.length === 0) return
  if (rulesOf(header).fork.paris) {
    throw new InvalidBlockError('it has uncles, expected none after the merge')
  }
  if (uncles.length > MAX_UNCLES) {
    throw new InvalidBlockError(`it has ${uncles.length} uncles, expected at most ${MAX_UNCLES}`)
  }
  const known = new Set<Hash>()
  const parents = new Map<Hash, Header>()
  let hash = header.parentHash
  for (let generation = 1; generation <= MAX_GENERATIONS; generation++) {
    const block = await ancestor(hash)
    if (block === undefined) break
    known.add(hash)
    for (const uncle of block.uncles) known.add(hashHeader(uncle))
    // A child of the block's parent is its sibling, which cannot be its uncle.
    if (generation > 1) parents.set(hash, block.header)
    hash = block.header.parentHash
  }
  for (const [i, uncle] of uncles.entries()) {
    const uncleHash = hashHeader(uncle)
    if (known.has(uncleHash)) throw new InvalidBlockError(`uncle ${i}: it is an ancestor or an uncle already`)
    known.add(uncleHash)
    const parent = parents.get(uncle.parentHash)
    if (parent === undefined) {
      throw new InvalidBlockError(
        `uncle ${i}: its parentHash is not that of an ancestor 2 to ${MAX_GENERATIONS} blocks back`,
      )
    }
    try {
      validateHeader(uncle, parent, rulesOf(uncle), crypto)
    } catch (error) {
      throw error instanceof InvalidBlockError ? new InvalidBlockError(`uncle ${i}: ${error.message}`) : error
    }
  }
}

const ZERO_NONCE = `0x${'00'.repeat(8)}`

/** @throws InvalidBlockError if the values differ. */
function expectField(name: string, got: bigint | string, expected: bigint | string): void {
  if (got !== expected) throw new InvalidBlockError(`its ${name} is ${got}, expected ${expected}`)
}

/** Whether a gas limit is in range, and less than a 1024th from its parent's, which London doubles once (EIP-1559). */
function isGasLimitWithin(gasLimit: bigint, parent: bigint): boolean {
  const step = parent / 1024n
  return (
    gasLimit < parent + step &&
    gasLimit > parent - step &&
    gasLimit >= MIN_GAS_LIMIT &&
    gasLimit <= MAX_GAS_LIMIT
  )
}

/** Whether a block is one of the first ten of the DAO fork, which have fixed extra data (EIP-779). */
function isOfDAOFork(number: bigint, { schedule }: Rules): boolean {
  const first = daoForkBlock(schedule)
  return first !== undefined && number >= first && number < first + 10n
}

/** The difficulty of proof of work, computed by @ethereumjs with each hardfork's difficulty bomb. */
function canonicalDifficulty(header: Header, parent: Header, rules: Rules, crypto: Crypto): bigint {
  const { number, timestamp, difficulty, sha3Uncles } = parent
  // It reads only these fields of the parent, whose rules may differ.
  const before = { number, timestamp, difficulty, uncleHash: hexToBytes(sha3Uncles) }
  return toEthereumjsHeader(header, rules, crypto).ethashCanonicalDifficulty(before as BlockHeader)
}

// Executes a block.

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
