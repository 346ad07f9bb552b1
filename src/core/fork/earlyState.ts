/**
 * State of the forked block that is asked for before the block is known, so that one trip brings both.
 *
 * Owns: the answers, until they are taken.
 */
import { quantity } from '../../base/bytes.ts'
import type { Hash } from '../../base/types.ts'
import { quantity as readQuantity } from './answers.ts'
import { ForkedStateUnavailableError, RemoteRpcError } from './errors.ts'
import { type Remote, type RemoteRequest, readAnswer } from './remote.ts'
import { type BlockParameter, createPlainReads, type StateKey } from './stateReads.ts'

/** Blocks after which a chain is not reorganised any more. */
export const SETTLED_DEPTH = 256n

/** See the file's header. */
export class EarlyState {
  readonly #remote: Remote
  /** The answers of the node, by method and params without the block. */
  readonly #answers = new Map<string, Promise<unknown>>()
  readonly #isByNumber: boolean
  /** Whether the answers are about the block that turns out to be forked. */
  readonly #isSettled: Promise<boolean>

  /**
   * Asks for all keys at once. What the node refuses by number is asked for again by hash.
   *
   * @param block - a number may mean another block in another answer, unless it is so deep that there is no other one.
   */
  constructor(remote: Remote, block: bigint | Hash, keys: readonly StateKey[]) {
    this.#remote = remote
    const isNumber = typeof block === 'bigint'
    this.#isByNumber = isNumber
    this.#isSettled = isNumber ? isDeep(remote, block) : Promise.resolve(true)
    const named = isNumber
      ? { block: quantity(block), isPinned: false, stateOf: block }
      : { block: { blockHash: block }, isPinned: true }
    const recorder = { ask: this.#keep.bind(this), cached: () => undefined }
    const reads = createPlainReads(recorder, () => named)
    for (const { address, slot } of keys) {
      const read = slot === undefined ? reads.account(address) : reads.slot(address, slot)
      read.catch(() => {})
    }
  }

  /** The remote, with what was asked early as its first answers about the block with this hash. */
  at(hash: Hash): Remote {
    const remote = this.#remote
    const takeOrAsk = async <Result>(request: RemoteRequest<Result>): Promise<Result> => {
      // All requests wait for this, so that those that have to be asked share a trip.
      const isSettled = await this.#isSettled
      const answer = isSettled && isAbout(request, hash) ? await this.#take(request) : undefined
      return answer === undefined ? remote.ask(request) : readAnswer(request, answer)
    }
    const ask = <Result>(request: RemoteRequest<Result>): Promise<Result> =>
      this.#answers.size === 0 ? remote.ask(request) : takeOrAsk(request)
    return {
      ask,
      askAll: (requests) => Promise.allSettled(requests.map(ask)),
      cached: (request) => remote.cached(request),
      close: () => remote.close(),
    }
  }

  /** Asks, and keeps the answer as the node gave it, which a cache keeps too. */
  async #keep<Result>(request: RemoteRequest<Result>): Promise<Result> {
    const asked = this.#remote.ask({ ...request, read: (answer) => answer })
    this.#answers.set(nameOf(request), asked)
    return readAnswer(request, await asked)
  }

  /** The early answer to a request; undefined if there is none, or if the node refused it by number. */
  async #take(request: RemoteRequest): Promise<unknown> {
    const name = nameOf(request)
    const asked = this.#answers.get(name)
    if (asked === undefined) return undefined
    try {
      return await asked
    } catch (error) {
      if (this.#isByNumber && isRefusal(error)) return undefined
      throw error
    } finally {
      this.#answers.delete(name)
    }
  }
}

function isAbout({ params }: RemoteRequest, hash: Hash): boolean {
  const block = params.at(-1) as Partial<Exclude<BlockParameter, string>> | undefined
  return block?.blockHash === hash
}

const isRefusal = (error: unknown): boolean =>
  error instanceof RemoteRpcError || error instanceof ForkedStateUnavailableError

async function isDeep(remote: Remote, number: bigint): Promise<boolean> {
  const head = { method: 'eth_blockNumber', params: [], read: readQuantity(64), isPinned: false }
  try {
    return (await remote.ask(head)) - number >= SETTLED_DEPTH
  } catch {
    return false
  }
}

const nameOf = ({ method, params }: RemoteRequest): string => JSON.stringify([method, params.slice(0, -1)])
