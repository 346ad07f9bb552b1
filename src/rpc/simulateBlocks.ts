/** eth_simulateV1, in a lazy chunk. */

import { bytesToHex, quantity } from '../base/bytes.ts'
import { TransactionRejectedError } from '../base/errors.ts'
import type { SimulatedRpcBlock, SimulatedRpcCall } from '../base/rpcTypes.ts'
import { type SimulatedBlock, simulate } from '../core/block/simulate.ts'
import { placeLog } from '../core/ledger/logIndex.ts'
import type { BlockReference } from '../core/view/sources.ts'
import type { Block } from '../ethereum/block.ts'
import type { DialectRules } from './dialect.ts'
import { SimulatedCallRefusedError } from './errors.ts'
import { toBlockFields, toFullRpcBlock, toRpcBlock, toRpcLog } from './format/format.ts'
import { createPause, type RpcContext } from './method.ts'
import type { SimulationPayload } from './params/callObject.ts'
import { checkChainId } from './prepareCall.ts'

/** Simulates blocks of calls on top of a block. @throws as eth_simulateV1 does */
export async function simulateBlocks(
  { viewed, read, dialect, closed }: RpcContext,
  payload: SimulationPayload,
  reference: BlockReference | undefined,
): Promise<SimulatedRpcBlock[]> {
  const { blockStateCalls, traceTransfers = false, validation = false } = payload
  const { refusals, showsGaps } = dialect.simulation
  const { chainId, ...base } = await viewed.requireParent(reference)
  const { limits } = read
  for (const [i, { calls = [] }] of blockStateCalls.entries()) {
    for (const [j, call] of calls.entries()) {
      checkChainId(call, read.chainId, `0.blockStateCalls[${i}].calls[${j}]`)
    }
  }
  const options = {
    chainId,
    validation,
    traceTransfers,
    strict: refusals !== undefined,
    gasCap: limits.gasCap,
    maxBlocks: limits.simulateBlocks,
    nextBaseFee: (parent: Block) => viewed.nextBaseFee(parent),
  }
  const pause = createPause({ read, closed })
  const blocks = await simulate(viewed.tip.base.config, base, blockStateCalls, options, pause).catch(
    (error) => {
      if (!(error instanceof TransactionRejectedError)) throw error
      throw new SimulatedCallRefusedError(refusals?.get(error.constructor) ?? error.code, error.message)
    },
  )
  const shape = payload.returnFullTransactions ? toFullRpcBlock : toRpcBlock
  const shown = blocks.filter(({ fillsGap }) => showsGaps || !fillsGap)
  const result: SimulatedRpcBlock[] = []
  for (const simulated of shown) {
    result.push(Object.assign(shape(simulated.block, dialect), { calls: toCalls(simulated, dialect) }))
    await pause()
  }
  return result
}

function toCalls({ block, calls }: SimulatedBlock, { simulation }: DialectRules): SimulatedRpcCall[] {
  const shared = toBlockFields(block)
  return calls.map((call): SimulatedRpcCall => {
    if (call.kind === 'refused') {
      const { returnData, error } = simulation.failure(call.error.message, '0x')
      return { returnData, logs: [], gasUsed: '0x0', maxUsedGas: '0x0', status: '0x0', error }
    }
    const { outcome, index, firstLog, logs: captured } = call
    const gasUsed = quantity(outcome.gasUsed)
    const maxUsedGas = quantity(outcome.peakGas)
    const returnData = bytesToHex(outcome.output)
    if (!outcome.succeeded) {
      const failure = simulation.failure(outcome.error!, returnData)
      return { logs: [], gasUsed, maxUsedGas, status: '0x0', ...failure }
    }
    const logs = captured.map((log) =>
      toRpcLog(placeLog(log, block, index, firstLog + log.index), false, shared),
    )
    return { returnData, logs, gasUsed, maxUsedGas, status: '0x1' }
  })
}
