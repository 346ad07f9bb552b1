/** Answers requests on a fork, in a lazy chunk: most chains are not forks. */

import { bytesToBigint } from '../../base/bytes.ts'
import { InvalidParamsError, SchemaError } from '../../base/errors.ts'
import { decodeRlp } from '../../base/rlp.ts'
import { isAbsent } from '../../base/schema.ts'
import type { Address, Hash, Hex } from '../../base/types.ts'
import { whenLoaded } from '../../base/waiting.ts'
import { listOf, orNull, requireHex, requireNumber, storageWord } from '../../core/fork/answers.ts'
import type { Fork } from '../../core/fork/remote.ts'
import { NoForkProofsError, StateUnavailableError } from '../../ethereum/state/errors.ts'
import type { ResetContext, RunnableMethod, SendingContext } from '../method.ts'
import { MAX_SLOTS } from '../methods/eth_getStorageValues.ts'
import { blockHash, blockParameter, blockPosition, type LogFilter } from '../params/block.ts'
import { type METHODS, methods } from '../table.ts'
import {
  hashOf,
  joinFeeHistory,
  joinLogs,
  joinTraces,
  ofFrames,
  ofFullBlock,
  readHasCode,
  readHeader,
} from './joined.ts'
import {
  aboutTransaction,
  ask,
  askPinned,
  type ForkReader,
  findForkedTransaction,
  isForked,
  ofBlock,
  ofState,
  ofTransaction,
} from './readers.ts'
import * as shape from './shapes.ts'

/** Always sends the second parameter, which some nodes require. */
const readBlock: ForkReader = (request) => {
  const full = request.values[1] === true
  const check: shape.PlacedCheck = (asked) => shape.placedBlock(asked, full ? shape.fullBlock : shape.block)
  return ofBlock(0, check)({ ...request, params: [request.params[0], full] })
}

const proofOf: shape.PlacedCheck =
  (_asked, values) =>
  (value, path = '') => {
    const { address, storageProof } = shape.proof(value, path)
    const [account, keys] = values as [Address, readonly unknown[]]
    requireHex(address, account, `${path}.address`)
    if (storageProof.length !== keys.length) {
      throw new SchemaError(`${path}.storageProof`, `${keys.length} items`)
    }
  }

const noProofs = (): Promise<never> => Promise.reject(new NoForkProofsError())

/** Refuses proofs of the forked block if cheats have changed its state, which the forked node does not know. */
const readProof: ForkReader = (request) => {
  const { fork, context } = request
  const entry = context.viewed.tip.base.ledger.get(fork.hash)
  // Out of the history, what cheats wrote is no longer known.
  const isForkedState = entry !== undefined && entry.patches === undefined
  const check: shape.PlacedCheck = (asked, values) => {
    if (!isForkedState && asked.hash === fork.hash) throw new StateUnavailableError()
    return proofOf(asked, values)
  }
  return ofBlock(2, check, noProofs)(request)
}

/** Pads the storage word to 32 bytes, as the chain here does. */
const readStorageAt: ForkReader = async (request) => storageWord(await ofState(2, storageWord)(request))

const readStorageValues: ForkReader = async (request) => {
  const [slots] = request.values as [ReadonlyMap<Address, readonly Hex[]>]
  const local = async (): Promise<unknown> => {
    // First read each slot with a separate request, so that all unknown slots share a round trip.
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

/** Asks the forked node about transactions that are unknown here. If it has one, the transaction is sealed. */
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

/** Whether a call is traced within a block. Such a trace reads the block, whose transactions no cheat changes. */
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

/** By method: what answers a request that the forked node does not answer as it is. */
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
  eth_getProof: readProof,
  eth_getStorageAt: readStorageAt,
  eth_getStorageValues: readStorageValues,
  eth_getTransactionByHash: ofTransaction(shape.transactionOf),
  eth_getTransactionBySenderAndNonce: readBySenderAndNonce,
  eth_getTransactionReceipt: ofTransaction(shape.receiptOf),
  ots_getBlockDetails: ofFullBlock('eth_getBlockByNumber', 'details'),
  ots_getBlockDetailsByHash: ofFullBlock('eth_getBlockByHash', 'details'),
  ots_getBlockTransactions: ofFullBlock('eth_getBlockByNumber', 'transactions'),
  ots_getInternalOperations: ofFrames((trace, forked) => forked.operations(trace)),
  ots_getTransactionBySenderAndNonce: hashOf(readBySenderAndNonce),
  ots_getTransactionError: ofFrames(({ error, output = '0x' }) =>
    error === 'execution reverted' ? output : '0x',
  ),
  ots_hasCode: readHasCode,
  ots_traceTransaction: ofFrames((trace, forked) => forked.traces(trace)),
  trace_filter: joinTraces,
} satisfies Partial<Record<keyof typeof METHODS, ForkReader>>

/** The `expected` of the schemas that name a block. Optional parameters have the same `expected`. */
const BLOCK_NAMES = new Set([blockParameter, blockPosition, blockHash].map(({ expected }) => expected))

/** Returns the reader of a method; undefined if the chain here answers it alone. */
function readerOf(name: string, { onFork = 'local', params }: RunnableMethod): ForkReader | undefined {
  if (onFork === 'local') return undefined
  const { reads, answer } = onFork
  if (answer === 'reader') return READERS[name]
  const check = shape.checkOf(answer)
  if (reads === 'transaction') return aboutTransaction(check({}, []))
  const at = params.findIndex(({ expected }) => BLOCK_NAMES.has(expected))
  return reads === 'state' ? ofState(at, check({}, [])) : ofBlock(at, check)
}

/** A parsed request on a fork. */
export interface ParsedRequest {
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

/** By method: a request may use any alias, the forked node gets the first name. */
const readers = new Map<RunnableMethod, { readonly name: string; readonly read: ForkReader }>()
for (const [name, method] of methods) {
  const read = readerOf(name, method)
  if (read !== undefined && !readers.has(method)) readers.set(method, { name, read })
}

/**
 * Copies params, which the caller may change later, without absent ones at the end.
 *
 * @throws InvalidParamsError if JSON cannot express them
 */
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
