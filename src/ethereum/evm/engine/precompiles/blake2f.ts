import { Halt } from '../message.ts'
import type { Precompile } from './precompile.ts'

const INPUT_LENGTH = 213

/** BLAKE2b's F: rounds ‖ h ‖ m ‖ t ‖ f → h; one gas per round. */
export const blake2f: Precompile = {
  // Input of the wrong length has no rounds, and fails in any case.
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
  for (const [i, word] of state.entries()) output.setInt32(4 * i, word, true)
  return new Uint8Array(output.buffer)
}

function viewOf(input: Uint8Array): DataView {
  return new DataView(input.buffer, input.byteOffset, input.length)
}

// BLAKE2b's F (RFC 7693, section 3.2): hashing libraries export only the hash, of 12 rounds. 64-bit words are pairs of
// 32 bits, the lower half first: bigints allocate memory and are slower. Owns: the work vector and the current message.

/** The order of the message's words in each of ten rounds, as indices of their lower halves. */
const SIGMA = Uint8Array.from(
  [
    '0123456789abcdef',
    'ea489fd61c02b753',
    'b8c052fdae367194',
    '7931dcbe265a40f8',
    '905724afe1bc683d',
    '2c6a0b834d75fe19',
    'c51fed4a0763928b',
    'db7ec13950f4862a',
    '6fe9b308c2d714a5',
    'a2847615fb9e3cd0',
  ].flatMap((round) => Array.from(round, (digit) => 2 * Number.parseInt(digit, 16))),
)

const IV = Int32Array.from([
  0xf3bcc908, 0x6a09e667, 0x84caa73b, 0xbb67ae85, 0xfe94f82b, 0x3c6ef372, 0x5f1d36f1, 0xa54ff53a, 0xade682d1,
  0x510e527f, 0x2b3e6c1f, 0x9b05688c, 0xfb41bd6b, 0x1f83d9ab, 0x137e2179, 0x5be0cd19,
])

/** The number of rounds in a part, which take some milliseconds. */
const PART = 2 ** 16

const v = new Int32Array(32)
const m = new Int32Array(32)

/**
 * Applies F to the 8 words of a state, in parts.
 *
 * @param message - 16 words.
 * @param offset - 2 words: the bytes hashed so far.
 */
export function* compress(
  state: Int32Array,
  message: Int32Array,
  offset: Int32Array,
  isFinal: boolean,
  rounds: number,
): Generator<undefined, void> {
  m.set(message)
  v.set(state)
  v.set(IV, 16)
  for (let i = 0; i < 4; i++) v[24 + i]! ^= offset[i]!
  if (isFinal) {
    v[28] = ~v[28]!
    v[29] = ~v[29]!
  }
  for (let round = 0, s = 0; round < rounds; round++) {
    if (round % PART === 0 && round > 0) {
      const work = v.slice()
      yield
      // A different call may have run in between.
      v.set(work)
      m.set(message)
    }
    mix(0, 8, 16, 24, SIGMA[s]!, SIGMA[s + 1]!)
    mix(2, 10, 18, 26, SIGMA[s + 2]!, SIGMA[s + 3]!)
    mix(4, 12, 20, 28, SIGMA[s + 4]!, SIGMA[s + 5]!)
    mix(6, 14, 22, 30, SIGMA[s + 6]!, SIGMA[s + 7]!)
    mix(0, 10, 20, 30, SIGMA[s + 8]!, SIGMA[s + 9]!)
    mix(2, 12, 22, 24, SIGMA[s + 10]!, SIGMA[s + 11]!)
    mix(4, 14, 16, 26, SIGMA[s + 12]!, SIGMA[s + 13]!)
    mix(6, 8, 18, 28, SIGMA[s + 14]!, SIGMA[s + 15]!)
    s = s === 144 ? 0 : s + 16
  }
  for (let i = 0; i < 16; i++) state[i]! ^= v[i]! ^ v[i + 16]!
}

/** The mixing function G on four words of the work vector and two of the message. */
function mix(a: number, b: number, c: number, d: number, x: number, y: number): void {
  let [al, ah] = [v[a]!, v[a + 1]!]
  let [bl, bh] = [v[b]!, v[b + 1]!]
  let [cl, ch] = [v[c]!, v[c + 1]!]
  let [dl, dh] = [v[d]!, v[d + 1]!]

  // The sum of the lower halves is exact; its bits above 32 are the carry.
  let sum = (al >>> 0) + (bl >>> 0) + (m[x]! >>> 0)
  ah = (ah + bh + m[x + 1]! + carryOf(sum)) | 0
  al = sum | 0
  let low = dl ^ al
  dl = dh ^ ah
  dh = low
  sum = (cl >>> 0) + (dl >>> 0)
  ch = (ch + dh + carryOf(sum)) | 0
  cl = sum | 0
  low = bl ^ cl
  let high = bh ^ ch
  bl = (low >>> 24) | (high << 8)
  bh = (high >>> 24) | (low << 8)

  sum = (al >>> 0) + (bl >>> 0) + (m[y]! >>> 0)
  ah = (ah + bh + m[y + 1]! + carryOf(sum)) | 0
  al = sum | 0
  low = dl ^ al
  high = dh ^ ah
  dl = (low >>> 16) | (high << 16)
  dh = (high >>> 16) | (low << 16)
  sum = (cl >>> 0) + (dl >>> 0)
  ch = (ch + dh + carryOf(sum)) | 0
  cl = sum | 0
  low = bl ^ cl
  high = bh ^ ch
  bl = (high >>> 31) | (low << 1)
  bh = (low >>> 31) | (high << 1)

  v[a] = al
  v[a + 1] = ah
  v[b] = bl
  v[b + 1] = bh
  v[c] = cl
  v[c + 1] = ch
  v[d] = dl
  v[d + 1] = dh
}

function carryOf(sum: number): number {
  return (sum / 2 ** 32) | 0
}
