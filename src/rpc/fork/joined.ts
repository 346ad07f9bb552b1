/** Answers that span the fork: the forked node's part, followed by the part of the chain here. */

import { quantity } from '../../base/bytes.ts'
import { SchemaError } from '../../base/errors.ts'
import type { PresealRpcBlock } from '../../base/rpcTypes.ts'
import type { ValueOf } from '../../base/schema.ts'
import type { Address, Hash } from '../../base/types.ts'
import { createYielder } from '../../base/waiting.ts'
import { requireHex } from '../../core/fork/answers.ts'
import { TooManyLogsError } from '../../core/ledger/errors.ts'
import type { LogQuery } from '../../core/ledger/logIndex.ts'
import type { CallTrace } from '../../core/trace/shapes.ts'
import type { BlockPosition } from '../../core/view/sources.ts'
import type { FeeHistory } from '../fees.ts'
import type { LogFilter } from '../params/block.ts'
import type { traceFilter } from '../params/trace.ts'
import { checkLogFilter, queryLogs, resolveLogRange, toRpcLogs } from '../queryLogs.ts'
import { traceRange } from '../traces.ts'
import {
  aboutTransaction,
  ask,
  askPinned,
  type ForkReader,
  type ForkRequest,
  findForked,
  ofBlock,
  ofState,
  whereForked,
} from './readers.ts'
import * as shape from './shapes.ts'

/** Returns the logs that match a filter. Limits apply to both parts together. */
export async function joinLogs(request: ForkRequest, filter: LogFilter): Promise<unknown[]> {
  const { context, fork } = request
  const { viewed, read, dialect } = context
  const local = () => queryLogs(filter, viewed, read, dialect)
  checkLogFilter(filter, dialect)
  const { logResults } = read.limits
  const { blocks: asked, ...query } = filter
  if (asked.kind === 'hash') return logsOfBlock(request, query, asked.hash, local)
  const range = resolveLogRange(asked, viewed, read.limits, dialect)
  if (range === undefined || range.from > fork.number) return local()
  const last = range.to < fork.number ? range.to : fork.number
  const blocks = { fromBlock: quantity(range.from), toBlock: quantity(last) }
  const check = logsBetween(range.from, last)
  const pause = createYielder(read.clock)
  const [after, before] = await Promise.all([
    // First, since it can throw: then the forked node is not asked.
    viewed.logs(filter, { ...range, from: fork.number + 1n }, logResults, pause),
    askPinned<unknown[]>(request, [{ ...blocks, ...query }], check, 'eth_getLogs'),
  ])
  if (before.length + after.length > logResults) throw new TooManyLogsError(logResults)
  return [...before, ...(await toRpcLogs(after, pause))]
}

async function logsOfBlock(
  request: ForkRequest,
  query: LogQuery,
  hash: Hash,
  local: () => Promise<unknown[]>,
): Promise<unknown[]> {
  const { viewed, read } = request.context
  const here = await viewed.find({ kind: 'hash', hash, requireCanonical: false })
  if (here !== undefined && here.block.number > request.fork.number) return local()
  const params = [{ blockHash: hash, ...query }]
  const answer = ask<unknown[]>(request, 'eth_getLogs', params, logsOf(hash))
  const logs = here === undefined ? await whereForked(findForked(request, hash), answer, local) : await answer
  if (logs.length > read.limits.logResults) throw new TooManyLogsError(read.limits.logResults)
  return logs
}

function logsOf(wanted: Hash): shape.Check {
  return shape.eachOf(shape.log, ({ blockHash }, _, path) =>
    requireHex(blockHash, wanted, `${path}.blockHash`),
  )
}

function logsBetween(from: bigint, to: bigint): shape.Check {
  return (value, path) => {
    let [block, index] = [from, -1n]
    const check = shape.eachOf(shape.log, ({ blockNumber, logIndex }, _, at) => {
      const [number, position] = [BigInt(blockNumber), BigInt(logIndex)]
      if (number < block || number > to || (number === block && position <= index)) {
        throw new SchemaError(at, `logs of blocks ${from} to ${to} in their order`)
      }
      block = number
      index = position
    })
    check(value, path)
  }
}

