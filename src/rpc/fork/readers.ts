/** Decides who answers a request on a fork, and asks the forked node. */

import { quantity } from '../../base/bytes.ts'
import { isAbsent } from '../../base/schema.ts'
import type { Hash, Hex } from '../../base/types.ts'
import { orNull } from '../../core/fork/answers.ts'
import { ForkedChainChangedError, NotInForkCacheError } from '../../core/fork/errors.ts'
import type { Fork } from '../../core/fork/remote.ts'
import { SETTLED_DEPTH } from '../../core/fork/stateReads.ts'
import type { BlockReference } from '../../core/view/sources.ts'
import { NoForkProofsError, StateUnavailableError } from '../../ethereum/state/errors.ts'
import type { RpcContext } from '../method.ts'
import { findTransaction } from '../transactions.ts'
import {
  type Check,
  type Placed,
  type PlacedCheck,
  placedBlock,
  quantity64,
  transactionOf,
} from './shapes.ts'

/** A request on a fork. `values` are its parsed parameters. */
export interface ForkRequest {
  /** The method's name, never an alias. */
  readonly name: string
  /** Params as the caller sent them. */
  readonly params: readonly unknown[]
  readonly values: readonly unknown[]
  readonly context: RpcContext
  readonly fork: Fork
  /** Answers from the chain here. @param values - in place of the request's. */
  local(values?: readonly unknown[]): Promise<unknown>
}

/** Answers a request from the forked node, from the chain here, or from both. */
export type ForkReader = (request: ForkRequest) => Promise<unknown>

/** Asks the forked node. @param isPinned - whether the answer may be cached: it never changes on the forked chain. */
export function ask<Shape>(
  { fork }: Pick<ForkRequest, 'fork'>,
  method: string,
  params: readonly unknown[],
  check: Check,
  isPinned = true,
): Promise<Shape> {
  const read = (answer: unknown): Shape => {
    check(answer)
    return answer as Shape
  }
  return fork.ask(method, params, read, isPinned)
}

/** Whether a block of the forked node is at or before the fork. */
export function isForked(fork: Fork, number: Hex | null | undefined): boolean {
  return !isAbsent(number) && BigInt(number) <= fork.number
}

/** Whether the forked node has a block with this hash at or before the fork. */
export async function findForked(request: Pick<ForkRequest, 'fork'>, hash: Hash): Promise<boolean> {
  const found = await ask<{ readonly number: Hex } | null>(
    request,
    'eth_getBlockByHash',
    [hash, false],
    orNull(placedBlock({ hash })),
  )
  return found !== null && isForked(request.fork, found.number)
}

// Tags and numbers are resolved here: the forked node never gets a tag, and its blocks after the fork stay hidden.

/** Returns a reader of the block that parameter `at` names. The forked node answers for blocks up to the fork. */
export function ofBlock(at: number, check: PlacedCheck): ForkReader {
  return (request) => readAt(request, at, request.fork.number, check)
}

/**
 * Returns a reader of the state after a block. The forked node answers for blocks before the fork, the chain here for
 * the fork's block and later ones, since cheats may have changed their states.
 *
 * @param readsBlock - whether a request reads the block itself; then the forked node also answers for the fork's block.
 */
export function ofState(
  at: number,
  check: Check,
  readsBlock?: (values: readonly unknown[]) => boolean,
): ForkReader {
  return (request) => {
    const { number } = request.fork
    const last = readsBlock?.(request.values) ? number : number - 1n
    return readAt(request, at, last, () => check)
  }
}

/**
 * Returns a reader of the tries after a block, which the chain here lacks. Refuses blocks after the fork. Refuses the
 * fork's block if cheats have changed its state, since the forked node does not know the changes.
 */
export function ofTrie(at: number, check: PlacedCheck): ForkReader {
  return (request) => {
    const { fork, context } = request
    const entry = context.viewed.tip.base.ledger.get(fork.hash)
    // If the block is older than the history, the writes of cheats are no longer known.
    const isForkedState = entry !== undefined && entry.patches === undefined
    const checkOrRefuse: PlacedCheck = (asked, values) => {
      if (!isForkedState && asked.hash === fork.hash) throw new StateUnavailableError()
      return check(asked, values)
    }
    const refuse = () => Promise.reject(new NoForkProofsError())
    return readAt(request, at, fork.number, checkOrRefuse, refuse)
  }
}

