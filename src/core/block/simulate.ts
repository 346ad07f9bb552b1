/**
 * Simulated blocks on top of a block, as for eth_simulateV1: whole blocks of calls, with real roots and hashes.
 *
 *   plan    the requested blocks, with empty ones in the gaps
 *   each    state overrides ─► start of the block ─► calls ─► requests, withdrawals, reward ─► header
 *
 * Nothing is kept after the answer: the state of each block is a layer over the state of the block before.
 */

import { bytesToHex, concatBytes, hexToWord, toWord, ZERO_ADDRESS, ZERO_HASH } from '../../base/bytes.ts'
import { TransactionRejectedError } from '../../base/errors.ts'
import { encodeRlp, rlpSize } from '../../base/rlp.ts'
import type { Address, Hash } from '../../base/types.ts'
import { whenLoaded, type Yielder } from '../../base/waiting.ts'
import type { Block, Log, Receipt, Withdrawal } from '../../ethereum/block.ts'
import { encodeWithdrawal } from '../../ethereum/blockEncoding.ts'
import { type CallFields, callChecks, callToTxEnv } from '../../ethereum/evm/call.ts'
import type {
  BlockEnv,
  Checks,
  FrameEnd,
  FrameStart,
  FrameType,
  Hooks,
  Included,
} from '../../ethereum/evm/executor.ts'
import { FrameStack } from '../../ethereum/evm/hooks.ts'
import { type BlockOverrides, movePrecompiles, type StateOverrides } from '../../ethereum/evm/overrides.ts'
import { precompilesOf } from '../../ethereum/evm/precompiles.ts'
import { receiptFields, toReceipt } from '../../ethereum/evm/receiptEncoding.ts'
import { toSimulatedTransaction } from '../../ethereum/evm/transactionEncoding.ts'
import {
  createHeader,
  type Header,
  measureHeader,
  nextBlobBaseFee,
  nextExcessBlobGas,
} from '../../ethereum/header.ts'
import type { Rules } from '../../ethereum/rules.ts'
import type { StateReader } from '../../ethereum/state/account.ts'
import { Layer } from '../../ethereum/state/layer.ts'
import { Overlay } from '../../ethereum/state/overlay.ts'
import { applyPatch } from '../../ethereum/state/patch.ts'
import {
  type StateTrie,
  stateRoot,
  updateStateTrie,
  updateStateTrieInParts,
} from '../../ethereum/state/stateTrie.ts'
import { listRoot } from '../../ethereum/state/trie.ts'
import { blobGasOf, type Transaction, type TxEnv } from '../../ethereum/transaction.ts'
import { blockSize, sizeInBody } from './attributes.ts'
import {
  BlockNumberOrderError,
  BlockTimestampOrderError,
  EarlyWithdrawalsError,
  EmptySimulationError,
  SimulatedBlockGasError,
  TooManySimulatedBlocksError,
} from './errors.ts'
import type { PayloadConfig, PayloadParent } from './payload.ts'
import { beginBlock, depositsOf, endBlock, NO_DEPOSITS, payRewards, payWithdrawals } from './systemCalls.ts'

/** The limits of a simulation. */
export interface SimulationLimits {
  /** Gas of all calls together. */
  readonly gasCap: bigint
  /** Blocks, including those that fill gaps. */
  readonly maxBlocks: number
}

/** Seconds between simulated blocks without a given time, as in go-ethereum. */
const BLOCK_TIME = 12n

/**
 * Simulates blocks on top of `base`.
 *
 * @param pause - called during each call, and after each call and each block.
 * @throws EmptySimulationError, TooManySimulatedBlocksError, BlockNumberOrderError, BlockTimestampOrderError,
 *   EarlyWithdrawalsError, and the errors of `movePrecompiles`
 * @throws TransactionRejectedError if `strict`, for the first call that may not be executed
 */
