/** Traces transactions and blocks by executing blocks again. */

import type { ValueOf } from '../base/schema.ts'
import type { Hash } from '../base/types.ts'
import type { Yielder } from '../base/waiting.ts'
import type { ExecutedBlock, Reexecution } from '../core/trace/reexecution.ts'
import type { DebugTrace, ParityTrace, TransactionTrace } from '../core/trace/shapes.ts'
import { createTraceBudget, type TraceContext, type TracePlace, type TraceRun } from '../core/trace/tracer.ts'
import type { TraceOptions } from '../core/trace/tracers.ts'
import type { BlockView } from '../core/view/blockView.ts'
import type { BlockReference } from '../core/view/sources.ts'
import { BlockRangeTooLargeError, GenesisNotTraceableError } from './errors.ts'
import { createPause, type ReadContext, type RpcContext } from './method.ts'
import type { traceFilter } from './params/trace.ts'

/** Imports the tracers of debug methods, which most chains never use. */
export const loadTracers = () => import('../core/trace/tracers.ts')

/** Imports the tracer in Parity's format, which most chains never use. */
export const loadParityTracer = () => import('../core/trace/callTree.ts')

/** Creates the context of one request's tracers, which share a memory budget. */
export function createTraceContext({ crypto, limits }: RpcContext['read']): TraceContext {
  return { crypto, spend: createTraceBudget(limits.traceMemory) }
}

const EARLIEST = { kind: 'tag', tag: 'earliest' } as const
const LATEST = { kind: 'tag', tag: 'latest' } as const

/** Returns the block range of a trace filter; undefined if it can contain no block. @throws as trace_filter does */
export function traceRange(
  { viewed, read }: ReadContext,
  { fromBlock = EARLIEST, toBlock = LATEST }: ValueOf<typeof traceFilter>,
): { readonly from: bigint; readonly to: bigint } | undefined {
  const range = viewed.logRange(fromBlock, toBlock)
  if (range === undefined) return undefined
  const { from } = range
  const to = range.pending ? range.to + 1n : range.to
  const limit = read.limits.traceBlockRange
  if (to - from >= BigInt(limit)) throw new BlockRangeTooLargeError(to - from + 1n, limit)
  return { from, to }
}

/** Prepares to execute a block again. @throws StateUnavailableError if its parent is older than the history */
export function reexecute({ viewed, read }: ReadContext, view: BlockView): Reexecution {
  const { reexecutions } = viewed.tip.base
  const pause = createPause({ read, closed: read.closed })
  return reexecutions.of(view.block, viewed.contextOf(view.block), viewed.stateBefore(view), pause)
}

/** Traces a transaction; undefined if no block of the view contains it. @throws StateUnavailableError */
export async function traceTransaction<Result>(
  context: ReadContext,
  hash: Hash,
  begin: () => TraceRun<Result>,
): Promise<Result | undefined> {
  const { viewed } = context
  const place = viewed.findTransaction(hash)
  if (place === undefined) return undefined
  const view = await viewed.require({ kind: 'hash', hash: place.block.hash, requireCanonical: false })
  return traceAt(reexecute(context, view), view.block, place.index, begin(), createPause(context))
}

/** Traces the transactions of a block in go-ethereum's format. @throws as debug_traceBlockByNumber does */
export async function debugTraceBlock(
  context: ReadContext & Pick<RpcContext, 'dialect'>,
  reference: BlockReference,
  options: TraceOptions = {},
): Promise<TransactionTrace[]> {
  const begin = await prepareTraces(context, options)
  const view = await context.viewed.require(reference)
  if (view.block.number === 0n && !context.dialect.tracesGenesis) throw new GenesisNotTraceableError()
  return collectTraces(traceBlock(context, view, begin))
}

/** Returns a factory of traces for a request's transactions. @throws UnknownTracerError, even without transactions */
export async function prepareTraces(
  { read }: Pick<ReadContext, 'read'>,
  options: TraceOptions,
): Promise<() => TraceRun<DebugTrace>> {
  const { createTraceRun } = await loadTracers()
  const tracing = createTraceContext(read)
  createTraceRun(options, tracing)
  return () => createTraceRun(options, tracing)
}

/** Collects traces in the form of go-ethereum's block methods. */
export async function collectTraces(
  traces: AsyncIterable<{ readonly hash: Hash; readonly trace: DebugTrace }>,
): Promise<TransactionTrace[]> {
  const collected: TransactionTrace[] = []
  for await (const { hash, trace } of traces) collected.push({ txHash: hash, result: trace })
  return collected
}

/** Traces a transaction in Parity's format; see {@link traceTransaction}. */
export async function parityTraces(context: ReadContext, hash: Hash): Promise<ParityTrace[] | undefined> {
  const { createTransactionTracer } = await loadParityTracer()
  return traceTransaction(context, hash, () => createTransactionTracer(createTraceContext(context.read)))
}

/** Traces the transactions of a block in order. @param pause - shared by all blocks of a request. */
export async function* traceBlock<Result>(
  context: ReadContext,
  view: BlockView,
  begin: () => TraceRun<Result>,
  pause = createPause(context),
): AsyncGenerator<{ readonly hash: Hash; readonly trace: Result }> {
  // Returns before `reexecute`, since genesis has no parent state to execute on.
  if (view.block.transactions.length === 0) return
  yield* traceTransactions(context, view.block, reexecute(context, view), begin, pause)
}

/** A re-executed block, with the hash and the number that its traces show. */
export type TracedBlock = ExecutedBlock & TracePlace['block']

/** Traces the transactions of a re-executed block; see {@link traceBlock}. */
export async function* traceTransactions<Result>(
  context: Pick<ReadContext, 'read' | 'closed'>,
  block: TracedBlock,
  reexecution: Reexecution,
  begin: () => TraceRun<Result>,
  pause = createPause(context),
): AsyncGenerator<{ readonly hash: Hash; readonly trace: Result }> {
  for (const [index, { hash }] of block.transactions.entries()) {
    yield { hash, trace: await traceAt(reexecution, block, index, begin(), pause) }
    await pause()
  }
}

async function traceAt<Result>(
  reexecution: Reexecution,
  block: TracedBlock,
  index: number,
  run: TraceRun<Result>,
  pause: Yielder,
): Promise<Result> {
  const outcome = await reexecution.run(index, run.hooks, pause)
  return run.result(block.transactions[index]!, outcome, { block, index })
}
