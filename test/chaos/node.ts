/** A forked node that answers late, and fails as nodes do. */

import { PresealRpcError } from '../../src/base/errors.ts'
import { systemClock } from '../../src/index.ts'
import type { Asked } from '../core/fork/remoteChain.ts'
import type { Fault } from '../core/sequencer/fault.ts'
import { TestClock } from '../core/sequencer/support.ts'

/**
 * How a request to the node fails: with an error of the node, an answer that is none, no answer, no connection, or none
 * from then on. After the refusals of a rate limit, of a state and of a connection, the request is sent again.
 */
export const NODE_FAILURES = [
  'error',
  'internal',
  'page',
  'nothing',
  'silence',
  'limit',
  'state',
  'disconnected',
  'down',
] as const

export type NodeFailure = (typeof NODE_FAILURES)[number]

/** The errors that the failures of a node can surface with. */
export const NODE_ERRORS =
  /^(injected$|missing trie node$|the forked node (did not answer|no longer has the state)|invalid answer of the forked node)/

/** Methods of which any JSON is an answer, so that no other is recognised. */
const OPEN_ANSWERS = ['eth_config', 'debug_traceCall', 'debug_traceTransaction']

/** The node as one side of a round has it. Owns the time of its requests, which passes only if nothing else happens. */
export class UnreliableNode {
  readonly clock = new TestClock()
  readonly #node: { request(asked: never): Promise<unknown> }
  readonly #fault: Fault
  readonly #failure: () => NodeFailure
  #isDown = false
  /** Requests that are being answered. */
  #open = 0
  #passing: Promise<void> | undefined
  /** Requests so far. */
  asked = 0

  /** @param failure - how a request fails that `fault` fails. */
  constructor(node: { request(asked: never): Promise<unknown> }, fault: Fault, failure: () => NodeFailure) {
    this.#node = node
    this.#fault = fault
    this.#failure = failure
  }

  readonly request = async (asked: Asked): Promise<unknown> => {
    this.asked += 1
    const turns = (this.asked * 7) % 3
    const failure = this.#isDown ? 'disconnected' : this.#next()
    if (failure === 'silence') {
      this.#passing ??= this.#pass()
      return new Promise(() => {})
    }
    this.#open += 1
    this.#passing ??= this.#pass()
    try {
      for (let turn = 0; turn < turns; turn++) await systemClock.yield()
      return failure === undefined ? await this.#node.request(asked as never) : fail(failure, asked)
    } finally {
      this.#open -= 1
    }
  }

  /** Answers again, and waits until nothing is left of the requests before. */
  async recover(): Promise<void> {
    await this.#passing
    this.#isDown = false
  }

  #next(): NodeFailure | undefined {
    try {
      this.#fault.pass()
      return undefined
    } catch {
      const failure = this.#failure()
      this.#isDown = failure === 'down'
      return failure
    }
  }

  /** Lets the time pass until no request waits for it. */
  async #pass(): Promise<void> {
    // What follows an answer can take some turns.
    for (let idle = 0; this.#open > 0 || this.clock.timers.length > 0; ) {
      await systemClock.yield()
      idle = this.#open > 0 ? 0 : idle + 1
      if (idle < 3 || this.clock.timers.length === 0) continue
      await this.clock.fire()
      idle = 0
    }
    this.#passing = undefined
  }
}

function fail(failure: NodeFailure, { method }: Asked): unknown {
  switch (failure) {
    case 'error':
      throw new PresealRpcError(-32000, 'injected')
    case 'internal':
      throw new PresealRpcError(-32603, 'injected')
    case 'limit':
      throw new PresealRpcError(429, 'injected')
    case 'state':
      throw new PresealRpcError(-32000, 'missing trie node')
    case 'page':
      return OPEN_ANSWERS.includes(method) ? undefined : '<html></html>'
    case 'nothing':
      return undefined
    default:
      throw new Error('injected')
  }
}
