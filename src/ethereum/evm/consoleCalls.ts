/**
 * Calls to the console address of Hardhat's and Foundry's console.sol, which has no code.
 */
import type { Address, Hash } from '../../base/types.ts'
import type { FrameStart, Tracer } from './executor.ts'

/** The ASCII of `console.log`. */
export const CONSOLE: Address = '0x000000000000000000636f6e736f6c652e6c6f67'

/** A call to the console, undecoded. */
export interface ConsoleCall {
  /** The contract that called. */
  readonly address: Address
  readonly data: Uint8Array
}

/** The console calls of one execution. The hash is that of an included transaction; null for a call. */
export interface ConsoleEntry {
  readonly transactionHash: Hash | null
  readonly calls: readonly ConsoleCall[]
}

/** The limit of calldata kept per execution, in bytes: repeated calls with the same megabyte cost little gas. */
const MAX_BYTES = 2 ** 24

/** Collects the console calls of an execution, including those of reverted frames, up to 16 MiB. */
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
