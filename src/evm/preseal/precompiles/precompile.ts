/** The interface of precompiles. */

/** A contract that is part of the protocol instead of the state. Neither function alters its input. */
export interface Precompile {
  /** Gas for this input; `Infinity` if it is beyond 2^53. */
  gas(input: Uint8Array): number
  /**
   * The output, in an array of its own. To be called only once the gas is paid, which limits time and memory.
   *
   * @throws Halt if the input is invalid, with go-ethereum's text.
   * @throws Missing if its library is not loaded.
   */
  run(input: Uint8Array): Uint8Array
}

/** Gas that grows by the word of the input (Yellow Paper, appendix E). */
export function gasByWord(base: number, perWord: number): Precompile['gas'] {
  return (input) => base + perWord * Math.ceil(input.length / 32)
}
