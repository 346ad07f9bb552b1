import { lazily } from '../../../../base/waiting.ts'

/** A computation in parts of some ten milliseconds at most; the last one returns the result. */
export type InParts<Result> = Iterator<undefined, Result, undefined>

/** A contract that is part of the protocol, not of the state. Neither function alters its input. */
export interface Precompile {
  /** The gas for this input; `Infinity` beyond 2^53. */
  gas(input: Uint8Array): number
  /**
   * The output in a new array, or its computation if it may take long. Call it only after the gas is paid, which limits
   * time and memory. The input must not change until the computation ends.
   *
   * @throws Halt if the input is invalid, with go-ethereum's text; so does each part.
   * @throws Missing until its library is loaded; no part does.
   */
  run(input: Uint8Array): Uint8Array | InParts<Uint8Array>
}

/** Gas that grows by the word of the input (Yellow Paper, appendix E). */
export function gasByWord(base: number, perWord: number): Precompile['gas'] {
  return (input) => base + perWord * Math.ceil(input.length / 32)
}

/** `length` bytes of the input, with zeros beyond its end. */
export function readPadded(input: Uint8Array, at: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  bytes.set(input.subarray(at, at + length))
  return bytes
}

/** Splits the input, a multiple of `length` bytes, into parts, and each part after `first` bytes. */
export function splitPairs(input: Uint8Array, first: number, length: number): [Uint8Array, Uint8Array][] {
  return Array.from({ length: input.length / length }, (_, i) => {
    const part = input.subarray(i * length, (i + 1) * length)
    return [part.subarray(0, first), part.subarray(first)]
  })
}

/** Returns the word 1 or 0, as checks of precompiles output it. */
export function toFlag(value: boolean): Uint8Array {
  const word = new Uint8Array(32)
  word[31] = value ? 1 : 0
  return word
}

/** Runs a check in parts, and returns its result as {@link toFlag} does. */
export function* toFlagInParts(computation: Generator<undefined, boolean>): Generator<undefined, Uint8Array> {
  return toFlag(yield* computation)
}

// Libraries of precompiles, imported when first used, since most chains never do; they throw `Missing` until then.
/** The curve of EIP-196 and EIP-197. */
export const bn254 = lazily(() => import('./bn254Curve.ts'))
/** The curve of EIP-2537. */
export const bls12381 = lazily(() => import('./bls12381Curve.ts'))
/** The curve of EIP-7951. */
export const p256 = lazily(() => import('./p256Curve.ts'))
/** The proofs of EIP-4844, for its point evaluation. */
export const kzg = lazily(() => import('../../../kzg.ts'))