export async function simulate(
  config: PayloadConfig,
  base: PayloadParent,
  plans: readonly SimulatedBlockPlan[],
  options: SimulationLimits & SimulationOptions,
  pause: Yielder,
): Promise<SimulatedBlock[]> {
  const results: SimulatedBlock[] = []
  let parent = base
  let gasLeft = options.gasCap
  for (const plan of fillGaps(plans, base.block, options.maxBlocks)) {
    const simulation = new Simulation(config, parent, plan, options, gasLeft)
    const { simulated, state, stateTrie } = await simulation.run(pause)
    await pause()
    results.push(simulated)
    gasLeft = simulation.gasLeft
    parent = { block: simulated.block, state, stateTrie, hashAt: hashesFrom(parent) }
  }
  return results
}

/** The hashes of a block and its ancestors, which are the ancestors of the next block. */
function hashesFrom({ block, hashAt }: PayloadParent): PayloadParent['hashAt'] {
  return (number) => (number === block.number ? block.hash : hashAt(number))
}

/** The time of the block after one with time `last`; the default is cut to 64 bits, so it may be below `last`. */
function timeAfter(last: bigint, time = BigInt.asUintN(64, last + BLOCK_TIME)): bigint {
  if (time <= last) throw new BlockTimestampOrderError(time, last)
  return time
}

/** Sets the number and time of each block, and fills the gaps between numbers with empty blocks. */
function fillGaps(plans: readonly SimulatedBlockPlan[], base: Block, maxBlocks: number): NumberedPlan[] {
  if (plans.length === 0) throw new EmptySimulationError()
  if (plans.length > maxBlocks) throw new TooManySimulatedBlocksError()
  const filled: NumberedPlan[] = []
  let last = { number: base.number, time: base.timestamp }
  for (const plan of plans) {
    const number = plan.blockOverrides?.number ?? last.number + 1n
    if (number <= last.number) throw new BlockNumberOrderError(number, last.number)
    if (number - base.number > BigInt(maxBlocks)) throw new TooManySimulatedBlocksError()
    while (last.number + 1n < number) {
      last = { number: last.number + 1n, time: timeAfter(last.time) }
      filled.push({ blockOverrides: last, fillsGap: true })
    }
    last = { number, time: timeAfter(last.time, plan.blockOverrides?.time) }
    filled.push({ ...plan, blockOverrides: { ...plan.blockOverrides, ...last }, fillsGap: false })
  }
  return filled
}

// One block while it is simulated.
//
// Owns: the overlay its calls write to, and the sums over its calls. Does not own its parent, or the order of
// the simulated blocks.

/** One block to simulate; its calls see the overrides, and the state after the blocks before it. */
export interface SimulatedBlockPlan {
  readonly calls?: readonly CallFields[]
  readonly stateOverrides?: StateOverrides
  readonly blockOverrides?: BlockOverrides
}

/** A block with its number and time. */
export interface NumberedPlan extends SimulatedBlockPlan {
  /** Whether it only fills a gap. */
  readonly fillsGap: boolean
  readonly blockOverrides: BlockOverrides & { readonly number: bigint; readonly time: bigint }
}

/** The options of a simulation. */
export interface SimulationOptions {
  /** The chain id of the simulated blocks. */
  readonly chainId: bigint
  /** Whether nonces, funds and fees are checked as for transactions. */
  readonly validation: boolean
  /** Whether transfers of ether are logged. */
  readonly traceTransfers: boolean
  /** Whether funds are checked even without `validation`, and the first refused call ends the simulation. */
  readonly strict: boolean
  /** Wei per gas of the block after this one. */
  nextBaseFee(parent: Block): bigint
}

/** A call that was executed. */
export interface ExecutedCall {
  readonly kind: 'executed'
  readonly outcome: Included
  /** Its logs, and its transfers of ether if they are traced. */
  readonly logs: readonly CapturedLog[]
  /** Its index among the block's transactions. */
  readonly index: number
  /** The number of logs captured in the block before it. */
  readonly firstLog: number
}

/** A call that may not be executed; it is not among the block's transactions. */
export interface RefusedCall {
  readonly kind: 'refused'
  readonly error: TransactionRejectedError
}

/** A simulated block, with the result of each call. */
export interface SimulatedBlock {
  readonly block: Block
  readonly calls: readonly (ExecutedCall | RefusedCall)[]
  /** Whether it only fills a gap between the numbers of others. */
  readonly fillsGap: boolean
}

