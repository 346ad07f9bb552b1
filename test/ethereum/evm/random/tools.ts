/** Contracts with fixed code, each for one thing that random code seldom does. */
import type { Address } from '../../../../src/base/types.ts'
import { address } from '../../../words.ts'
import { type Code, push } from '../programs.ts'

/** Returns the word on the stack. */
const RETURN_WORD = `${push(0)}52${push(32)}${push(0)}f3`
/** CALLDATACOPY of all calldata to 0. */
const COPY_INPUT = `36${push(0)}${push(0)}37`
const PLENTY = push(50_000)

const call = (op: Code, to: Address, value?: number): Code =>
  `${push(0).repeat(4)}${value === undefined ? '' : push(value)}73${to.slice(2)}${PLENTY}${op}`

/**
 * SSTORE of what the slot holds, as its first instructions: with little gas it fails for EIP-2200's limit alone. With six
 * more gas than the limit it has exactly as much left.
 */
export const UNCHANGING = address(0xf000000000)
/** TSTORE and REVERT if it is called with calldata; TLOAD if not. */
export const TRANSIENT = address(0xf000000001)

/** Contracts that write to the state in different ways, and return whether they could. */
export const WRITERS: Readonly<Record<Address, Code>> = {
  [UNCHANGING]: `${push(1)}${push(5)}55`,
  [address(0xf000000010)]: `${push(1)}${push(0)}55`,
  [address(0xf000000011)]: `${push(7)}${push(1)}${push(0)}a1`,
  [address(0xf000000012)]: '33ff',
  [address(0xf000000013)]: `${push(1)}${push(0)}5d`,
  [address(0xf000000014)]: `${push(0).repeat(3)}f0${RETURN_WORD}`,
  [address(0xf000000015)]: `${push(0).repeat(4)}f5${RETURN_WORD}`,
  [address(0xf000000016)]: `${call('f1', address(0xf000000010), 0)}${RETURN_WORD}`,
  [address(0xf000000017)]: `${call('f1', address(4), 1)}${RETURN_WORD}`,
  [address(0xf000000018)]: `${call('f2', address(4), 1)}${RETURN_WORD}`,
  [address(0xf000000019)]: `${call('f2', address(0xf000000010), 0)}${RETURN_WORD}`,
  [address(0xf00000001a)]: `${call('f4', address(0xf000000010))}${RETURN_WORD}`,
}

/** Other contracts. */
const OTHERS: Readonly<Record<Address, Code>> = {
  [TRANSIENT]: `36${push(14)}57${push(1)}5c${RETURN_WORD}5b${push(9)}${push(1)}5d${push(0)}${push(0)}fd`,
  // SSTORE with the first word of calldata as the slot, and the second as the value.
  [address(0xf000000020)]: `${push(32)}35${push(0)}3555`,
  // Return of its calldata; failure with it as output.
  [address(0xf000000021)]: `${COPY_INPUT}36${push(0)}f3`,
  [address(0xf000000022)]: `${COPY_INPUT}36${push(0)}fd`,
  // What it is called with: caller, value and gas.
  [address(0xf000000023)]: `33${push(0)}5234${push(32)}525a${push(64)}52${push(96)}${push(0)}f3`,
}

/** All of them but those of {@link DEEP}. */
export const TOOLS: Readonly<Record<Address, Code>> = { ...WRITERS, ...OTHERS }

/** Contracts that call themselves, or create a copy, as deep as gas and depth allow. */
export const DEEP: Readonly<Record<Address, Code>> = {
  ...Object.fromEntries(
    ['f1', 'f2', 'f4', 'fa'].map((op, i) => {
      const self = address(0xfd00000000 + i)
      const operands = push(0).repeat(i < 2 ? 5 : 4)
      return [self, `${operands}73${self.slice(2)}${push(5000)}5a03${op}${RETURN_WORD}`]
    }),
  ),
  [address(0xfd00000004)]: `38${push(0)}${push(0)}3938${push(0)}${push(0)}f0${RETURN_WORD}`,
}

/** 66,000 constants, more than 16 bits can count. */
const CONSTANTS = 66_000

/** The address of a contract with 396 kB of code, the last constants of which it stores. */
export const LONG = address(0xf100000000)

/** The code at {@link LONG}. */
export function longCode(): Code {
  const start = (5 + 6 * CONSTANTS).toString(16).padStart(6, '0')
  const stores = `64abcdef0123${push(0)}5569fedcba98765432101234${push(1)}55`
  return `62${start}56${'640123456789'.repeat(CONSTANTS)}5b${stores}`
}
