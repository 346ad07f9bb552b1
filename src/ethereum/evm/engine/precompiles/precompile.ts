import { lazily } from '../../../../base/waiting.ts'

/** The interface of precompiles. */

/** A computation in parts, each of which takes some ten milliseconds at most. What it returns last is its result. */
export type InParts<Result> = Iterator<undefined, Result, undefined>

/** A contract that is part of the protocol instead of the state. Neither function alters its input. */
export interface Precompile {
  /** Gas for this input; `Infinity` if it is beyond 2^53. */
  gas(input: Uint8Array): number
  /**
   * The output, in an array of its own, or a computation of it that may take long. To be called only once the gas is paid,
   * which limits time and memory. The input must not change until the computation has ended.
   *
   * @throws Halt if the input is invalid, with go-ethereum's text; so does each part.
   * @throws Missing if its library is not loaded; no part does.
   */
  run(input: Uint8Array): Uint8Array | InParts<Uint8Array>
}

/** Gas that grows by the word of the input (Yellow Paper, appendix E). */
export function gasByWord(base: number, perWord: number): Precompile['gas'] {
  return (input) => base + perWord * Math.ceil(input.length / 32)
}

/** How precompiles read their inputs and write their outputs, as far as they have it in common. */

/** `length` bytes of the input; those beyond its end are zero. */
export function readPadded(input: Uint8Array, at: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  bytes.set(input.subarray(at, at + length))
  return bytes
}

/**
 * The input in parts of `length` bytes, each in two: its first bytes and the others.
 *
 * @param input - its length must be a multiple of `length`.
 */
export function splitPairs(input: Uint8Array, first: number, length: number): [Uint8Array, Uint8Array][] {
  return Array.from({ length: input.length / length }, (_, i) => {
    const part = input.subarray(i * length, (i + 1) * length)
    return [part.subarray(0, first), part.subarray(first)]
  })
}

/** A boolean as a word of 32 bytes. */
export function toFlag(value: boolean): Uint8Array {
  const word = new Uint8Array(32)
  word[31] = value ? 1 : 0
  return word
}

/** {@link toFlag} of the result of a computation. */
export function* toFlagInParts(computation: Generator<undefined, boolean>): Generator<undefined, Uint8Array> {
  return toFlag(yield* computation)
}

// The libraries of the precompiles that are imported at their first use, since most chains never call them.
//
// Owns: which of them are loaded, for the whole process.

/** Elliptic curve bn254. @throws Missing until it is loaded. */
export const bn254 = lazily(() => import('./bn254Curve.ts'))
/** Elliptic curve BLS12-381. @throws Missing until it is loaded. */
export const bls12381 = lazily(() => import('./bls12381Curve.ts'))
/** Elliptic curve secp256r1. @throws Missing until it is loaded. */
export const p256 = lazily(() => import('./p256Curve.ts'))
/** KZG verification. @throws Missing until it is loaded. */
export const kzg = lazily(() => import('../../../kzg.ts'))