/** The simulation of one block; see the file's header. */
export class Simulation {
  /** Gas that the remaining calls, of this block and of later ones, may use. */
  gasLeft: bigint
  readonly #config: PayloadConfig
  readonly #parent: PayloadParent
  readonly #plan: NumberedPlan
  readonly #options: SimulationOptions
  readonly #rules: Rules
  readonly #env: BlockEnv
  readonly #overlay: Overlay
  readonly #calls: (ExecutedCall | RefusedCall)[] = []
  readonly #transactions: Transaction[] = []
  readonly #receipts: Receipt[] = []
  readonly #deposits: Uint8Array[] = []
  #gasUsed = 0n
  #logCount = 0
  #capturedCount = 0

  constructor(
    config: PayloadConfig,
    parent: PayloadParent,
    plan: NumberedPlan,
    options: SimulationOptions,
    gasLeft: bigint,
  ) {
    this.#config = config
    this.#parent = parent
    this.#plan = plan
    this.#options = options
    this.gasLeft = gasLeft
    const { number, time } = plan.blockOverrides
    this.#rules = config.rules.withChainId(options.chainId).at(number, time, parent.block.header.difficulty)
    this.#env = toSimulatedEnv(this.#rules, parent, plan.blockOverrides, options)
    this.#overlay = new Overlay(parent.state)
  }

