/** Solidity's source maps: a location for each instruction of a code. */

/** What a jump does: into a function, out of one, or neither. */
export type Jump = 'in' | 'out' | undefined

/** The location of an instruction. */
export interface Location {
  /** The index of the source, -1 for none. */
  readonly source: number
  /** In bytes of UTF-8. */
  readonly start: number
  readonly length: number
  readonly jump: Jump
}

const JUMPS: Readonly<Record<string, Jump>> = { i: 'in', o: 'out' }

/**
 * Decodes a compressed map. An entry that is malformed ends it, since those after it depend on it.
 *
 * @param most - the number of instructions of the code; entries beyond it are ignored.
 * @returns the locations by index of the instruction; fewer than `most` if the map is shorter.
 */
export function decodeSourceMap(map: string, most: number): Location[] {
  const locations: Location[] = []
  let last: Location = { source: -1, start: 0, length: 0, jump: undefined }
  // An entry that is equal to the one before it is empty, the last one too.
  for (let at = 0; map !== '' && at <= map.length && locations.length < most; ) {
    const next = map.indexOf(';', at)
    const end = next === -1 ? map.length : next
    if (end > at) {
      const [start, length, source, jump] = map.slice(at, Math.min(end, at + 100)).split(':')
      last = {
        start: readNumber(start, last.start),
        length: readNumber(length, last.length),
        source: readNumber(source, last.source),
        jump: jump === undefined || jump === '' ? last.jump : JUMPS[jump],
      }
      if (!Number.isSafeInteger(last.start + last.length + last.source)) return locations
    }
    locations.push(last)
    at = end + 1
  }
  return locations
}

/** NaN if the text is no integer. */
function readNumber(text: string | undefined, before: number): number {
  if (text === undefined || text === '') return before
  return /^-?\d+$/.test(text) ? Number(text) : Number.NaN
}

const [PUSH1, PUSH32] = [0x60, 0x7f] as const

/** The index of the instruction at each position of a code; that of the PUSH at the positions of what it pushes. */
export function indexInstructions(code: Uint8Array): Int32Array {
  const indices = new Int32Array(code.length)
  let index = 0
  for (let pc = 0; pc < code.length; index++) {
    const opcode = code[pc]!
    const size = opcode >= PUSH1 && opcode <= PUSH32 ? opcode - PUSH1 + 2 : 1
    indices.fill(index, pc, pc + size)
    pc += size
  }
  return indices
}
