/**
 * The codes that the frames of an execution run, for tracers.
 *
 * Owns: the codes of contracts that the execution created, which its state has only once it has ended.
 */

import type { Address } from '../../base/types.ts'
import { readCode } from '../state/account.ts'
import type { Overlay } from '../state/overlay.ts'
import type { FrameEnd } from './executor.ts'
import { delegateOf } from './validate.ts'

/** See the file's header. */
export class FrameCodes {
  #state: Overlay | undefined
  readonly #created = new Map<Address, Uint8Array>()

  /** Begins an execution. */
  start(state: Overlay): void {
    this.#state = state
    this.#created.clear()
  }

  /** Notes what a frame created, when it ends. */
  end({ created, error, output }: FrameEnd): void {
    // Copied, since the output may be a view of memory.
    if (created !== undefined && error === undefined) this.#created.set(created, output.slice())
  }

  /** The code that a call of an account runs: of a delegated account (EIP-7702) that of the other one. */
  codeOf(address: Address): Uint8Array {
    const code = this.#read(address)
    const delegate = delegateOf(code)
    return delegate === undefined ? code : this.#read(delegate)
  }

  #read(address: Address): Uint8Array {
    return this.#created.get(address) ?? readCode(this.#state!, address)
  }
}
