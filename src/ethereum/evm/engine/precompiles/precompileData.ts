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
