/** The compression function of BLAKE2b (EIP-152). */
import { Halt } from '../halt.ts'
import { compress } from './blake2Compression.ts'
import type { Precompile } from './precompile.ts'

const INPUT_LENGTH = 213

/** BLAKE2b's F: rounds ‖ h ‖ m ‖ t ‖ f → h; one gas a round. */
export const blake2f: Precompile = {
  // Without its length the input has no rounds, and fails in any case.
  gas: (input) => (input.length === INPUT_LENGTH ? viewOf(input).getUint32(0) : 0),
  run(input) {
    if (input.length !== INPUT_LENGTH) throw new Halt('invalid input length')
    const isFinal = input[INPUT_LENGTH - 1]!
    if (isFinal > 1) throw new Halt('invalid final flag')
    return compressInput(viewOf(input), isFinal === 1)
  },
}

function* compressInput(view: DataView, isFinal: boolean): Generator<undefined, Uint8Array> {
  const wordsAt = (at: number, count: number): Int32Array =>
    Int32Array.from({ length: count }, (_, i) => view.getInt32(at + 4 * i, true))
  const state = wordsAt(4, 16)
  yield* compress(state, wordsAt(68, 32), wordsAt(196, 4), isFinal, view.getUint32(0))
  const output = new DataView(new ArrayBuffer(64))
  state.forEach((word, i) => {
    output.setInt32(4 * i, word, true)
  })
  return new Uint8Array(output.buffer)
}

function viewOf(input: Uint8Array): DataView {
  return new DataView(input.buffer, input.byteOffset, input.length)
}
