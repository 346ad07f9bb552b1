/** callTracer: go-ethereum's tree of calls. */

import type { Included } from '../evm/executor.ts'
import { bytesToHex, quantity } from '../primitives/bytes.ts'
import { type CallNode, CallTree } from './callTree.ts'
import { toRevertReason } from './revertReason.ts'
import type { CallTrace } from './shapes.ts'
import type { TraceContext, TraceRun } from './tracer.ts'

/** Options of callTracer. */
export interface CallTracerConfig {
  /** Whether the calls of the outermost frame are left out; false. */
  readonly onlyTopCall?: boolean
  /** Whether logs are shown; false. */
  readonly withLog?: boolean
}

/** A run of callTracer. */
export function createCallTracer(config: CallTracerConfig, context: TraceContext): TraceRun<CallTrace> {
  const tree = new CallTree(context)
  return {
    hooks: { tracer: tree },
    result: (tx, { gasUsed }: Included) => ({
      ...toCallTrace(tree.root, config, true),
      // The transaction as a whole, as its sender sees it.
      gas: quantity(tx.gasLimit),
      gasUsed: quantity(gasUsed),
    }),
  }
}

/** @param stands - whether the frames around it, as far as they have ended, did not fail. */
function toCallTrace(node: CallNode, config: CallTracerConfig, stands: boolean): CallTrace {
  const { type, from, input, value, gas, gasUsed, output, error, calls, logs } = node
  const isCreation = type === 'CREATE' || type === 'CREATE2'
  const to = isCreation ? node.created : node.to
  const reverted = error === 'execution reverted'
  const reason = reverted ? toRevertReason(output) : undefined
  const logsStand = stands && error === undefined
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
      !config.onlyTopCall && { calls: calls.map((call) => toCallTrace(call, config, logsStand)) }),
    ...(config.withLog &&
      logsStand &&
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
