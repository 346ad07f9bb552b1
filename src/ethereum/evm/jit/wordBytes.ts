/** Words in memory as the EVM stores them: 32 bytes, the most significant first. */
import { local, v128, type Wasm } from './assembler.ts'
import type { Emitter, Limbs } from './words.ts'

/**
 * Reads a word.
 *
 * @param half - a local variable of 16 bytes, which is overwritten.
 */
export function readBytes(e: Emitter, half: number, offset: number, address: Wasm): Limbs {
  const lanes = [16, 0].map((from) => {
    const bytes = v128.reverse(v128.load(offset + from, address))
    return [v128.lane(0, local.tee(half, bytes)), v128.lane(1, local.get(half))]
  })
  return e.keepWord(lanes)
}

/** Writes a word. */
export function writeBytes(e: Emitter, word: Limbs, offset: number, address: Wasm): Wasm {
  return [16, 0].map((from, i) => {
    const [low, high] = [e.value(word[2 * i]!), e.value(word[2 * i + 1]!)]
    return v128.store(offset + from, address, v128.reverse(v128.withLane(1, v128.splat(low), high)))
  })
}
