/**
 * Calls of the console that Hardhat's and Foundry's console.sol call: an address without code, so nothing comes of
 * them.
 */
import type { Address, Hash } from '../primitives/types.ts'
import type { FrameStart, Tracer } from './executor.ts'

/** The ASCII of `console.log`. */
export const CONSOLE: Address = '0x000000000000000000636f6e736f6c652e6c6f67'

/** A call of the console, as it came. */
export interface ConsoleCall {
  /** The contract that called. */
  readonly address: Address
  readonly data: Uint8Array
}

/** What an execution said: a transaction that entered a block, or a call that has no hash. */
export interface ConsoleEntry {
  readonly transactionHash: Hash | null
  readonly calls: readonly ConsoleCall[]
}

/** Bytes of calls that are kept of one execution: calling with the same megabyte again and again costs little gas. */
const MAX_BYTES = 2 ** 24

/** Collects the calls of an execution, those of frames that revert too; the first 16 MiB of them. */
export class ConsoleCalls implements Tracer {
  calls: ConsoleCall[] = []
  #bytes = 0

  onStart(): void {
    this.calls = []
    this.#bytes = 0
  }

  onEnter({ from, to, input }: FrameStart): void {
    if (to !== CONSOLE || this.#bytes + input.length > MAX_BYTES) return
    this.#bytes += input.length
    this.calls.push({ address: from, data: input.slice() })
  }
}