/** Answers eth_feeHistory. */
export async function joinFeeHistory(request: ForkRequest): Promise<unknown> {
  const { context, fork, values } = request
  const [count, newest, percentiles] = values as [number, BlockPosition, (readonly number[])?]
  // The block under construction follows the head.
  const head = context.viewed.tip.head.block.number
  const last = context.viewed.numberOf(newest) ?? head + 1n
  const first = last < BigInt(count) ? 0n : last - BigInt(count - 1)
  if (count === 0 || first > fork.number || last > head + 1n) return request.local()
  const end = last < fork.number ? last : fork.number
  const forked = Number(end - first) + 1
  const params = [quantity(forked), quantity(end), ...(percentiles === undefined ? [] : [percentiles])]
  const asked = askPinned<FeeHistory>(request, params, feeHistoryOf(end, forked, percentiles?.length))
  if (last < fork.number) return asked
  // The chain here determines the fee of the block after the fork.
  const wanted = last === fork.number ? [1, newest] : [Number(last - fork.number), newest, percentiles]
  const [before, after] = await Promise.all([asked, request.local(wanted) as Promise<FeeHistory>])
  return joinFees(before, after, last === fork.number ? 1 : 0)
}

/** @param known - how many blocks at the beginning of `after` are also in `before`. */
function joinFees(before: FeeHistory, after: FeeHistory, known: number): FeeHistory {
  const { length } = before.gasUsedRatio
  const none = Array.from({ length }, () => 0)
  // Nodes from before Cancun omit the blob fields.
  const { baseFeePerBlobGas = [], blobGasUsedRatio = none } = before as Partial<FeeHistory>
  const blobFees = baseFeePerBlobGas.length < length ? none.map(() => '0x0' as const) : baseFeePerBlobGas
  const join = <T>(one: readonly T[], other: readonly T[]) => [...one.slice(0, length), ...other.slice(known)]
  const { reward } = before
  return {
    ...before,
    baseFeePerGas: join(before.baseFeePerGas, after.baseFeePerGas),
    gasUsedRatio: join(before.gasUsedRatio, after.gasUsedRatio),
    baseFeePerBlobGas: join(blobFees, after.baseFeePerBlobGas),
    blobGasUsedRatio: join(blobGasUsedRatio, after.blobGasUsedRatio),
    ...(reward && { reward: join(reward, after.reward ?? []) }),
  }
}

function feeHistoryOf(last: bigint, count: number, percentiles: number | undefined): shape.Check {
  return (value, path = '') => {
    const history = shape.feeHistory(value, path)
    const { oldestBlock, baseFeePerGas, gasUsedRatio, blobGasUsedRatio, reward } = history
    const { length } = gasUsedRatio
    const isComplete =
      length > 0 &&
      length <= count &&
      BigInt(oldestBlock) + BigInt(length) === last + 1n &&
      baseFeePerGas.length === length + 1 &&
      (blobGasUsedRatio === undefined || blobGasUsedRatio.length === length) &&
      (!percentiles || reward?.length === length) &&
      (reward ?? []).every((tips) => tips.length === (percentiles ?? 0))
    if (!isComplete) throw new SchemaError(path, `the fees of up to ${count} blocks up to block ${last}`)
  }
}

/** Answers trace_filter. */
export async function joinTraces(request: ForkRequest): Promise<unknown> {
  const { context, fork, values } = request
  const [filter] = values as [ValueOf<typeof traceFilter>]
  const { after = 0, count } = filter
  const range = traceRange(context, filter)
  if (range === undefined || range.from > fork.number) return request.local()
  const end = range.to < fork.number ? range.to : fork.number
  // Without `after`, which would hide how many later traces to skip.
  const { after: _, ...wanted } = request.params[0] as Readonly<Record<string, unknown>>
  const asked = {
    ...wanted,
    fromBlock: quantity(range.from),
    toBlock: quantity(end),
    ...(count !== undefined && { count: after + count }),
  }
  const before = await askPinned<unknown[]>(request, [asked], tracesBetween(range.from, end))
  const found = before.slice(after, count === undefined ? undefined : after + count)
  if (range.to === end || found.length === count) return found
  const rest = {
    ...filter,
    fromBlock: { kind: 'number', number: fork.number + 1n },
    after: Math.max(0, after - before.length),
    ...(count !== undefined && { count: count - found.length }),
  }
  return [...found, ...((await request.local([rest])) as unknown[])]
}

