/** A trie's keys by nibble, read in place: nibble 0 is the upper half of byte 0. */

/** The index among a branch's children of the leaf whose key ends there. */
export const END = 16

/** The index of a key among the children of a branch at nibble `depth`: that nibble, or `END`. */
export function slotOf(key: Uint8Array, depth: number): number {
  const index = depth >> 1
  if (index >= key.length) return END
  return depth & 1 ? key[index]! & 15 : key[index]! >> 4
}

/** Whether two keys that share the first `depth` nibbles are equal. */
export function sameKey(a: Uint8Array, b: Uint8Array, depth: number): boolean {
  if (a === b) return true
  if (a.length !== b.length) return false
  for (let i = depth >> 1; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

/** The first nibble where two keys that share the first `depth` differ, or the length of the shorter one. */
export function divergence(a: Uint8Array, b: Uint8Array, depth: number): number {
  const length = Math.min(a.length, b.length)
  let i = depth >> 1
  while (i < length && a[i] === b[i]) i++
  return i < length && a[i]! >> 4 === b[i]! >> 4 ? 2 * i + 1 : 2 * i
}
