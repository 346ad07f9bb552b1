/** What random code may use: the opcodes of a fork, and the accounts around it. */

import type { Address } from '../../../../src/base/types.ts'
import { OPCODES } from '../../../../src/ethereum/evm/engine/opcodes.ts'
import type { ForkRules } from '../../../../src/ethereum/forks.ts'

/** What a piece of random code may use. */
export interface Scope {
  readonly fork: ForkRules
  /** The accounts that it calls, reads and pays; one that is listed twice is chosen twice as often. */
  readonly targets: readonly Address[]
  /**
   * Whether gas is scarce. If it is not, the code contains nothing that only gas limits: ranges of memory beyond 2^31
   * bytes, or precompiles that run for minutes.
   */
  readonly isLimited: boolean
}

/** The opcodes that a fork defines. */
export function opcodesOf(fork: ForkRules): typeof OPCODES {
  return OPCODES.filter(({ since }) => since === 'frontier' || fork[since])
}

/** Whether a fork defines an opcode. */
export function isDefined(fork: ForkRules, name: string): boolean {
  return opcodesOf(fork).some((opcode) => opcode.name === name)
}

/** The arithmetic of a fork by the number of its operands, as hex. */
export function arithmeticOf(
  fork: ForkRules,
): readonly [unary: string[], binary: string[], ternary: string[]] {
  const withOperands = (count: number): string[] =>
    opcodesOf(fork)
      .filter(({ code, pops }) => code >= 0x01 && code <= 0x1e && pops === count)
      .map(({ code }) => byteOf(code))
  return [withOperands(1), withOperands(2), withOperands(3)]
}

/** The opcodes of a fork that only put a word on the stack, as hex. */
export function sourcesOf(fork: ForkRules): string[] {
  return opcodesOf(fork)
    .filter(({ code, pops, pushes }) => pops === 0 && pushes === 1 && code < 0x5f)
    .map(({ code }) => byteOf(code))
}

/** The opcodes that a fork does not define, as hex. */
export function undefinedOf(fork: ForkRules): string[] {
  const defined = new Set(opcodesOf(fork).map(({ code }) => code))
  return Array.from({ length: 256 }, (_, code) => code)
    .filter((code) => !defined.has(code))
    .map(byteOf)
}

/** A byte as hex. */
export function byteOf(n: number): string {
  return n.toString(16).padStart(2, '0')
}
