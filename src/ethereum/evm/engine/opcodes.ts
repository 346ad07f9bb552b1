/** The table of opcodes: names, stack effects, static gas and forks. */
import { CALL, type Effect, FORKS, type ForkName, type OpcodeRow, type Price, WARM } from '../../forks.ts'

type Since = 'frontier' | ForkName

/** An opcode (Yellow Paper, appendix H.2). */
export interface Opcode {
  readonly code: number
  readonly name: string
  readonly pops: number
  readonly pushes: number
  /** The static gas; the instruction charges the part that depends on operands or state. */
  readonly gas: Price
  readonly effect: Effect
  readonly since: Since
}

const ACCOUNT_READ: Price = { frontier: 20, tangerineWhistle: 700, berlin: WARM }

const FRONTIER: readonly OpcodeRow[] = [
  [0x00, 'STOP', 0, 0, 0, 'ends'],
  [0x01, 'ADD', 2, 1, 3],
  [0x02, 'MUL', 2, 1, 5],
  [0x03, 'SUB', 2, 1, 3],
  [0x04, 'DIV', 2, 1, 5],
  [0x05, 'SDIV', 2, 1, 5],
  [0x06, 'MOD', 2, 1, 5],
  [0x07, 'SMOD', 2, 1, 5],
  [0x08, 'ADDMOD', 3, 1, 8],
  [0x09, 'MULMOD', 3, 1, 8],
  [0x0a, 'EXP', 2, 1, 10, 'charges'],
  [0x0b, 'SIGNEXTEND', 2, 1, 5],
  [0x10, 'LT', 2, 1, 3],
  [0x11, 'GT', 2, 1, 3],
  [0x12, 'SLT', 2, 1, 3],
  [0x13, 'SGT', 2, 1, 3],
  [0x14, 'EQ', 2, 1, 3],
  [0x15, 'ISZERO', 1, 1, 3],
  [0x16, 'AND', 2, 1, 3],
  [0x17, 'OR', 2, 1, 3],
  [0x18, 'XOR', 2, 1, 3],
  [0x19, 'NOT', 1, 1, 3],
  [0x1a, 'BYTE', 2, 1, 3],
  [0x20, 'KECCAK256', 2, 1, 30, 'charges'],
  [0x30, 'ADDRESS', 0, 1, 2],
  [0x31, 'BALANCE', 1, 1, { frontier: 20, tangerineWhistle: 400, istanbul: 700, berlin: WARM }, 'charges'],
  [0x32, 'ORIGIN', 0, 1, 2],
  [0x33, 'CALLER', 0, 1, 2],
  [0x34, 'CALLVALUE', 0, 1, 2],
  [0x35, 'CALLDATALOAD', 1, 1, 3],
  [0x36, 'CALLDATASIZE', 0, 1, 2],
  [0x37, 'CALLDATACOPY', 3, 0, 3, 'charges'],
  [0x38, 'CODESIZE', 0, 1, 2],
  [0x39, 'CODECOPY', 3, 0, 3, 'charges'],
  [0x3a, 'GASPRICE', 0, 1, 2],
  [0x3b, 'EXTCODESIZE', 1, 1, ACCOUNT_READ, 'charges'],
  [0x3c, 'EXTCODECOPY', 4, 0, ACCOUNT_READ, 'charges'],
  [0x40, 'BLOCKHASH', 1, 1, 20],
  [0x41, 'COINBASE', 0, 1, 2],
  [0x42, 'TIMESTAMP', 0, 1, 2],
  [0x43, 'NUMBER', 0, 1, 2],
  // Clients keep this name in traces, although it is PREVRANDAO since the merge (EIP-4399).
  [0x44, 'DIFFICULTY', 0, 1, 2],
  [0x45, 'GASLIMIT', 0, 1, 2],
  [0x50, 'POP', 1, 0, 2],
  [0x51, 'MLOAD', 1, 1, 3, 'charges'],
  [0x52, 'MSTORE', 2, 0, 3, 'charges'],
  [0x53, 'MSTORE8', 2, 0, 3, 'charges'],
  [0x54, 'SLOAD', 1, 1, { frontier: 50, tangerineWhistle: 200, istanbul: 800, berlin: WARM }, 'charges'],
  [0x55, 'SSTORE', 2, 0, 0, 'charges'],
  [0x56, 'JUMP', 1, 0, 8, 'ends'],
  [0x57, 'JUMPI', 2, 0, 10, 'ends'],
  [0x58, 'PC', 0, 1, 2],
  [0x59, 'MSIZE', 0, 1, 2],
  [0x5a, 'GAS', 0, 1, 2, 'ends'],
  [0x5b, 'JUMPDEST', 0, 0, 1],
  ...Array.from({ length: 32 }, (_, i): OpcodeRow => [0x60 + i, `PUSH${i + 1}`, 0, 1, 3]),
  ...Array.from({ length: 16 }, (_, i): OpcodeRow => [0x80 + i, `DUP${i + 1}`, i + 1, i + 2, 3]),
  ...Array.from({ length: 16 }, (_, i): OpcodeRow => [0x90 + i, `SWAP${i + 1}`, i + 2, i + 2, 3]),
  ...Array.from(
    { length: 5 },
    (_, i): OpcodeRow => [0xa0 + i, `LOG${i}`, i + 2, 0, 375 * (i + 1), 'charges'],
  ),
  [0xf0, 'CREATE', 3, 1, 32_000, 'charges'],
  [0xf1, 'CALL', 7, 1, CALL, 'charges'],
  [0xf2, 'CALLCODE', 7, 1, CALL, 'charges'],
  [0xf3, 'RETURN', 2, 0, 0, 'charges'],
  [0xff, 'SELFDESTRUCT', 1, 0, { frontier: 0, tangerineWhistle: 5_000 }, 'charges'],
]

const opcodesOf = (rows: readonly OpcodeRow[], since: string): Opcode[] =>
  rows.map(([code, name, pops, pushes, gas, effect = 'moves']) => ({
    code,
    name,
    pops,
    pushes,
    gas,
    effect,
    since: since as Since,
  }))

/** All opcodes of all forks, in order of their codes. */
export const OPCODES: readonly Opcode[] = [
  ...opcodesOf(FRONTIER, 'frontier'),
  ...FORKS.flatMap(({ name, opcodes = [] }) => opcodesOf(opcodes, name)),
].sort((a, b) => a.code - b.code)

/** The name of an opcode; INVALID for 0xfe and for undefined ones. */
export function opcodeName(code: number): string {
  return NAMES[code]!
}

const NAMES: string[] = Array.from({ length: 256 }, () => 'INVALID')
for (const { code, name } of OPCODES) NAMES[code] = name
