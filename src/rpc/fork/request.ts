/** Requests on a fork, and what they ask the forked node. */

import { quantity } from '../../base/bytes.ts'
import { SchemaError } from '../../base/errors.ts'
import type { Hash } from '../../base/types.ts'
import { orNull } from '../../core/fork/answers.ts'
import type { ForkReads } from '../../core/view/sources.ts'
import type { RpcContext } from '../method.ts'
import { block, type Check, receipt, transaction } from './shapes.ts'

/** A request on a fork. */
export interface ForkRequest {
  /** The first of the method's names. */
  readonly name: string
  /** The params as the caller sent them. */
  readonly params: readonly unknown[]
  /** The params as they were parsed. */
  readonly values: readonly unknown[]
  readonly context: RpcContext
  readonly fork: ForkReads
  /** What the chain here answers. @param values - in place of the request's. */
  local(values?: readonly unknown[]): Promise<unknown>
}

/** Answers a request on a fork: from the chain here, from the forked node, or from both. */
export type Reader = (request: ForkRequest) => Promise<unknown>

/** Asks the forked node for what never changes in the chain that was forked. */
export function ask<Shape>(
  { fork }: Pick<ForkRequest, 'fork'>,
  method: string,
  params: readonly unknown[],
  check: Check,
): Promise<Shape> {
  return fork.ask(method, params, toReader<Shape>(check))
}

/** Asks the forked node itself, even if an earlier answer is known. */
export function askNow<Shape>(
  fork: ForkReads,
  method: string,
  params: readonly unknown[],
  check: Check,
): Promise<Shape> {
  return fork.ask(method, params, toReader<Shape>(check), false)
}

/** The answer as it is, once it was checked. */
const toReader =
  <Shape>(check: Check) =>
  (answer: unknown): Shape => {
    check(answer)
    return answer as Shape
  }

/** Whether a block of the forked node is at or before the fork. */
export function isForked(fork: ForkReads, number: unknown): boolean {
  return typeof number === 'string' && BigInt(number) <= fork.number
}

/** The block of the forked node that has this hash, if it is at or before the fork. */
export async function findForked(request: Pick<ForkRequest, 'fork'>, hash: Hash): Promise<boolean> {
  const found = await ask<{ number: string } | null>(
    request,
    'eth_getBlockByHash',
    [hash, false],
    orNull(blockAt({ hash })),
  )
  return found !== null && isForked(request.fork, found.number)
}

/** A block that a request names by number, by hash, or by both. */
export interface Asked {
  readonly number?: bigint | undefined
  readonly hash?: Hash | undefined
}

/** Requires a field to be a number, however many zeros it begins with. */
export function requireNumber(value: unknown, wanted: bigint | undefined, path: string): void {
  if (wanted === undefined || BigInt(value as string) === wanted) return
  throw new SchemaError(path, quantity(wanted))
}

/** Requires a field to be hex data, in either case. */
export function requireHex(value: unknown, wanted: string | undefined, path: string): void {
  if (wanted === undefined || (value as string).toLowerCase() === wanted) return
  throw new SchemaError(path, wanted)
}

/** A block with transactions in either form, at the place that was asked for. */
export function blockAt({ number, hash }: Asked, shape: Check = block): Check {
  return (value, path = '') => {
    shape(value, path)
    const found = value as { number: string; hash: string; transactions: readonly unknown[] }
    requireNumber(found.number, number, `${path}.number`)
    requireHex(found.hash, hash, `${path}.hash`)
    const place = { number: BigInt(found.number), hash: found.hash.toLowerCase() as Hash }
    for (const [i, tx] of found.transactions.entries()) {
      if (typeof tx !== 'string') requirePlace(tx, place, i, `${path}.transactions[${i}]`)
    }
  }
}

/** Requires a transaction, a receipt or a log to be in a block, and at an index of it. */
export function requirePlace(value: unknown, { number, hash }: Asked, index: number, path: string): void {
  const { blockNumber, blockHash, transactionIndex } = value as Readonly<Record<string, unknown>>
  // In the answer for a block these fields may be absent, but must not name another block.
  if (typeof blockNumber === 'string') requireNumber(blockNumber, number, `${path}.blockNumber`)
  if (typeof blockHash === 'string') requireHex(blockHash, hash, `${path}.blockHash`)
  if (typeof transactionIndex === 'string') {
    requireNumber(transactionIndex, BigInt(index), `${path}.transactionIndex`)
  }
}

/** A transaction with this hash; its block fields are null while it waits. */
export function transactionOf(hash: Hash): Check {
  return (value, path = '') => {
    transaction(value, path)
    requireHex((value as { hash: string }).hash, hash, `${path}.hash`)
  }
}

/** The receipt of the transaction with this hash. */
export function receiptOf(hash: Hash): Check {
  return (value, path = '') => {
    receipt(value, path)
    requireHex((value as { transactionHash: string }).transactionHash, hash, `${path}.transactionHash`)
  }
}
