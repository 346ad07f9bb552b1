/** Blocks as traces need them: executed again, whichever of the chain's blocks they are. */

import type { Hash } from '../primitives/types.ts'
import { createYielder } from '../primitives/yielder.ts'
import type { Reexecution } from '../trace/reexecution.ts'
import type { TransactionTrace } from '../trace/shapes.ts'
import { createTraceBudget, type TraceContext, type TraceRun } from '../trace/tracer.ts'
import type { TraceOptions } from '../trace/tracers.ts'
import type { BlockReference } from '../view/blockReference.ts'
import type { BlockView } from '../view/blockView.ts'
import { GenesisNotTraceableError } from './errors.ts'
import type { ReadContext, RpcContext } from './method.ts'

/** The tracers of go-ethereum, and Parity's, loaded with the first trace. */
export const loadTracers = () => import('../trace/tracers.ts')
export const loadParityTracer = () => import('../trace/parity.ts')

/** What the tracers of one request work with; what they count adds up. */
export function createTraceContext({ crypto, limits, clock }: RpcContext['read']): TraceContext {
  return { crypto, spend: createTraceBudget(limits.traceMemory), pause: createYielder(clock) }
}

/** A block to be executed again. @throws StateUnavailableError if its parent is older than the history. */
export function reexecute({ viewed, read }: ReadContext, view: BlockView): Reexecution {
  return read.reexecutions.of(view.block, viewed.contextOf(view.block), viewed.stateBefore(view))
}

/** The trace of one transaction; undefined if it is in no block that this endpoint shows. */
export async function traceTransaction<Result>(
  asked: ReadContext,
  hash: Hash,
  begin: () => TraceRun<Result>,
): Promise<Result | undefined> {
  const { viewed } = asked
  const place = viewed.findTransaction(hash)
  if (place === undefined) return undefined
  const view = await viewed.require({ kind: 'hash', hash: place.block.hash, requireCanonical: false })
  return traceAt(reexecute(asked, view), view, place.index, begin())
}

/**
 * The traces of a block's transactions in go-ethereum's shape.
 *
 * @throws HeaderNotFoundError, UnknownTracerError; GenesisNotTraceableError if the dialect refuses genesis.
 */
export async function debugTraceBlock(
  context: ReadContext & Pick<RpcContext, 'dialect'>,
  reference: BlockReference,
  options: TraceOptions = {},
): Promise<TransactionTrace[]> {
  const { createTraceRun } = await loadTracers()
  const tracing = createTraceContext(context.read)
  const begin = () => createTraceRun(options, tracing)
  // A tracer there is not is told of whatever is in the block.
  begin()
  const view = await context.viewed.require(reference)
  if (view.block.number === 0n && !context.dialect.tracesGenesis) throw new GenesisNotTraceableError()
  const traces: TransactionTrace[] = []
  for await (const { hash, trace } of traceBlock(context, view, begin))
    traces.push({ txHash: hash, result: trace })
  return traces
}

/**
 * The traces of a block's transactions, one after the other.
 *
 * @param pause - yields between transactions; shared by the blocks of a request that asks for several.
 */
export async function* traceBlock<Result>(
  asked: ReadContext,
  view: BlockView,
  begin: () => TraceRun<Result>,
  pause = createYielder(asked.read.clock),
): AsyncGenerator<{ readonly hash: Hash; readonly trace: Result }> {
  const { transactions } = view.block
  // One without transactions has nothing to be executed, and genesis has no parent to execute it on.
  if (transactions.length === 0) return
  const reexecution = reexecute(asked, view)
  for (const [index, { hash }] of transactions.entries()) {
    yield { hash, trace: await traceAt(reexecution, view, index, begin()) }
    await pause()
  }
}

async function traceAt<Result>(
  reexecution: Reexecution,
  { block }: BlockView,
  index: number,
  run: TraceRun<Result>,
): Promise<Result> {
  const outcome = await reexecution.run(index, run.hooks)
  return run.result(block.transactions[index]!, outcome, { block, index })
}
