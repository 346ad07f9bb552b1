/**
 * Adds Solidity stack traces to the errors of failed executions, by executing again; a chunk that the first failure loads.
 *
 * Owns: the contracts of the option `stackTraces`, as far as they were read, for all chains: tests create many with the same.
 */

import type { Crypto } from '../../base/crypto/crypto.ts'
import type { StackTraceSource } from '../../base/options/options.ts'
import {
  forgetSolidityTraces,
  keepSolidityTrace,
  type SolidityTrace,
  showSolidityTrace,
} from '../../base/solidityTrace.ts'
import type { Tracer } from '../../ethereum/evm/executor.ts'
import { type ReadArtifacts, readArtifacts } from '../explain/artifacts.ts'
import { readFolder } from './folder.ts'
import { StackTraces } from './stackTrace.ts'

/** What is used of a chain: it identifies the chain, whose traces are forgotten when it closes. */
export interface ClosingChain {
  onClose(fn: () => void): unknown
}

/** The contracts of each list of build infos. */
const lists = new WeakMap<readonly object[], ReadArtifacts>()
/** What makes the traces of each project, and the hash function that it uses. */
const prepared = new WeakMap<ReadArtifacts, { readonly crypto: Crypto; readonly traces: StackTraces }>()

/** See the file's header. */
export class Failures {
  readonly #source: StackTraceSource
  readonly #crypto: Crypto
  readonly #chain: ClosingChain

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
    const project = readProject(this.#source)
    const { tracer, result, call } = prepare(project, this.#crypto).begin()
    await execute(tracer)
    const trace = result()
    const whole = trace && { ...trace, notes: [...trace.notes, ...project.notes].slice(0, 5) }
    if (whole !== undefined) keepSolidityTrace(this.#chain, call(), whole)
    return whole
  }
}

/** Folders are looked at again, since contracts may have been compiled since. */
function readProject(source: StackTraceSource): ReadArtifacts {
  if (typeof source === 'string') return readFolder(source)
  const project = lists.get(source) ?? readArtifacts(source)
  lists.set(source, project)
  return project
}

function prepare(project: ReadArtifacts, crypto: Crypto): StackTraces {
  const known = prepared.get(project)
  if (known?.crypto === crypto) return known.traces
  const traces = new StackTraces(project.contracts, crypto)
  prepared.set(project, { crypto, traces })
  return traces
}

function toFailedTrace(error: unknown): SolidityTrace {
  const notes = [`the stack trace failed: ${String(error)}`]
  return { cause: undefined, message: 'no stack trace', frames: [], stack: '', notes }
}
