/** callTracer: go-ethereum's tree of calls. */

import { bytesToHex, quantity } from '../../base/bytes.ts'
import type { Included } from '../../ethereum/evm/executor.ts'
import { type CallNode, CallTree } from './callTree.ts'
import { toRevertReason } from './revertReason.ts'
import type { CallTrace } from './shapes.ts'
import type { TraceContext, TraceRun } from './tracer.ts'

/** Options of callTracer. */
export interface CallTracerConfig {
  /** Whether the calls of the outermost frame are omitted; by default false. */
  readonly onlyTopCall?: boolean
  /** Whether logs are shown; by default false. */
  readonly withLog?: boolean
}

/** Creates a run of callTracer. */
export function createCallTracer(config: CallTracerConfig, context: TraceContext): TraceRun<CallTrace> {
  const tree = new CallTree(context)
  return {
    hooks: { tracer: tree },
    result: (tx, { gasUsed }: Included) => ({
      ...toCallTrace(tree.root, config, true),
      // The gas of the whole transaction, including its intrinsic gas.
      gas: quantity(tx.gasLimit),
      gasUsed: quantity(gasUsed),
    }),
  }
}

/** @param succeeded - whether none of the frames around it failed. */
function toCallTrace(node: CallNode, config: CallTracerConfig, succeeded: boolean): CallTrace {
  const { type, from, input, value, gas, gasUsed, output, error, calls, logs } = node
  const isCreation = type === 'CREATE' || type === 'CREATE2'
  const to = isCreation ? node.created : node.to
  const reverted = error === 'execution reverted'
  const reason = reverted ? toRevertReason(output) : undefined
  const keepsLogs = succeeded && error === undefined
  return {
    type,
    from,
    ...(to !== undefined && !(isCreation && error !== undefined) && { to }),
    ...(type !== 'STATICCALL' && { value: quantity(value) }),
    gas: quantity(gas),
    gasUsed: quantity(gasUsed),
    input: bytesToHex(input),
    ...(output.length > 0 && (error === undefined || reverted) && { output: bytesToHex(output) }),
    ...(error !== undefined && { error }),
    ...(reason !== undefined && { revertReason: reason }),
    ...(calls.length > 0 &&
      !config.onlyTopCall && { calls: calls.map((call) => toCallTrace(call, config, keepsLogs)) }),
    ...(config.withLog &&
      keepsLogs &&
      logs.length > 0 && {
        logs: logs.map(({ address, topics, data, index, position }) => ({
          address,
          topics: [...topics],
          data,
          index: quantity(index),
          position: quantity(position),
        })),
      }),
  }
}
