/**
 * The references to the nodes of tries, side by side: an array for each of them takes seven times the memory, and most of
 * the time of a garbage collection.
 *
 * Owns: the block of memory that is being filled. A block is released with the last node that refers to it.
 */

/** The bytes of a block: few, since one node that stays, such as a slot written once in 8,191 blocks, keeps all of it. */
const BLOCK_SIZE = 2048

let bytes = new Uint8Array(0)
let view = new DataView(bytes.buffer)
let used = 0

/** A reference: `length` bytes from an offset of a block on. Without a block it is not known yet. */
export interface Reference {
  block: DataView | null
  at: number
  length: number
}

/** Keeps a copy of a reference, of at most 32 bytes. */
export function keepReference(target: Reference, reference: Uint8Array): void {
  if (used + reference.length > bytes.length) {
    bytes = new Uint8Array(BLOCK_SIZE)
    view = new DataView(bytes.buffer)
    used = 0
  }
  bytes.set(reference, used)
  target.block = view
  target.at = used
  target.length = reference.length
  used += reference.length
}

/** Copies a reference that is known to a view with enough room. @returns where the copy ends. */
export function copyReference({ block, at, length }: Reference, to: DataView, offset: number): number {
  const from = block!
  let done = 0
  for (; done + 4 <= length; done += 4) to.setUint32(offset + done, from.getUint32(at + done))
  for (; done < length; done++) to.setUint8(offset + done, from.getUint8(at + done))
  return offset + length
}

/** A reference that is known, in a new array. */
export function referenceBytes(reference: Reference): Uint8Array {
  const copy = new Uint8Array(reference.length)
  copyReference(reference, new DataView(copy.buffer), 0)
  return copy
}