async function readAt(
  request: ForkRequest,
  at: number,
  last: bigint,
  check: PlacedCheck,
  after: () => Promise<unknown> = () => request.local(),
): Promise<unknown> {
  const { context, values } = request
  const { viewed } = context
  const reference = toReference(values[at] as BlockReference | Hash | undefined)
  if (reference?.kind !== 'hash') {
    const number = viewed.numberOf(reference)
    if (number === undefined || number > last) return after()
    const hash = number === request.fork.number ? request.fork.hash : undefined
    const named = [...request.params]
    // A method with `Number` in its name has a twin with `Hash`, which takes the hash in place of the number.
    const byHash = request.name.replace('Number', 'Hash')
    if (hash !== undefined && byHash !== request.name) {
      // Asked by hash, the node can only answer about the fork's block, and a cache may have the answer.
      named[at] = hash
      return ask(request, byHash, named, check({ number, hash }, values))
    }
    named[at] = quantity(number)
    return askPinned(request, named, check({ number, hash }, values))
  }
  const { hash } = reference
  const here = await viewed.find(reference)
  if (here !== undefined) {
    const { number } = here.block
    return number > last
      ? after()
      : ask(request, request.name, request.params, check({ number, hash }, values))
  }
  const answer = ask(request, request.name, request.params, check({ hash }, values))
  return whereForked(request, findForked(request, hash), answer)
}

function toReference(value: BlockReference | Hash | undefined): BlockReference | undefined {
  return typeof value === 'string' ? { kind: 'hash', hash: value, requireCanonical: false } : value
}

/** Returns a reader of a transaction or a receipt by hash. The answer names its block, which may be after the fork. */
export function ofTransaction(check: (hash: Hash) => Check): ForkReader {
  return async (request) => {
    const hash = request.values[0] as Hash
    if (findTransaction(request.context, hash) !== undefined) return request.local()
    const found = await askPinned<Placed | null>(request, request.params, orNull(check(hash)))
    return found !== null && isForked(request.fork, found.blockNumber) ? found : request.local()
  }
}

/** Returns a reader of data about a transaction. The answer does not name the block: a second request asks for it. */
export function aboutTransaction(check: Check): ForkReader {
  return async (request) => {
    const hash = request.values[0] as Hash
    if (findTransaction(request.context, hash) !== undefined) return request.local()
    const answer = askPinned(request, request.params, check)
    return whereForked(request, findForkedTransaction(request, hash), answer)
  }
}

/** Whether the forked node has a transaction at or before the fork. */
export async function findForkedTransaction(request: ForkRequest, hash: Hash): Promise<boolean> {
  const check = orNull(transactionOf(hash))
  const found = await askPinned<Placed | null>(request, [hash], check, 'eth_getTransactionByHash')
  return found !== null && isForked(request.fork, found.blockNumber)
}

/**
 * Returns `answer` if `isForked` resolves to true, otherwise the answer of the chain here. The caller sends both
 * requests to the forked node first, so that they share a round trip.
 */
export async function whereForked(
  request: ForkRequest,
  isForked: Promise<boolean>,
  answer: Promise<unknown>,
): Promise<unknown> {
  // Prevents an unhandled rejection if the answer is not used: errors about blocks after the fork stay hidden.
  answer.catch(() => {})
  return (await isForked) ? answer : request.local()
}

/**
 * Asks the forked node for an answer that a reorganisation of its chain would change. First requires that the node
 * still has the fork's block, since the answer is cached.
 */
export async function askPinned<Shape>(
  request: ForkRequest,
  params: readonly unknown[],
  check: Check,
  method = request.name,
): Promise<Shape> {
  await requirePinned(request)
  return ask(request, method, params, check)
}

/** By node connection: the running check, or the last check if its outcome is final. */
const checks = new WeakMap<object, Promise<void>>()

/**
 * Requires that the forked node still has the fork's block. Concurrent requests share a check. Once the block is deep
 * enough, no further check is made.
 *
 * @throws ForkedChainChangedError if the node has a different block; then for all later requests too
 */
async function requirePinned(request: Pick<ForkRequest, 'fork'>): Promise<void> {
  const { node } = request.fork
  let check = checks.get(node)
  if (check === undefined) {
    const isFinal = checkPin(request)
    check = isFinal.then(() => {})
    checks.set(node, check)
    const forget = () => checks.delete(node)
    isFinal.then(
      (final) => final || forget(),
      (error) => error instanceof ForkedChainChangedError || forget(),
    )
  }
  await check
}

/** @returns whether no further check is needed. */
async function checkPin(request: Pick<ForkRequest, 'fork'>): Promise<boolean> {
  const { number, hash } = request.fork
  const params = [quantity(number), false]
  const check = orNull(placedBlock({ number }))
  try {
    const [found, head] = await Promise.all([
      ask<{ readonly hash: Hash } | null>(request, 'eth_getBlockByNumber', params, check, false),
      ask<string>(request, 'eth_blockNumber', [], quantity64, false),
    ])
    if (found?.hash.toLowerCase() !== hash) throw new ForkedChainChangedError(number)
    return BigInt(head) - number >= SETTLED_DEPTH
  } catch (error) {
    // Offline, all answers are from the cache, which no reorganisation changes.
    if (error instanceof NotInForkCacheError) return true
    throw error
  }
}