function tracesBetween(from: bigint, to: bigint): shape.Check {
  return (value, path) => {
    let newest = Number(from)
    const check = shape.eachOf(shape.parityTrace, ({ blockNumber = newest }, _, at) => {
      if (blockNumber < newest || blockNumber > to) {
        throw new SchemaError(at, `traces of blocks ${from} to ${to} in their order`)
      }
      newest = blockNumber
    })
    check(value, path)
  }
}

// Otterscan's methods on a fork ask the node for widely supported methods, since few nodes serve Otterscan's.

const loadOtterscan = () => import('../otterscan/otterscan.ts')

type Forked = Awaited<ReturnType<typeof loadOtterscan>>['forked']

const nothing = async () => undefined

/** Returns a header: a block without the fields that only blocks have. */
export const readHeader: ForkReader = async (request) => {
  const check: shape.PlacedCheck = (asked) => shape.placedBlock(asked)
  const found = await ofBlock(
    0,
    check,
  )({
    ...request,
    name: 'eth_getBlockByNumber',
    params: [request.params[0], false],
    local: nothing,
  })
  if (found === undefined) return request.local()
  const { transactions, uncles, size, withdrawals, totalDifficulty, ...header } = found as PresealRpcBlock
  return header
}

/** Returns a reader that computes an Otterscan answer from a block and its receipts. @param name - reads the block. */
export function ofFullBlock(
  name: 'eth_getBlockByNumber' | 'eth_getBlockByHash',
  answer: 'details' | 'transactions',
): ForkReader {
  const readFullBlock = ofBlock(0, (asked) => shape.placedBlock(asked, shape.fullBlock))
  const readReceipts = ofBlock(0, shape.receiptsOf)
  return async (request) => {
    const [reference] = request.params
    const [block, receipts] = await Promise.all([
      readFullBlock({ ...request, name, params: [reference, true], local: nothing }),
      readReceipts({ ...request, name: 'eth_getBlockReceipts', params: [reference], local: nothing }),
    ])
    if (block === undefined || receipts === undefined) return request.local()
    const toAnswer: (...values: never[]) => unknown = (await loadOtterscan()).forked[answer]
    return toAnswer(...([block, receipts, ...request.values.slice(1)] as never[]))
  }
}

/** Returns whether an account has code. */
export const readHasCode: ForkReader = async (request) => {
  const code = await ofState(1, shape.bytes)({ ...request, name: 'eth_getCode', local: nothing })
  return code === undefined ? request.local() : code !== '0x'
}

/** Returns a reader that computes an Otterscan answer from the frames of a transaction, which callTracer returns. */
export function ofFrames(toAnswer: (trace: CallTrace, forked: Forked) => unknown): ForkReader {
  return async (request) => {
    const trace = await aboutTransaction(shape.callTrace)({
      ...request,
      name: 'debug_traceTransaction',
      params: [request.params[0], { tracer: 'callTracer' }],
      local: nothing,
    })
    return trace === undefined
      ? request.local()
      : toAnswer(trace as CallTrace, (await loadOtterscan()).forked)
  }
}

/** Returns a reader of a transaction's hash by sender and nonce. @param read - reads the whole transaction. */
export function hashOf(read: ForkReader): ForkReader {
  return async (request) => {
    const here = await request.local()
    if (here !== null) return here
    const [sender, nonce] = request.values as [Address, number]
    const found = await read({
      ...request,
      name: 'eth_getTransactionBySenderAndNonce',
      params: [sender, quantity(nonce)],
      values: [sender, BigInt(nonce)],
      local: async () => null,
    })
    return found === null ? null : (found as { hash: Hash }).hash
  }
}
