import { optional } from '../../base/schema.ts'
import { defineMethod } from '../method.ts'
import { blockParameter } from '../params/block.ts'
import { simulationPayload } from '../params/callObject.ts'

// Cached: each import() takes as long as a simulated call.
let simulateBlocks: typeof import('../simulateBlocks.ts').simulateBlocks | undefined

/**
 * Simulates blocks of calls on top of a block and returns the simulated blocks (spec.md §2.7; execution-apis). On
 * preconf, `pending` continues from the newest preconf block.
 *
 * @throws HeaderNotFoundError, StateUnavailableError
 * @throws EmptySimulationError, TooManySimulatedBlocksError, BlockNumberOrderError, BlockTimestampOrderError,
 *   EarlyWithdrawalsError, NotPrecompileError, PrecompileMovedToItselfError, PrecompileMovedTwiceError,
 *   PrecompileTargetOverriddenError
 * @throws SimulatedCallRefusedError in the `geth` dialect, for a call that cannot be executed
 * @group State and calls
 * @views in the `geth` dialect only | `pending` follows the preconf block
 * @example [{ "blockStateCalls": [{ "calls": [{ "from": "$alice", "to": "$bob" }] }] }, "latest"]
 */
export const eth_simulateV1 = defineMethod({
  class: 'node',
  onFork: { reads: 'state', answer: 'objects' },
  // spec.md §4.2 defines it for preconf only.
  standardDialects: ['geth'],
  params: [simulationPayload, optional(blockParameter)],
  handler: async (context, payload, block) => {
    simulateBlocks ??= (await import('../simulateBlocks.ts')).simulateBlocks
    return simulateBlocks(context, payload, block)
  },
})
