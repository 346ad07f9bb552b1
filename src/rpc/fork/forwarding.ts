/** Answers requests on a fork, in a lazy chunk: most chains are not forks. */

import { bytesToBigint, quantity } from '../../base/bytes.ts'
import { InvalidParamsError, SchemaError } from '../../base/errors.ts'
import { decodeRlp } from '../../base/rlp.ts'
import type { PresealRpcBlock } from '../../base/rpcTypes.ts'
import { isAbsent, type ValueOf } from '../../base/schema.ts'
import type { Address, Hash, Hex } from '../../base/types.ts'
import { createYielder, whenLoaded } from '../../base/waiting.ts'
import { listOf, orNull, requireHex, requireNumber, storageWord } from '../../core/fork/answers.ts'
import type { Fork } from '../../core/fork/remote.ts'
import { TooManyLogsError } from '../../core/ledger/errors.ts'
import { type LogQuery, matchesFilter } from '../../core/ledger/logIndex.ts'
import type { CallTrace } from '../../core/trace/shapes.ts'
import type { BlockPosition } from '../../core/view/sources.ts'
import type { FeeHistory } from '../fees.ts'
import type { ResetContext, RunnableMethod, SendingContext } from '../method.ts'
import { MAX_SLOTS } from '../methods/eth_getStorageValues.ts'
import { blockHash, blockParameter, blockPosition, type LogFilter } from '../params/block.ts'
import type { traceFilter } from '../params/trace.ts'
import { checkLogFilter, resolveLogRange, toRpcLogs } from '../queryLogs.ts'
import { type METHODS, methods } from '../table.ts'
import { traceRange } from '../traces.ts'
import {
  aboutTransaction,
  ask,
  askPinned,
  type ForkReader,
  type ForkRequest,
  findForked,
  findForkedTransaction,
  isForked,
  ofBlock,
  ofState,
  ofTransaction,
  ofTrie,
  whereForked,
} from './readers.ts'
import * as shape from './shapes.ts'

/** Always sends the second parameter, which some nodes require. */
const readBlock: ForkReader = (request) => {
  const full = request.values[1] === true
  const check: shape.PlacedCheck = (asked) => shape.placedBlock(asked, full ? shape.fullBlock : shape.block)
  return ofBlock(0, check)({ ...request, params: [request.params[0], full] })
}

/** Pads the storage word to 32 bytes, as the chain here does. */
const readStorageAt: ForkReader = async (request) => storageWord(await ofState(2, storageWord)(request))

const readStorageValues: ForkReader = async (request) => {
  const [slots] = request.values as [ReadonlyMap<Address, readonly Hex[]>]
  const local = async (): Promise<unknown> => {
    // First reads each slot with a separate request, all at once: unknown slots then share a round trip.
    const each = [...slots].flatMap(([account, keys]) => keys.map((key) => new Map([[account, [key]]])))
    if (each.length <= MAX_SLOTS)
      await Promise.all(each.map((one) => request.local([one, request.values[1]])))
    return request.local()
  }
  const answer = await ofState(1, storageOf(slots))({ ...request, local })
  const found = Object.entries(answer as Readonly<Record<Address, readonly Hex[]>>)
  return Object.fromEntries(
    found.map(([account, words]) => [account.toLowerCase(), words.map((word) => storageWord(word))]),
  )
}

function storageOf(slots: ReadonlyMap<Address, readonly Hex[]>): shape.Check {
  return (value, path = '') => {
    const entries = Object.entries(shape.object(value, path))
    for (const [account, words] of entries) {
      const at = `${path}.${account}`
      const wanted = slots.get(account.toLowerCase() as Address)?.length ?? 0
      if (listOf(storageWord)(words, at).length !== wanted) throw new SchemaError(at, `${wanted} words`)
    }
    if (entries.length !== slots.size) throw new SchemaError(path, `the slots of ${slots.size} accounts`)
  }
}

/** Asks the forked node about a transaction that is unknown here. If the node has the transaction, it is sealed. */
const readStatus: ForkReader = async (request) => {
  const here = (await request.local()) as { readonly status: string; readonly stage?: string }
  if (here.status === 'Known' || here.stage !== undefined) return here
  const [hash] = request.values as [Hash]
  return (await findForkedTransaction(request, hash)) ? { status: 'Known', stage: 'sealed' } : here
}

