import type { ValueOf } from '../../base/schema.ts'
import type { Address } from '../../base/types.ts'
import type { ParityTrace } from '../../core/trace/shapes.ts'
import { createPause, defineMethod } from '../method.ts'
import { traceFilter } from '../params/trace.ts'
import { createTraceContext, loadParityTracer, traceBlock, traceRange } from '../traces.ts'

/**
 * Returns the traces in a range of blocks (default: the whole sealed chain) from or to given addresses, in Parity's
 * format. Skips the first `after` matches and returns at most `count`. If senders and receivers are given, a trace must
 * match one of the two, or with `mode` `'intersection'` both.
 *
 * @throws InvalidBlockRangeError, BlockRangeTooLargeError, TraceTooLargeError, StateUnavailableError
 * @group Tracing
 * @views sealed blocks | sealed blocks, and `pending` is the preconf block
 * @example [{}]
 */
export const trace_filter = defineMethod({
  class: 'debug',
  onFork: { reads: 'range', answer: 'reader' },
  params: [traceFilter],
  handler: async (context, filter) => {
    const { viewed, read } = context
    const { after = 0, count = Number.POSITIVE_INFINITY } = filter
    const found: ParityTrace[] = []
    const range = traceRange(context, filter)
    if (range === undefined) return found
    const matches = toMatcher(filter)
    const { createTransactionTracer, sizeOfFrame } = await loadParityTracer()
    const { spend } = createTraceContext(read)
    const pause = createPause(context)
    // Each transaction has its own budget, since frames that do not match are discarded.
    const begin = () => createTransactionTracer(createTraceContext(read))
    let matched = 0
    for (let number = range.from; number <= range.to; number++) {
      const view = await viewed.find({ kind: 'number', number })
      if (view === undefined) continue
      for await (const { trace } of traceBlock(context, view, begin, pause)) {
        for (const frame of trace.filter(matches)) {
          if (found.length >= count) return found
          matched += 1
          if (matched <= after) continue
          spend(sizeOfFrame(frame))
          found.push(frame)
        }
      }
    }
    return found
  },
})

function toMatcher({
  fromAddress = [],
  toAddress = [],
  mode = 'union',
}: ValueOf<typeof traceFilter>): (trace: ParityTrace) => boolean {
  const [senders, receivers] = [new Set(fromAddress), new Set(toAddress)]
  if (senders.size === 0 && receivers.size === 0) return () => true
  return (trace) => {
    const [from, to] = endsOf(trace)
    const [sent, received] = [senders.has(from), to !== undefined && receivers.has(to)]
    if (senders.size === 0 || receivers.size === 0 || mode === 'union') return sent || received
    return sent && received
  }
}

/**
 * Returns the sender and the receiver of a frame. A creation is received by the contract, a SELFDESTRUCT by the
 * beneficiary.
 */
function endsOf({ action, result, error }: ParityTrace): [from: Address, to: Address | undefined] {
  if ('refundAddress' in action) return [action.address, action.refundAddress]
  if ('to' in action) return [action.from, action.to]
  const created = error === undefined && result !== null && 'address' in result ? result.address : undefined
  return [action.from, created]
}
