/** Small numbers as addresses and words, for tests that need several of them. */
import type { Address, Hex } from '../src/base/types.ts'

/** The address with this number. */
export const address = (n: number): Address => `0x${n.toString(16).padStart(40, '0')}`

/** The word of 32 bytes, such as a slot or a hash, with this number. */
export const word = (n: number | bigint): Hex => `0x${n.toString(16).padStart(64, '0')}`
