/**
 * Simulated blocks on top of a block, as for eth_simulateV1: whole blocks of calls, with real roots and hashes.
 *
 *   plan    the requested blocks, with empty ones in the gaps
 *   each    state overrides ─► a block of the calls that may be executed
 *
 * Nothing is kept after the answer: the state of each block is a layer over the state of the block before.
 */

import { hexToWord, toWord, ZERO_ADDRESS, ZERO_HASH } from '../../base/bytes.ts'
import type { TransactionRejectedError } from '../../base/errors.ts'
import type { Address, Hash, MaybePromise } from '../../base/types.ts'
import type { Yielder } from '../../base/waiting.ts'
import type { Block, Log } from '../../ethereum/block.ts'
import { type CallFields, callChecks, callToTxEnv } from '../../ethereum/evm/call.ts'
import type {
  BlockEnv,
  Checks,
  FrameEnd,
  FrameStart,
  FrameType,
  Hooks,
  Included,
  Rejected,
} from '../../ethereum/evm/executor.ts'
import { FrameStack } from '../../ethereum/evm/hooks.ts'
import { type BlockOverrides, movePrecompiles, type StateOverrides } from '../../ethereum/evm/overrides.ts'
import { precompilesOf } from '../../ethereum/evm/precompiles.ts'
import { toSimulatedTransaction } from '../../ethereum/evm/transactionEncoding.ts'
import { nextBlobBaseFee } from '../../ethereum/header.ts'
import type { StateReader } from '../../ethereum/state/account.ts'
import { applyPatch } from '../../ethereum/state/patch.ts'
import type { TxEnv } from '../../ethereum/transaction.ts'
import { hashesUpTo, type PayloadAttributes } from './attributes.ts'
import { BlockBuilder } from './blockBuilder.ts'
import {
  BlockNumberOrderError,
  BlockTimestampOrderError,
  EarlyWithdrawalsError,
  EmptySimulationError,
  SimulatedBlockGasError,
  TooManySimulatedBlocksError,
} from './errors.ts'
import { openBlock, type PayloadConfig, type PayloadParent, type PayloadStart } from './payload.ts'

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
  for (const numbered of fillGaps(plans, base.block, options.maxBlocks)) {
    const { plan } = numbered
    const builder = new BlockBuilder(config, openSimulated(config, parent, numbered, options), pause)
    const calls = await runCalls(builder, config, plan, options, gasLeft)
    const payload = await builder.end(0, { withdrawals: plan.blockOverrides?.withdrawals })
    await payload.commitment.prepare(pause)
    const { block, state, commitment } = payload
    await pause()
    results.push({ block, calls, fillsGap: plan === GAP })
    gasLeft -= block.header.gasUsed
    parent = { block, state, stateTrie: commitment.stateTrie, hashAt: hashesUpTo(parent) }
  }
  return results
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
  let last: NumberedPlan = { number: base.number, time: base.timestamp, plan: GAP }
  for (const plan of plans) {
    const number = plan.blockOverrides?.number ?? last.number + 1n
    if (number <= last.number) throw new BlockNumberOrderError(number, last.number)
    if (number - base.number > BigInt(maxBlocks)) throw new TooManySimulatedBlocksError()
    while (last.number + 1n < number) {
      last = { number: last.number + 1n, time: timeAfter(last.time), plan: GAP }
      filled.push(last)
    }
    last = { number, time: timeAfter(last.time, plan.blockOverrides?.time), plan }
    filled.push(last)
  }
  return filled
}

/** One block to simulate; its calls see the overrides, and the state after the blocks before it. */
export interface SimulatedBlockPlan {
  readonly calls?: readonly CallFields[]
  readonly stateOverrides?: StateOverrides
  readonly blockOverrides?: BlockOverrides
}

/** The plan of a block that only fills a gap between the numbers of others. */
const GAP: SimulatedBlockPlan = {}

