/**
 * State of the forked block that is asked for before the block is known, so that one trip brings both.
 *
 * Owns: the answers, until they are taken.
 */
import { quantity } from '../primitives/bytes.ts'
import type { Hash } from '../primitives/types.ts'
import { quantity as readQuantity } from './answers.ts'
import { type Remote, type RemoteRequest, readAnswer } from './remote.ts'
import { type BlockParameter, createPlainReads, type StateKey } from './stateReads.ts'

/** Blocks after which a chain is not reorganised any more. */
export const SETTLED_DEPTH = 256n

/** See the file's header. */
export class EarlyState {
  readonly #remote: Remote
  /** The answers of the node, by method and params without the block. */
  readonly #answers = new Map<string, Promise<unknown>>()
  /** Whether the answers are about the block that turns out to be forked. */
  readonly #isSettled: Promise<boolean>

  /**
   * Asks for all keys at once. A failure means nothing: what has no answer is asked for again.
   *
   * @param block - a number may mean another block in another answer, unless it is so deep that there is no other one.
   */
  constructor(remote: Remote, block: bigint | Hash, keys: readonly StateKey[]) {
    this.#remote = remote
    const isNumber = typeof block === 'bigint'
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
      const answer = await this.#take(request, hash)
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

  /** The early answer to a request about the block with this hash; undefined if there is none. */
  async #take(request: RemoteRequest, hash: Hash): Promise<unknown> {
    const block = request.params.at(-1) as Partial<Exclude<BlockParameter, string>> | undefined
    const name = nameOf(request)
    const asked = block?.blockHash === hash ? this.#answers.get(name) : undefined
    if (asked === undefined) return undefined
    this.#answers.delete(name)
    return (await this.#isSettled) ? asked.catch(() => undefined) : undefined
  }
}

async function isDeep(remote: Remote, number: bigint): Promise<boolean> {
  const head = { method: 'eth_blockNumber', params: [], read: readQuantity(64), isPinned: false }
  try {
    return (await remote.ask(head)) - number >= SETTLED_DEPTH
  } catch {
    return false
  }
}

const nameOf = ({ method, params }: RemoteRequest): string => JSON.stringify([method, params.slice(0, -1)])
