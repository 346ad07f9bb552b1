/** Modular exponentiation of integers of any size. */

/** From how many bits of the exponent on a window has how many bits; below, it has one. */
const WIDER_FROM = [
  [672, 6],
  [240, 5],
  [80, 4],
  [24, 3],
] as const

/** The multiplications of a part, by integers of 64 bits; fewer by longer ones. They take about a millisecond. */
const PART = 2 ** 14

/**
 * base^exponent mod modulus, by sliding windows, in parts.
 *
 * Products are reduced by division: on bigints, the methods of Montgomery and Barrett,
 * which multiply instead, take longer.
 *
 * @param exponent - its leading bytes, big-endian.
 * @param bits - the bits of the whole exponent; those after the given bytes are zero.
 * @param modulus - 1 or more.
 */
export function* modularPower(
  base: bigint,
  exponent: Uint8Array,
  bits: number,
  modulus: bigint,
): Generator<undefined, bigint> {
  const part = Math.ceil(PART / Math.ceil(modulus.toString(16).length / 16) ** 1.5)
  let left = part
  const bitAt = (at: number): number => (exponent[at >> 3]! >> (7 - (at & 7))) & 1
  const given = 8 * exponent.length
  let at = 0
  while (at < given && exponent[at >> 3] === 0) at += 8
  while (at < given && bitAt(at) === 0) at++
  if (at === given) return 1n % modulus

  const width = WIDER_FROM.find(([from]) => given - at >= from)?.[1] ?? 1
  const powers = oddPowers(base % modulus, 2 ** (width - 1), modulus)
  let power = 0n
  for (let first = true; at < given; first = false) {
    if (left <= 0) {
      yield
      left = part
    }
    left--
    if (bitAt(at) === 0) {
      power = (power * power) % modulus
      at++
      continue
    }
    let end = Math.min(at + width, given)
    while (bitAt(end - 1) === 0) end--
    let window = 0
    left -= end - at
    for (; at < end; at++) {
      window = 2 * window + bitAt(at)
      if (!first) power = (power * power) % modulus
    }
    const factor = powers[window >> 1]!
    power = first ? factor : (power * factor) % modulus
  }
  for (; at < bits; at++) {
    if (--left <= 0) {
      yield
      left = part
    }
    power = (power * power) % modulus
  }
  return power
}

/** root^1, root^3, root^5, … */
function oddPowers(root: bigint, count: number, modulus: bigint): bigint[] {
  const powers = [root]
  if (count === 1) return powers
  const square = (root * root) % modulus
  for (let i = 1; i < count; i++) powers.push((powers[i - 1]! * square) % modulus)
  return powers
}
