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
