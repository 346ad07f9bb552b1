import type { ParityTrace } from '../../core/trace/shapes.ts'
import { defineMethod } from '../method.ts'
import { blockParameter } from '../params/block.ts'
import { createTraceContext, loadParityTracer, traceBlock } from '../traces.ts'

/**
 * Returns the traces of a block's transactions in Parity's format, or null if there is no such block.
 *
 * @throws StateUnavailableError, TraceTooLargeError
 * @group Tracing
 * @example ["latest"]
 */
export const trace_block = defineMethod({
  class: 'debug',
  onFork: { reads: 'block', answer: 'parityTraces' },
  params: [blockParameter],
  handler: async (context, reference) => {
    const view = await context.viewed.find(reference)
    if (view === undefined) return null
    const { createTransactionTracer } = await loadParityTracer()
    const tracing = createTraceContext(context.read)
    const begin = () => createTransactionTracer(tracing)
    const traces: ParityTrace[] = []
    for await (const { trace } of traceBlock(context, view, begin)) {
      for (const frame of trace) traces.push(frame)
    }
    return traces
  },
})