const readBySenderAndNonce: ForkReader = async (request) => {
  const here = await request.local()
  if (here !== null) return here
  const [sender, nonce] = request.values as [Address, bigint]
  const check = orNull((value, path = '') => {
    const { from, nonce: used } = shape.transaction(value, path)
    requireHex(from, sender, `${path}.from`)
    requireNumber(used, nonce, `${path}.nonce`)
  })
  const found = await askPinned<shape.Placed | null>(request, request.params, check)
  return found !== null && isForked(request.fork, found.blockNumber) ? found : null
}

/** Whether debug_traceCall has a `txIndex`: then it reads the block itself, which cheats do not change. */
const namesTransaction = (values: readonly unknown[]): boolean =>
  !isAbsent((values[2] as { readonly txIndex?: number } | undefined)?.txIndex)

/** The forked node answers for an RLP-encoded block up to the fork's number. */
const traceEncoded: ForkReader = (request) => {
  const number = numberIn(request.values[0] as Uint8Array)
  return number !== undefined && number <= request.fork.number
    ? ask(request, request.name, request.params, listOf(shape.object))
    : request.local()
}

/** Reads the number of an RLP-encoded block; undefined if it has none. */
function numberIn(block: Uint8Array): bigint | undefined {
  try {
    const [[, , , , , , , , number]] = decodeRlp(block) as [readonly unknown[]]
    return number instanceof Uint8Array ? bytesToBigint(number) : undefined
  } catch {
    return undefined
  }
}

// Answers that span the fork: the forked node's part, followed by the part of the chain here.

/** Returns the logs that match a filter. Limits apply to both parts together. */
async function joinLogs(request: ForkRequest, filter: LogFilter): Promise<unknown> {
  const { context, fork } = request
  const { viewed, read, dialect } = context
  checkLogFilter(filter, dialect)
  const { logResults } = read.limits
  const { blocks: asked, ...query } = filter
  if (asked.kind === 'hash') return logsOfBlock(request, query, asked.hash)
  const range = resolveLogRange(asked, viewed, read.limits, dialect)
  if (range === undefined || range.from > fork.number) return request.local()
  const last = range.to < fork.number ? range.to : fork.number
  const blocks = { fromBlock: quantity(range.from), toBlock: quantity(last) }
  const check = logsBetween(range.from, last, query)
  const pause = createYielder(read.clock)
  const [after, before] = await Promise.all([
    // Called first: if it throws, the forked node is not asked.
    viewed.logs(filter, { ...range, from: fork.number + 1n }, logResults, pause),
    askPinned<unknown[]>(request, [{ ...blocks, ...query }], check, 'eth_getLogs'),
  ])
  if (before.length + after.length > logResults) throw new TooManyLogsError(logResults)
  return [...before, ...(await toRpcLogs(after, pause))]
}

async function logsOfBlock(request: ForkRequest, query: LogQuery, hash: Hash): Promise<unknown> {
  const { viewed, read } = request.context
  const here = await viewed.find({ kind: 'hash', hash, requireCanonical: false })
  if (here !== undefined && here.block.number > request.fork.number) return request.local()
  const answer = ask<unknown[]>(request, 'eth_getLogs', [{ blockHash: hash, ...query }], logsOf(hash, query))
  const found = here === undefined ? whereForked(request, findForked(request, hash), answer) : answer
  const logs = (await found) as unknown[]
  if (logs.length > read.limits.logResults) throw new TooManyLogsError(read.limits.logResults)
  return logs
}

type ShownLog = ReturnType<typeof shape.log>

function logsOf(wanted: Hash, query: LogQuery): shape.Check {
  return shape.eachOf(shape.log, (log, _, path) => {
    requireHex(log.blockHash, wanted, `${path}.blockHash`)
    requireMatch(log, query, path)
  })
}

/** @throws SchemaError unless the log, whose hex may be in either case, matches the query. */
function requireMatch({ address, topics }: ShownLog, query: LogQuery, path: string): void {
  const lowerCase = (hex: Hex) => hex.toLowerCase() as Hex
  const log = { address: lowerCase(address), topics: topics.map(lowerCase) }
  if (!matchesFilter(log, query)) throw new SchemaError(path, 'a log that matches the filter')
}

function logsBetween(from: bigint, to: bigint, query: LogQuery): shape.Check {
  return (value, path) => {
    let [block, index] = [from, -1n]
    const check = shape.eachOf(shape.log, (log, _, at) => {
      const [number, position] = [BigInt(log.blockNumber), BigInt(log.logIndex)]
      if (number < block || number > to || (number === block && position <= index)) {
        throw new SchemaError(at, `logs of blocks ${from} to ${to} in their order`)
      }
      requireMatch(log, query, at)
      block = number
      index = position
    })
    check(value, path)
  }
}

