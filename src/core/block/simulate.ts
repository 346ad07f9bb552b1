/**
 * Simulated blocks on top of a block, as for eth_simulateV1: whole blocks of calls, with real roots and hashes.
 *
 *   plan    the requested blocks, with empty ones in the gaps
 *   each    state overrides ─► start of the block ─► calls ─► requests, withdrawals, reward ─► header
 *
 * Nothing is kept after the answer: the state of each block is a layer over the state of the block before.
 */

import type { Yielder } from '../../base/yielder.ts'
import type { Block } from '../../ethereum/block.ts'
import {
  BlockNumberOrderError,
  BlockTimestampOrderError,
  EmptySimulationError,
  TooManySimulatedBlocksError,
} from './errors.ts'
import type { PayloadConfig, PayloadParent } from './payload.ts'
import {
  type NumberedPlan,
  type SimulatedBlock,
  type SimulatedBlockPlan,
  Simulation,
  type SimulationOptions,
} from './simulatedBlock.ts'

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
