import type { ValueOf } from '../../primitives/schema.ts'
import type { Address } from '../../primitives/types.ts'
import type { ParityTrace } from '../../trace/shapes.ts'
import { BlockRangeTooLargeError } from '../errors.ts'
import { method } from '../method.ts'
import { traceFilter } from '../params/trace.ts'
import { createTraceContext, loadParityTracer, traceBlock } from '../traces.ts'

/**
 * The frames in a range of blocks, by default all that are sealed, that come from or go to some addresses, in Parity's
 * shape: `count` of them after the first `after`. Given both kinds of address, `mode` tells whether one of them is
 * enough ('union', the default).
 *
 * @throws InvalidBlockRangeError, BlockRangeTooLargeError, TraceTooLargeError, StateUnavailableError
 */
export const trace_filter = method([traceFilter], async (context, filter) => {
  const { viewed, read } = context
  const { after = 0, count = Number.POSITIVE_INFINITY } = filter
  const found: ParityTrace[] = []
  const range = viewed.logRange(filter.fromBlock ?? EARLIEST, filter.toBlock ?? LATEST)
  if (range === undefined) return found
  const last = range.pending ? range.to + 1n : range.to
  const limit = read.limits.traceBlockRange
  const blocks = last - range.from + 1n
  if (blocks > BigInt(limit)) throw new BlockRangeTooLargeError(blocks, limit)
  const matches = toMatcher(filter)
  const { createTransactionTracer, sizeOfFrame } = await loadParityTracer()
  const { pause, spend } = createTraceContext(read)
  // Each transaction has the whole limit for itself: what is not looked for is let go of.
  const begin = () => createTransactionTracer(createTraceContext(read))
  let passed = 0
  for (let number = range.from; number <= last; number++) {
    const view = await viewed.find({ kind: 'number', number })
    if (view === undefined) continue
    for await (const { trace } of traceBlock(context, view, begin, pause)) {
      for (const frame of trace.filter(matches)) {
        if (found.length >= count) return found
        passed += 1
        if (passed <= after) continue
        spend(sizeOfFrame(frame))
        found.push(frame)
      }
    }
  }
  return found
})

const EARLIEST = { kind: 'tag', tag: 'earliest' } as const
const LATEST = { kind: 'tag', tag: 'latest' } as const

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

/** Whom a frame comes from, and whom it goes to: a created contract, or the heir of one that destroyed itself. */
function endsOf({ action, result, error }: ParityTrace): [from: Address, to: Address | undefined] {
  if ('refundAddress' in action) return [action.address, action.refundAddress]
  if ('to' in action) return [action.from, action.to]
  const created = error === undefined && result !== null && 'address' in result ? result.address : undefined
  return [action.from, created]
}