  /** Simulates the block. Call it only once. @param pause - called during each call, and after it. */
  async run(pause: Yielder): Promise<{
    readonly simulated: SimulatedBlock
    readonly state: StateReader
    readonly stateTrie: StateTrie
  }> {
    const { crypto, executor } = this.#config
    const { stateOverrides, blockOverrides, calls = [] } = this.#plan
    const { fork } = this.#rules
    if (!fork.shanghai && blockOverrides.withdrawals?.length) throw new EarlyWithdrawalsError()
    const withdrawals = fork.shanghai ? (blockOverrides.withdrawals ?? []) : undefined
    let env = this.#env
    if (stateOverrides !== undefined) {
      const movedPrecompiles = movePrecompiles(stateOverrides, precompilesOf(fork), this.#options.strict)
      if (movedPrecompiles !== undefined) env = { ...env, movedPrecompiles }
      applyPatch(this.#overlay, stateOverrides, crypto)
    }
    const beaconRoot = blockOverrides.beaconRoot ?? ZERO_HASH
    beginBlock(this.#env, this.#parent.block.hash, beaconRoot, this.#overlay)
    for (const call of calls) {
      const refusal = await this.#call(call, env, pause)
      const wait = pause()
      if (wait) await wait
      if (refusal === undefined) continue
      if (this.#options.strict) throw refusal
      this.#calls.push({ kind: 'refused', error: refusal })
    }
    const deposits = concatBytes(...this.#deposits)
    const requestsHash = await endBlock(this.#env, deposits, executor, this.#overlay, pause)
    payWithdrawals(withdrawals ?? [], this.#overlay)
    payRewards(this.#env, [], this.#overlay)

    const changes = this.#overlay.changes()
    const stateTrie = await updateStateTrieInParts(this.#parent.stateTrie, changes, crypto, pause)
    const header = this.#toHeader(stateRoot(stateTrie, crypto), withdrawals, beaconRoot, requestsHash)
    const { hash, size } = measureHeader(header)
    const sizes = (withdrawals ?? []).map((one) => rlpSize(encodeWithdrawal(one)))
    const bodySize = this.#transactions.reduce((sum, tx) => sum + sizeInBody(tx), 0)
    const block: Block = {
      header,
      hash,
      number: this.#env.number,
      timestamp: this.#env.timestamp,
      rules: this.#rules,
      transactions: this.#transactions,
      receipts: this.#receipts,
      uncles: [],
      withdrawals,
      size: blockSize(
        header,
        size,
        bodySize,
        sizes.reduce((sum, one) => sum + one, 0),
      ),
    }
    return {
      simulated: { block, calls: this.#calls, fillsGap: this.#plan.fillsGap },
      state: new Layer(this.#parent.state, changes),
      stateTrie,
    }
  }

  /** @returns why the call was refused; undefined if it was executed. A refused call has changed nothing. */
  async #call(
    call: CallFields,
    env: BlockEnv,
    pause: Yielder,
  ): Promise<TransactionRejectedError | undefined> {
    const { executor, crypto, depositContract } = this.#config
    const blockGasLeft = this.#env.gasLimit - this.#gasUsed
    const wanted = call.gas ?? blockGasLeft
    if (wanted > blockGasLeft) return new SimulatedBlockGasError(this.#gasUsed, this.#env.gasLimit)
    const tx = callToTxEnv(call, {
      nonce: call.nonce ?? this.#overlay.account(call.from ?? ZERO_ADDRESS)?.nonce ?? 0n,
      gasLimit: wanted < this.gasLeft ? wanted : this.gasLeft,
      unpriced: this.#rules.fork.london ? 2 : 0,
    })
    const hooks = new LogCapture(this.#options.traceTransfers)
    const execution = { tx, env, state: this.#overlay, checks: this.#checksOf(tx), hooks }
    const executed = whenLoaded(() => executor.execute(execution, pause), pause)
    const { outcome, overlay } = executed instanceof Promise ? await executed : executed
    if (outcome.kind === 'rejected') return outcome.error
    try {
      const deposits = this.#rules.fork.prague ? depositsOf(outcome.logs, depositContract) : NO_DEPOSITS
      if (deposits.length > 0) this.#deposits.push(deposits)
    } catch (error) {
      if (error instanceof TransactionRejectedError) return error
      throw error
    }
    overlay.merge()
    this.#include(toSimulatedTransaction(tx, this.#rules.chainId, crypto), outcome, hooks)
    return undefined
  }

  /** The checks of other calls: with `validation` also nonces and fees, without it funds only if `strict`. */
  #checksOf(tx: TxEnv): Checks {
    const { validation, strict } = this.#options
    const { senderCode, gasLimit, feeCap, blobFeeCap, funds } = callChecks(tx)
    return {
      nonce: validation,
      senderCode,
      gasLimit,
      feeCap: validation || feeCap,
      blobFeeCap: validation || blobFeeCap,
      funds: validation ? funds : strict,
    }
  }

  #include(tx: Transaction, outcome: Included, { logs, count }: LogCapture): void {
    this.gasLeft -= outcome.gasUsed
    this.#calls.push({
      kind: 'executed',
      outcome,
      logs,
      index: this.#transactions.length,
      firstLog: this.#capturedCount,
    })
    this.#capturedCount += count
    this.#transactions.push(tx)
    const receipt = toReceipt(outcome, this.#gasUsed, this.#logCount, false)
    const { byzantium } = this.#rules.fork
    this.#receipts.push(byzantium ? receipt : { ...receipt, stateRoot: this.#intermediateRoot() })
    this.#gasUsed += outcome.gasUsed
    this.#logCount += outcome.logs.length
  }

  #intermediateRoot(): Hash {
    const { crypto } = this.#config
    const trie = updateStateTrie(this.#parent.stateTrie, this.#overlay.changes(), crypto)
    return bytesToHex(stateRoot(trie, crypto))
  }

  #toHeader(
    root: Uint8Array,
    withdrawals: readonly Withdrawal[] | undefined,
    beaconRoot: Hash,
    requestsHash: Hash | undefined,
  ): Header {
    const { crypto } = this.#config
    const rootOf = (items: readonly Uint8Array[]) => bytesToHex(listRoot(items, crypto))
    const { header: parent, hash } = this.#parent.block
    return createHeader(
      {
        parentHash: hash,
        miner: this.#env.coinbase,
        stateRoot: bytesToHex(root),
        transactionsRoot: rootOf(this.#transactions.map(({ raw }) => raw)),
        ...receiptFields(this.#receipts, this.#transactions, crypto),
        difficulty: this.#env.difficulty,
        number: this.#env.number,
        gasLimit: this.#env.gasLimit,
        gasUsed: this.#gasUsed,
        timestamp: this.#env.timestamp,
        mixHash: this.#env.prevRandao,
        baseFeePerGas: this.#env.baseFee,
        withdrawalsRoot: withdrawals && rootOf(withdrawals.map((one) => encodeRlp(encodeWithdrawal(one)))),
        blobGasUsed: this.#transactions.reduce((sum, tx) => sum + blobGasOf(tx), 0n),
        excessBlobGas: this.#rules.fork.cancun ? nextExcessBlobGas(parent, this.#rules) : 0n,
        parentBeaconBlockRoot: beaconRoot,
        requestsHash,
      },
      this.#rules,
    )
  }
}

/**
 * The environment of a simulated block; does not read the clock, so that equal requests have equal answers.
 */
function toSimulatedEnv(
  rules: Rules,
  { block: parent, hashAt }: PayloadParent,
  overrides: NumberedPlan['blockOverrides'],
  { validation, nextBaseFee }: SimulationOptions,
): BlockEnv {
  const { fork } = rules
  const { header } = parent
  // Zero by default: a call without a fee would be below any other base fee.
  const baseFee = overrides.baseFeePerGas ?? (validation ? nextBaseFee(parent) : 0n)
  return {
    rules,
    number: overrides.number,
    timestamp: overrides.time,
    coinbase: overrides.feeRecipient ?? header.miner,
    gasLimit: overrides.gasLimit ?? header.gasLimit,
    baseFee: fork.london ? baseFee : 0n,
    blobBaseFee: overrides.blobBaseFee ?? nextBlobBaseFee(header, rules),
    prevRandao: overrides.prevRandao ?? ZERO_HASH,
    difficulty: fork.paris ? 0n : (overrides.difficulty ?? header.difficulty),
    blockHash: (at) => (at === parent.number ? parent.hash : hashAt(at)),
  }
}

// The logs of one call, frame by frame, as eth_simulateV1 counts them.
//
// A frame's transfer of ether precedes its logs, but the recipient of a creation is only known at its end. So the
// start of a frame reserves a place, and its end fills it.

/** The address of the logs that eth_simulateV1 adds for transfers of ether. */
export const TRANSFERS_ADDRESS: Address = `0x${'ee'.repeat(20)}`

/** keccak256 of `Transfer(address,address,uint256)`. */
const TRANSFER_TOPIC: Hash = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/** The frames that transfer their value. */
const PAYING: ReadonlySet<FrameType> = new Set<FrameType>(['CALL', 'CREATE', 'CREATE2', 'SELFDESTRUCT'])

/** A log with its index among all logs of the execution, including those of reverted frames. */
export interface CapturedLog extends Log {
  readonly index: number
}

/** Captures the logs of an execution. */
export class LogCapture implements Hooks {
  readonly logs: CapturedLog[] = []
  /** The number of logs, including those of reverted frames. */
  count = 0
  readonly #transfers: boolean
  readonly #frames = new FrameStack<{ readonly first: number; readonly paid: FrameStart | undefined }>()

  /** @param transfers - whether every transfer of ether is among them, as an ERC-20 transfer of {@link TRANSFERS_ADDRESS}. */
  constructor(transfers: boolean) {
    this.#transfers = transfers
  }

  onStart(_tx: TxEnv, _env: BlockEnv, state: StateReader): void {
    this.logs.length = 0
    this.count = 0
    this.#frames.start(state)
  }

  onLog({ address, topics, data }: Log): void {
    this.logs.push({ address, topics, data, index: this.count++ })
  }

  onEnter(frame: FrameStart): void {
    const paid = this.#transfers && frame.value > 0n && PAYING.has(frame.type)
    this.#frames.enter({ first: this.logs.length, paid: paid ? frame : undefined })
    if (paid) this.onLog(NO_LOG)
  }

  /** Removes the logs of a frame that failed, which stay counted. */
  onExit(end: FrameEnd): void {
    const { first, paid } = this.#frames.exit(end)
    if (end.error !== undefined) {
      this.logs.length = first
    } else if (paid !== undefined) {
      const { from, to, value } = paid
      this.logs[first] = { ...transferLog(from, to ?? end.created!, value), index: this.logs[first]!.index }
    }
  }
}

const NO_LOG: Log = { address: TRANSFERS_ADDRESS, topics: [], data: '0x' }

function transferLog(from: Address, to: Address, value: bigint): Log {
  return {
    address: TRANSFERS_ADDRESS,
    topics: [TRANSFER_TOPIC, hexToWord(from), hexToWord(to)],
    data: toWord(value),
  }
}