async function joinFeeHistory(request: ForkRequest): Promise<unknown> {
  const { context, fork, values } = request
  const [count, newest, percentiles] = values as [number, BlockPosition, (readonly number[])?]
  // Without a number, the newest block is the block under construction, which follows the head.
  const head = context.viewed.tip.head.block.number
  const last = context.viewed.numberOf(newest) ?? head + 1n
  const first = last < BigInt(count) ? 0n : last - BigInt(count - 1)
  if (count === 0 || first > fork.number || last > head + 1n) return request.local()
  const end = last < fork.number ? last : fork.number
  const forked = Number(end - first) + 1
  const params = [quantity(forked), quantity(end), ...(percentiles === undefined ? [] : [percentiles])]
  const asked = askPinned<FeeHistory>(request, params, feeHistoryOf(end, forked, percentiles?.length))
  if (last < fork.number) return asked
  // The base fee of the block after the fork comes from the chain here.
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

async function joinTraces(request: ForkRequest): Promise<unknown> {
  const { context, fork, values } = request
  const [filter] = values as [ValueOf<typeof traceFilter>]
  const { after = 0, count } = filter
  const range = traceRange(context, filter)
  if (range === undefined || range.from > fork.number) return request.local()
  const end = range.to < fork.number ? range.to : fork.number
  // Asks the node without `after`: the number of all its matches tells how many traces here to skip.
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

// Readers of Otterscan's methods ask the node for widely supported methods, since few nodes serve Otterscan's.

const loadOtterscan = () => import('../otterscan/otterscan.ts')

type Forked = Awaited<ReturnType<typeof loadOtterscan>>['forked']

/** Returns a request for a different method, with the answer undefined if it concerns the chain here. */
function toOther(request: ForkRequest, name: string, ...params: readonly unknown[]): ForkRequest {
  return { ...request, name, params, local: async () => undefined }
}

/** Returns a header: a block without the fields that only blocks have. */
const readHeader: ForkReader = async (request) => {
  const read = ofBlock(0, (asked) => shape.placedBlock(asked))
  const found = await read(toOther(request, 'eth_getBlockByNumber', request.params[0], false))
  if (found === undefined) return request.local()
  const { transactions, uncles, size, withdrawals, totalDifficulty, ...header } = found as PresealRpcBlock
  return header
}

/** Returns a reader that computes an Otterscan answer from a block, which `name` returns, and its receipts. */
function ofFullBlock(
  name: 'eth_getBlockByNumber' | 'eth_getBlockByHash',
  answer: 'details' | 'transactions',
): ForkReader {
  const readFullBlock = ofBlock(0, (asked) => shape.placedBlock(asked, shape.fullBlock))
  const readReceipts = ofBlock(0, shape.receiptsOf)
  return async (request) => {
    const [reference] = request.params
    const [block, receipts] = await Promise.all([
      readFullBlock(toOther(request, name, reference, true)),
      readReceipts(toOther(request, 'eth_getBlockReceipts', reference)),
    ])
    if (block === undefined || receipts === undefined) return request.local()
    const toAnswer: (...values: never[]) => unknown = (await loadOtterscan()).forked[answer]
    return toAnswer(...([block, receipts, ...request.values.slice(1)] as never[]))
  }
}

const readHasCode: ForkReader = async (request) => {
  const code = await ofState(1, shape.bytes)(toOther(request, 'eth_getCode', ...request.params))
  return code === undefined ? request.local() : code !== '0x'
}

/** Returns a reader that computes an Otterscan answer from the frames of a transaction, which callTracer returns. */
function ofFrames(toAnswer: (trace: CallTrace, forked: Forked) => unknown): ForkReader {
  const read = aboutTransaction(shape.callTrace)
  return async (request) => {
    const [hash] = request.params
    const trace = await read(toOther(request, 'debug_traceTransaction', hash, { tracer: 'callTracer' }))
    return trace === undefined
      ? request.local()
      : toAnswer(trace as CallTrace, (await loadOtterscan()).forked)
  }
}

const readHashByNonce: ForkReader = async (request) => {
  const here = await request.local()
  if (here !== null) return here
  const [sender, nonce] = request.values as [Address, number]
  const other = toOther(request, 'eth_getTransactionBySenderAndNonce', sender, quantity(nonce))
  const values = [sender, BigInt(nonce)]
  const found = await readBySenderAndNonce({ ...other, values, local: async () => null })
  return found === null ? null : (found as { hash: Hash }).hash
}

/** Readers by method, for the methods with `answer: 'reader'`. */
export const READERS: Readonly<Partial<Record<string, ForkReader>>> = {
  chain_transactionStatus: readStatus,
  debug_traceBlock: traceEncoded,
  debug_traceCall: ofState(1, shape.present, namesTransaction),
  erigon_getHeaderByNumber: readHeader,
  eth_feeHistory: joinFeeHistory,
  eth_getBlockByHash: readBlock,
  eth_getBlockByNumber: readBlock,
  eth_getFilterLogs: (request) => joinLogs(request, request.context.filters.query(request.values[0] as Hex)),
  eth_getLogs: (request) => joinLogs(request, request.values[0] as LogFilter),
  eth_getStorageAt: readStorageAt,
  eth_getStorageValues: readStorageValues,
  eth_getTransactionByHash: ofTransaction(shape.transactionOf),
  eth_getTransactionBySenderAndNonce: readBySenderAndNonce,
  eth_getTransactionReceipt: ofTransaction(shape.receiptOf),
  ots_getBlockDetails: ofFullBlock('eth_getBlockByNumber', 'details'),
  ots_getBlockDetailsByHash: ofFullBlock('eth_getBlockByHash', 'details'),
  ots_getBlockTransactions: ofFullBlock('eth_getBlockByNumber', 'transactions'),
  ots_getInternalOperations: ofFrames((trace, forked) => forked.operations(trace)),
  ots_getTransactionBySenderAndNonce: readHashByNonce,
  ots_getTransactionError: ofFrames(({ error, output = '0x' }) =>
    error === 'execution reverted' ? output : '0x',
  ),
  ots_hasCode: readHasCode,
  ots_traceTransaction: ofFrames((trace, forked) => forked.traces(trace)),
  trace_filter: joinTraces,
} satisfies Partial<Record<keyof typeof METHODS, ForkReader>>

/** Identifies parameters that name a block, by `expected` of their schemas. `optional` keeps it. */
const BLOCK_NAMES = new Set([blockParameter, blockPosition, blockHash].map(({ expected }) => expected))

/** Returns the reader of a method; undefined if the chain here answers it alone. */
function readerOf(name: string, { onFork = 'local', params }: RunnableMethod): ForkReader | undefined {
  if (onFork === 'local') return undefined
  const { reads, answer } = onFork
  if (answer === 'reader') return READERS[name]
  const check = shape.checkOf(answer)
  if (reads === 'transaction') return aboutTransaction(check({}, []))
  const at = params.findIndex(({ expected }) => BLOCK_NAMES.has(expected))
  if (reads === 'trie') return ofTrie(at, check)
  return reads === 'state' ? ofState(at, check({}, [])) : ofBlock(at, check)
}

interface ParsedRequest {
  readonly method: RunnableMethod
  readonly params: unknown
  readonly values: readonly unknown[]
  readonly context: SendingContext & ResetContext
  readonly fork: Fork
}

/** Answers a request on a fork: from the chain here, the forked node or both. */
export async function answerOnFork(request: ParsedRequest): Promise<unknown> {
  const { method, context, fork } = request
  const local = async (values = request.values): Promise<unknown> =>
    whenLoaded(() => method.handler(context, ...(values as never[])))
  const found = readers.get(method)
  if (found === undefined) return local()
  let copy: readonly unknown[] | undefined
  return found.read({
    name: found.name,
    // Copied on demand: the chain here answers most requests.
    get params() {
      copy ??= copyParams(request.params ?? [])
      return copy
    },
    values: request.values,
    context,
    fork,
    local,
  })
}

/** Readers by method. A request may use an alias, but the forked node gets `name`, the method's first name. */
const readers = new Map<RunnableMethod, { readonly name: string; readonly read: ForkReader }>()
for (const [name, method] of methods) {
  const read = readerOf(name, method)
  if (read !== undefined && !readers.has(method)) readers.set(method, { name, read })
}

/** Copies params, which the caller may change later, without absent ones at the end. @throws InvalidParamsError */
function copyParams(params: unknown): readonly unknown[] {
  let copy: unknown[]
  try {
    copy = JSON.parse(JSON.stringify(params))
  } catch {
    throw new InvalidParamsError('params', 'values that JSON can express')
  }
  while (copy.length > 0 && copy.at(-1) === null) copy.pop()
  return copy
}
