/** Messages: calls and creations, their gas, and how they end. */
import { NO_BYTES } from '../../../base/bytes.ts'
import type { FrameType } from '../executor.ts'
import type { JournalAccount } from './journal.ts'
import type { Word } from './word.ts'

/** A call to run: the code, or the precompile, of `codeAccount`, with the address and the storage of `account`. */
export interface Call {
  readonly type: Exclude<FrameType, 'CREATE' | 'CREATE2' | 'SELFDESTRUCT'>
  readonly caller: JournalAccount
  readonly account: JournalAccount
  readonly codeAccount: JournalAccount
  /** Wei. */
  readonly value: Word
  /** May be a view of the caller's memory. */
  readonly input: Uint8Array
  readonly gas: number
  /** The gas above {@link MAX_COUNTED_GAS}, which `gas` does not count; see {@link splitGas}. */
  readonly reserve: bigint
  readonly isStatic: boolean
}

/** A creation to run. Only CREATE2 has a `salt`. */
export interface Creation {
  readonly type: 'CREATE' | 'CREATE2'
  readonly caller: JournalAccount
  /** Wei. */
  readonly value: Word
  readonly initCode: Uint8Array
  readonly salt?: Uint8Array
  readonly gas: number
  /** The gas above {@link MAX_COUNTED_GAS}, which `gas` does not count; see {@link splitGas}. */
  readonly reserve: bigint
}

/** How a message ended. `gas` and `reserve` are left over; `error` is in go-ethereum's words. */
export interface Ending {
  readonly error: string | undefined
  readonly output: Uint8Array
  readonly gas: number
  readonly reserve: bigint
  /** Whether its effects stay although it failed: creations before EIP-2 that cannot pay for their code. */
  readonly keepsEffects?: boolean
  /** Whether it failed in a precompile, and not for lack of gas. */
  readonly isPrecompileFailure?: boolean
}

/** The ending of a failed message. @param unused - the gas that is left; by default none. */
export function failed(
  error: string,
  unused: { readonly gas: number; readonly reserve: bigint } = { gas: 0, reserve: 0n },
): Ending {
  return { error, output: NO_BYTES, gas: unused.gas, reserve: unused.reserve }
}

/** The maximum gas counted as a number. No code can use more, so the rest is only passed on. */
export const MAX_COUNTED_GAS = 2 ** 52

/** Splits gas into the part that frames count, and the rest, which they pass on. */
export function splitGas(total: bigint): readonly [gas: number, reserve: bigint] {
  if (total <= MAX_COUNTED_GAS) return [Number(total), 0n]
  return [MAX_COUNTED_GAS, total - BigInt(MAX_COUNTED_GAS)]
}

/** Ends a frame with an error, at the cost of all gas. Not an `Error`, whose stack trace takes longer than a frame. */
export class Halt {
  constructor(readonly reason: string) {}
}

const OUT_OF_GAS = new Halt('out of gas')

/** Ends the frame. @throws Halt, always the same object */
export function outOfGas(): never {
  throw OUT_OF_GAS
}