/** A block to simulate with its number and time, which apply in place of the overrides. */
interface NumberedPlan {
  readonly number: bigint
  /** Unix time in seconds. */
  readonly time: bigint
  readonly plan: SimulatedBlockPlan
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

/**
 * Executes the calls of a block, and adds those that may be executed.
 *
 * @param gasLeft - the gas that the calls of this block and of later ones may use.
 */
async function runCalls(
  builder: BlockBuilder,
  { crypto }: PayloadConfig,
  { stateOverrides, calls = [] }: SimulatedBlockPlan,
  options: SimulationOptions,
  gasLeft: bigint,
): Promise<(ExecutedCall | RefusedCall)[]> {
  const { traceTransfers, strict } = options
  const { rules, gasLimit } = builder.env
  if (stateOverrides !== undefined) applyPatch(builder.state, stateOverrides, crypto)
  await builder.begin()

  let left = gasLeft
  let firstLog = 0
  const runCall = (
    call: CallFields,
    capture: LogCapture,
  ): MaybePromise<Included | Pick<Rejected, 'kind' | 'error'>> => {
    const { gas = builder.gasLeft } = call
    if (gas > builder.gasLeft) {
      return { kind: 'rejected', error: new SimulatedBlockGasError(gasLimit - builder.gasLeft, gasLimit) }
    }
    const tx = callToTxEnv(call, {
      nonce: call.nonce ?? builder.state.account(call.from ?? ZERO_ADDRESS)?.nonce ?? 0n,
      gasLimit: gas < left ? gas : left,
      unpriced: rules.fork.london ? 2 : 0,
    })
    const transaction = toSimulatedTransaction(tx, rules.chainId, crypto)
    return builder.add(transaction, checksOf(tx, options), capture)
  }
  const results: (ExecutedCall | RefusedCall)[] = []
  for (const call of calls) {
    const index = builder.size
    const capture = new LogCapture(traceTransfers)
    const run = runCall(call, capture)
    const outcome = run instanceof Promise ? await run : run
    const wait = builder.pause()
    if (wait) await wait
    if (outcome.kind === 'rejected') {
      if (strict) throw outcome.error
      results.push({ kind: 'refused', error: outcome.error })
      continue
    }
    results.push({ kind: 'executed', outcome, logs: capture.logs, index, firstLog })
    left -= outcome.gasUsed
    firstLog += capture.count
  }
  return results
}

/** The checks of other calls: with `validation` also nonces and fees, without it funds only if `strict`. */
function checksOf(tx: TxEnv, { validation, strict }: SimulationOptions): Checks {
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

/** The start of a simulated block; does not read the clock, so that equal requests have equal answers. */
function openSimulated(
  config: PayloadConfig,
  parent: PayloadParent,
  { number, time, plan: { blockOverrides: overrides = {}, stateOverrides } }: NumberedPlan,
  { chainId, validation, strict, nextBaseFee }: SimulationOptions,
): PayloadStart {
  const { header } = parent.block
  const rules = config.rules.withChainId(chainId).at(number, time, header.difficulty)
  const { fork } = rules
  if (!fork.shanghai && overrides.withdrawals?.length) throw new EarlyWithdrawalsError()
  // Zero by default: a call without a fee would be below any other base fee.
  const baseFee = overrides.baseFeePerGas ?? (validation ? nextBaseFee(parent.block) : 0n)
  const attributes: PayloadAttributes = {
    chainId,
    timestamp: time,
    coinbase: overrides.feeRecipient ?? header.miner,
    gasLimit: overrides.gasLimit ?? header.gasLimit,
    baseFee: fork.london ? baseFee : 0n,
    prevRandao: overrides.prevRandao ?? ZERO_HASH,
    beaconRoot: overrides.beaconRoot ?? ZERO_HASH,
    extraData: '0x',
  }
  const movedPrecompiles = stateOverrides && movePrecompiles(stateOverrides, precompilesOf(fork), strict)
  // Listed field by field: a spread takes as long as a call.
  const env: BlockEnv = {
    rules,
    number,
    timestamp: time,
    coinbase: attributes.coinbase,
    gasLimit: attributes.gasLimit,
    baseFee: attributes.baseFee,
    blobBaseFee: overrides.blobBaseFee ?? nextBlobBaseFee(header, rules),
    prevRandao: attributes.prevRandao,
    difficulty: fork.paris ? 0n : (overrides.difficulty ?? header.difficulty),
    movedPrecompiles,
    blockHash: hashesUpTo(parent),
  }
  return openBlock(config, parent, attributes, env)
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
