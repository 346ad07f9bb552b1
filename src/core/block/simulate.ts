/** Simulates blocks of calls for `eth_simulateV1`. The state of each is a layer over the state before it. */

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

/** How many seconds a simulated block is later than its parent if no time is given. As in go-ethereum. */
const BLOCK_TIME = 12n

/**
 * Simulates blocks on top of `base`.
 *
 * @param pause - called during each call, and after each call and each block.
 * @throws EmptySimulationError, TooManySimulatedBlocksError, BlockNumberOrderError, BlockTimestampOrderError,
 *   EarlyWithdrawalsError, and the errors of `movePrecompiles`.
 * @throws TransactionRejectedError if `strict`, for the first refused call.
 */
export async function simulate(
  config: PayloadConfig,
  base: PayloadParent,
  plans: readonly SimulatedBlockPlan[],
  options: SimulationOptions,
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

/** Returns the time of a block after the time `last`. The default wraps at 64 bits. @throws BlockTimestampOrderError */
function timeAfter(last: bigint, time = BigInt.asUintN(64, last + BLOCK_TIME)): bigint {
  if (time <= last) throw new BlockTimestampOrderError(time, last)
  return time
}

/** Returns the blocks with numbers and times, and with empty blocks in the gaps between the numbers. */
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

/** A block to simulate. Its calls see the overrides and the state after earlier blocks. */
interface SimulatedBlockPlan {
  readonly calls?: readonly CallFields[]
  readonly stateOverrides?: StateOverrides
  readonly blockOverrides?: BlockOverrides
}

/** The plan of a block that only fills a gap between numbers. */
const GAP: SimulatedBlockPlan = {}

/** A planned block with its number and time, which replace the ones in the overrides. */
interface NumberedPlan {
  readonly number: bigint
  /** Unix time in seconds. */
  readonly time: bigint
  readonly plan: SimulatedBlockPlan
}

interface SimulationOptions {
  readonly chainId: bigint
  /** How much gas all calls together may use. */
  readonly gasCap: bigint
  /** How many blocks may be simulated, counting the blocks that fill gaps. */
  readonly maxBlocks: number
  /** Check nonces, funds and fees as for transactions. */
  readonly validation: boolean
  readonly traceTransfers: boolean
  /** Check funds even without `validation`, and throw at the first refused call. */
  readonly strict: boolean
  /** Returns the base fee of the next block, in wei per gas. */
  nextBaseFee(parent: Block): bigint
}

interface ExecutedCall {
  readonly kind: 'executed'
  readonly outcome: Included
  /** Logs of the call, with ether transfers if they are traced. */
  readonly logs: readonly CapturedLog[]
  /** The index among the transactions of the block. */
  readonly index: number
  /** The number of logs captured earlier in the block. */
  readonly firstLog: number
}

interface RefusedCall {
  readonly kind: 'refused'
  readonly error: TransactionRejectedError
}

/** A simulated block with the results of its calls. */
export interface SimulatedBlock {
  readonly block: Block
  readonly calls: readonly (ExecutedCall | RefusedCall)[]
  readonly fillsGap: boolean
}

/** Adds the calls that may be executed. @param gasLeft - for the calls of this block and of all later ones. */
async function runCalls(
  builder: BlockBuilder,
  { crypto }: PayloadConfig,
  { stateOverrides, calls = [] }: SimulatedBlockPlan,
  options: SimulationOptions,
  gasLeft: bigint,
): Promise<(ExecutedCall | RefusedCall)[]> {
  const { rules, gasLimit } = builder.env
  if (stateOverrides !== undefined) applyPatch(builder.state, stateOverrides, crypto)
  await builder.begin()

  let left = gasLeft
  let firstLog = 0
  const runCall = (call: CallFields, capture: LogCapture): MaybePromise<Included | Rejected> => {
    const { gas = builder.gasLeft } = call
    if (gas > builder.gasLeft) {
      const error = new SimulatedBlockGasError(gasLimit - builder.gasLeft, gasLimit)
      return { kind: 'rejected', error, retryable: false }
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
    const capture = new LogCapture(options.traceTransfers)
    const run = runCall(call, capture)
    const outcome = run instanceof Promise ? await run : run
    const wait = builder.pause()
    if (wait) await wait
    if (outcome.kind === 'rejected') {
      if (options.strict) throw outcome.error
      results.push({ kind: 'refused', error: outcome.error })
      continue
    }
    results.push({ kind: 'executed', outcome, logs: capture.logs, index, firstLog })
    left -= outcome.gasUsed
    firstLog += capture.count
  }
  return results
}

/** Adds to the checks of a call: with `validation`, nonces, fees and funds; with `strict`, at least funds. */
function checksOf(tx: TxEnv, { validation, strict }: SimulationOptions): Checks {
  const checks = callChecks(tx)
  return {
    ...checks,
    nonce: validation,
    feeCap: validation || checks.feeCap,
    blobFeeCap: validation || checks.blobFeeCap,
    funds: validation || strict,
    extraFees: validation || checks.extraFees,
  }
}

/** Opens a simulated block. Does not read the clock, so that equal requests have equal answers. */
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
  // Zero without `validation`: with a higher base fee, a call without a fee would be refused.
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
  // Listed field by field: a spread would take as long as a call.
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

/** The address of logs that `eth_simulateV1` adds for ether transfers. */
export const TRANSFERS_ADDRESS: Address = `0x${'ee'.repeat(20)}`

/** keccak256 of `Transfer(address,address,uint256)`. */
const TRANSFER_TOPIC: Hash = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/** Frames that transfer their value. */
const PAYING: ReadonlySet<FrameType> = new Set<FrameType>(['CALL', 'CREATE', 'CREATE2', 'SELFDESTRUCT'])

/** A log with its index among all logs of the execution, including logs of reverted frames. */
export interface CapturedLog extends Log {
  readonly index: number
}

/**
 * Captures the logs of a call, counted frame by frame as `eth_simulateV1` does. A frame's ether transfer precedes the
 * frame's logs, but the recipient of a creation is known only at its end, so the place of the transfer is reserved.
 */
export class LogCapture implements Hooks {
  readonly logs: CapturedLog[] = []
  /** The number of logs, including logs of reverted frames. */
  count = 0
  readonly #transfers: boolean
  readonly #frames = new FrameStack<{ readonly first: number; readonly paid: FrameStart | undefined }>()

  /** @param transfers - whether to log each ether transfer as an ERC-20 transfer of {@link TRANSFERS_ADDRESS}. */
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

  /** Removes the logs of a failed frame, which stay counted. */
  onExit(end: FrameEnd): void {
    const { first, paid } = this.#frames.exit(end)
    if (end.error !== undefined) {
      this.logs.length = first
    } else if (paid !== undefined) {
      const topics = [TRANSFER_TOPIC, hexToWord(paid.from), hexToWord(paid.to ?? end.created!)]
      const { index } = this.logs[first]!
      this.logs[first] = { address: TRANSFERS_ADDRESS, topics, data: toWord(paid.value), index }
    }
  }
}

const NO_LOG: Log = { address: TRANSFERS_ADDRESS, topics: [], data: '0x' }
