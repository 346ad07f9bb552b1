/** Basic blocks before they are compiled: their successors, and the starts of loops. */
import { type BlockCosts, type Code, isJumpDestination } from '../engine/code.ts'
import type { Word } from '../engine/word.ts'

const [STOP, KECCAK256, JUMP, JUMPI, RETURN, REVERT, INVALID, SELFDESTRUCT] = [
  0x00, 0x20, 0x56, 0x57, 0xf3, 0xfd, 0xfe, 0xff,
] as const
const [PUSH0, PUSH1, PUSH2, PUSH32] = [0x5f, 0x60, 0x61, 0x7f] as const

/** How many blocks the search for loops may visit, which limits its time. */
const MAX_BLOCKS = 2048

/** How many jumps are followed to find an error or a revert. */
const MAX_JUMPS = 3

/** Returns whether an opcode ends the code's execution, so that no block follows. */
export function isLast(op: number): boolean {
  return op === STOP || op === RETURN || op === REVERT || op === INVALID || op === SELFDESTRUCT
}

/** Returns the word that the PUSH at `pc` pushes. */
export function pushed({ program, constants }: Code, pc: number): Word {
  const op = program[pc]!
  if (op > PUSH2) return constants[(program[pc + 1]! << 16) | (program[pc + 2]! << 8) | program[pc + 3]!]!
  if (op === PUSH0) return 0
  return op === PUSH1 ? program[pc + 1]! : (program[pc + 1]! << 8) | program[pc + 2]!
}

interface Block {
  readonly last: number
  readonly end: number
  readonly destinations: readonly number[]
  /** Whether it ends with a jump to the last of its destinations. */
  readonly isDirect: boolean
}

function readBlock(code: Code, costs: BlockCosts, start: number): Block {
  const { program, blockAt } = code
  const destinations: number[] = []
  let isDirect = false
  for (let pc = start; ; ) {
    const op = program[pc]!
    const isPush = op >= PUSH0 && op <= PUSH32
    const next = isPush ? pc + 1 + op - PUSH0 : pc + 1
    if (costs.ends[op] === 1 || next >= blockAt.length || blockAt[next] !== 0) {
      return { last: op, end: next, destinations, isDirect }
    }
    isDirect = false
    if (isPush) {
      const word = pushed(code, pc)
      if (isJumpDestination(code, word)) {
        destinations.push(word)
        isDirect = true
      }
    }
    pc = next
  }
}

/** Whether a block always leads to an error or a revert. */
export function isCold(code: Code, costs: BlockCosts, start: number): boolean {
  let pc = start
  for (let jumps = 0; jumps <= MAX_JUMPS; jumps++) {
    const { last, end, destinations, isDirect } = readBlock(code, costs, pc)
    if (last === REVERT || last === INVALID) return true
    if (last === JUMPI || (costs.ends[last] === 1 && last !== JUMP)) return false
    if (last === JUMP && !isDirect) return false
    pc = last === JUMP ? destinations.at(-1)! : end
  }
  return false
}

/**
 * Finds the blocks at which loops start: a path that has passed such a block leads back to it. Every destination that a
 * block pushes counts as a possible successor of the block.
 *
 * @param isCompiled - whether to count only loops whose instructions are all compiled.
 */
export function findLoops(
  code: Code,
  costs: BlockCosts,
  roots: Iterable<number>,
  isCompiled: boolean,
): ReadonlySet<number> {
  const loops = new Set<number>()
  const isOnPath = new Map<number, boolean>()
  for (const root of roots) {
    const path: { readonly pc: number; readonly next: number[] }[] = []
    const visit = (pc: number): void => {
      if (isOnPath.get(pc) === true) loops.add(pc)
      if (isOnPath.has(pc) || isOnPath.size >= MAX_BLOCKS) return
      isOnPath.set(pc, true)
      const { last, end, destinations } = readBlock(code, costs, pc)
      const next = [...destinations]
      if (!isLast(last) && last !== JUMP && code.blockAt[end] !== 0) next.push(end)
      // Compiled code stops before any further instruction that ends a block.
      const continues = costs.ends[last] !== 1 || last === JUMP || last === JUMPI || last === KECCAK256
      path.push({ pc, next: isCompiled && !continues ? [] : next })
    }
    visit(root)
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const next = top.next.pop()
      if (next !== undefined) visit(next)
      else {
        isOnPath.set(top.pc, false)
        path.pop()
      }
    }
  }
  return loops
}
