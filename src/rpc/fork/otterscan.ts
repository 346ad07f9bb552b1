/**
 * Otterscan's methods on a fork. The forked node is asked for what they are made of, since few nodes have these methods.
 */
import { quantity } from '../../base/bytes.ts'
import type { PresealRpcBlock, PresealRpcReceipt, PresealRpcTransaction } from '../../base/rpcTypes.ts'
import type { Address, Hash } from '../../base/types.ts'
import type { CallTrace } from '../../core/trace/shapes.ts'
import { loadOtterscan } from '../otterscan/load.ts'
import { aboutTransaction, ofBlock, ofState, type PlacedCheck } from './readers.ts'
import { blockAt, type Reader } from './request.ts'
import * as shape from './shapes.ts'

type Forked = Awaited<ReturnType<typeof loadOtterscan>>['forked']

const nothing = async () => undefined

/** A header: a block without what is not in its header. */
export const readHeader: Reader = async (request) => {
  const check: PlacedCheck = (asked) => blockAt(asked)
  const found = await ofBlock(0, { check, byHash: 'eth_getBlockByHash' })({
    ...request,
    name: 'eth_getBlockByNumber',
    params: [request.params[0], false],
    local: nothing,
  })
  if (found === undefined) return request.local()
  const { transactions, uncles, size, withdrawals, totalDifficulty, ...header } = found as PresealRpcBlock
  return header
}

/**
 * A block with its receipts.
 *
 * @param name - the method that reads the block with the first of the params.
 * @param toAnswer - called with the rest of the values.
 */
export function ofFullBlock(
  name: 'eth_getBlockByNumber' | 'eth_getBlockByHash',
  receiptsOf: PlacedCheck,
  toAnswer: (
    forked: Forked,
    block: PresealRpcBlock<PresealRpcTransaction>,
    receipts: readonly PresealRpcReceipt[],
    values: readonly unknown[],
  ) => unknown,
): Reader {
  return async (request) => {
    const [block, receipts] = await Promise.all([
      ofBlock(0, { check: (asked) => blockAt(asked, shape.fullBlock), byHash: 'eth_getBlockByHash' })({
        ...request,
        name,
        params: [request.params[0], true],
        local: nothing,
      }),
      ofBlock(
        0,
        receiptsOf,
      )({
        ...request,
        name: 'eth_getBlockReceipts',
        params: [request.params[0]],
        local: nothing,
      }),
    ])
    if (block === undefined || receipts === undefined) return request.local()
    return toAnswer(
      (await loadOtterscan()).forked,
      block as PresealRpcBlock<PresealRpcTransaction>,
      receipts as readonly PresealRpcReceipt[],
      request.values.slice(1),
    )
  }
}

/** Whether an account has code. */
export const readHasCode: Reader = async (request) => {
  const code = await ofState(1, shape.bytes)({ ...request, name: 'eth_getCode', local: nothing })
  return code === undefined ? request.local() : code !== '0x'
}

/** The frames of a transaction, by callTracer. */
export function ofFrames(toAnswer: (trace: CallTrace, forked: Forked) => unknown): Reader {
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

/** The hash alone of a transaction by sender and nonce. @param read - reads the transaction. */
export function hashOf(read: Reader): Reader {
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
