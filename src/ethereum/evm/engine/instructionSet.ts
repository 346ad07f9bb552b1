/** The instructions of a hardfork. Owns: one set per fork, shared by all chains. */
import { getOrInsert } from '../../../base/collections.ts'
import type { Effect, ForkRules, Price } from '../../forks.ts'
import { activeForks } from '../../rules.ts'
import type { Instruction, InstructionSet, Instructions } from './frame.ts'
import { CALLS } from './instructions/calls.ts'
import { ARITHMETIC, CONTROL, dup, push, swap, undefinedInstruction } from './instructions/control.ts'
import { ENVIRONMENT } from './instructions/environment.ts'
import { MEMORY, STORAGE } from './instructions/memory.ts'
import { OPCODES } from './opcodes.ts'

const BY_NAME: Instructions = { ...ARITHMETIC, ...MEMORY, ...ENVIRONMENT, ...STORAGE, ...CONTROL, ...CALLS }

/** These extend the memory; the fast loop executes them without ending the basic block. */
const MEMORY_ACCESS: ReadonlySet<string> = new Set(['MLOAD', 'MSTORE', 'MSTORE8'])

const sets = new WeakMap<ForkRules, InstructionSet>()

/** Returns the instructions of a hardfork; created once per `fork` object. */
export function instructionSetOf(fork: ForkRules): InstructionSet {
  return getOrInsert(sets, fork, createInstructionSet)
}

function createInstructionSet(fork: ForkRules): InstructionSet {
  const run = Array.from({ length: 256 }, () => undefinedInstruction)
  const effect = Array.from({ length: 256 }, (): Effect => 'ends')
  const gas = new Uint16Array(256)
  const need = new Uint8Array(256)
  const growth = new Int8Array(256)
  const ends = new Uint8Array(256).fill(1)
  const isDefined = new Uint8Array(256)
  for (const opcode of OPCODES) {
    const { code, name, pops, pushes } = opcode
    if (opcode.since !== 'frontier' && !fork[opcode.since]) continue
    isDefined[code] = 1
    run[code] = instructionOf(name)
    effect[code] = opcode.effect
    gas[code] = priceOn(fork, opcode.gas)
    need[code] = pops
    growth[code] = pushes - pops
    ends[code] = opcode.effect === 'moves' || MEMORY_ACCESS.has(name) ? 0 : 1
  }
  return { run, effect, gas, need, growth, ends, isDefined }
}

function instructionOf(name: string): Instruction {
  if (name === 'PUSH0') return BY_NAME['PUSH0']!
  if (name.startsWith('PUSH')) return push
  if (name.startsWith('DUP')) return dup
  return name.startsWith('SWAP') ? swap : BY_NAME[name]!
}

function priceOn(fork: ForkRules, price: Price): number {
  if (typeof price === 'number') return price
  let current = price['frontier']!
  for (const { name } of activeForks(fork)) current = price[name] ?? current
  return current
}
