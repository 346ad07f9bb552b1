/** Words at which a representation, a case distinction or a size changes. */
import type { Word } from '../../../../src/ethereum/evm/engine/word.ts'

/** 2^256 */
export const END = 2n ** 256n

const around = (bits: number): bigint[] => [
  2n ** BigInt(bits) - 1n,
  2n ** BigInt(bits),
  2n ** BigInt(bits) + 1n,
]

/** All of them. */
export const BOUNDARIES: readonly bigint[] = [
  ...[0n, 1n, 2n, 3n, 7n, 30n, 31n, 32n, 33n, 47n, 48n, 52n, 53n, 127n, 128n, 255n, 256n, 257n],
  ...[16, 31, 32, 48, 52].flatMap(around),
  ...[2n ** 53n - 2n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 54n],
  ...[64, 128, 160, 255].flatMap(around),
  ...[2n ** 127n, 2n ** 192n, 2n ** 256n - 2n ** 53n, END - 256n, END - 2n, END - 1n],
]

/** Some of them, for pairs of many instructions. */
export const FEW_BOUNDARIES: readonly bigint[] = [
  ...[0n, 1n, 2n, 31n, 32n, 255n, 256n, 2n ** 31n, 2n ** 32n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n],
  ...[2n ** 63n, 2n ** 64n - 1n, 2n ** 128n, 2n ** 255n - 1n, 2n ** 255n, END - 1n],
]

/** Fewer of them, for triples. */
export const FEWEST_BOUNDARIES: readonly bigint[] = [
  ...[0n, 1n, 31n, 32n, 256n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 255n, END - 1n],
]

/** Whether a word is a number if and only if it is at most 2^53 - 1. */
export function isCanonical(word: Word): boolean {
  if (typeof word === 'bigint') return word > Number.MAX_SAFE_INTEGER && word < END
  return Number.isSafeInteger(word) && word >= 0 && !Object.is(word, -0)
}
