/**
 * Adds Solidity stack traces to the errors of failed executions, by executing again; a chunk that the first failure loads.
 *
 * Owns: the contracts of the option `stackTraces`, as far as they were read.
 */
import type { StackTraceSource } from '../config/stackTraceOptions.ts'
import type { Crypto } from '../crypto/crypto.ts'
import type { Tracer } from '../evm/executor.ts'
import { type ReadArtifacts, readArtifacts } from '../explain/artifacts.ts'
import {
  forgetSolidityTraces,
  keepSolidityTrace,
  type SolidityTrace,
  showSolidityTrace,
} from '../primitives/solidityTrace.ts'
import { readFolder } from './folder.ts'
import { StackTraces } from './stackTrace.ts'

/** What is used of a chain: it identifies the chain, whose traces are forgotten when it closes. */
export interface ClosingChain {
  onClose(fn: () => void): unknown
}

/** See the file's header. */
export class Failures {
  readonly #source: StackTraceSource
  readonly #crypto: Crypto
  readonly #chain: ClosingChain
  #project: ReadArtifacts | undefined
  #traces: StackTraces | undefined

  constructor(source: StackTraceSource, crypto: Crypto, chain: ClosingChain) {
    this.#source = source
    this.#crypto = crypto
    this.#chain = chain
    chain.onClose(() => forgetSolidityTraces(chain))
  }

  /**
   * Adds the trace to an error, as `solidity` and on top of its `stack`. If that fails, a note says so.
   *
   * @param execute - executes again.
   * @returns the error.
   */
  async explain<E extends Error>(error: E, execute: (tracer: Tracer) => Promise<unknown>): Promise<E> {
    const solidity = await this.#trace(execute).catch(toFailedTrace)
    return showSolidityTrace(Object.assign(error, solidity && { solidity }))
  }

  async #trace(execute: (tracer: Tracer) => Promise<unknown>): Promise<SolidityTrace | undefined> {
    const { notes } = this.#read()
    const { tracer, result, call } = this.#traces!.begin()
    await execute(tracer)
    const trace = result()
    const whole = trace && { ...trace, notes: [...trace.notes, ...notes].slice(0, 5) }
    if (whole !== undefined) keepSolidityTrace(this.#chain, call(), whole)
    return whole
  }

  /** Folders are looked at again, since contracts may have been compiled since. */
  #read(): ReadArtifacts {
    const source = this.#source
    const last = this.#project
    const project = typeof source === 'string' ? readFolder(source) : (last ?? readArtifacts(source))
    if (project !== last) {
      this.#project = project
      this.#traces = new StackTraces(project.contracts, this.#crypto)
    }
    return project
  }
}

function toFailedTrace(error: unknown): SolidityTrace {
  const notes = [`the stack trace failed: ${String(error)}`]
  return { cause: undefined, message: 'no stack trace', frames: [], stack: '', notes }
}
