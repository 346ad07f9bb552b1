/** Programs written as the names of instructions. */

import { bytesToBigint } from '../../../../src/base/bytes.ts'
import type { Address, Hex } from '../../../../src/base/types.ts'
import { OPCODES } from '../../../../src/ethereum/evm/engine/opcodes.ts'
import { type Code, push, toMemory } from '../programs.ts'

const BYTES = new Map(OPCODES.map(({ name, code }) => [name, code.toString(16).padStart(2, '0')]))

/**
 * Names of instructions and words that are pushed, in the order in which they are executed. A word in hex has the width of its
 * digits, one in decimal the shortest; `#` precedes raw bytes.
 *
 * @example assemble('1 0 SSTORE #fe')
 */
export function assemble(source: string): Code {
  return source
    .split(/\s+/)
    .filter((token) => token !== '')
    .map((token) => {
      if (token.startsWith('#')) return token.slice(1)
      if (token.startsWith('0x')) return (0x5f + (token.length - 2) / 2).toString(16) + token.slice(2)
      return /^\d/.test(token) ? push(BigInt(token)) : byteOf(token)
    })
    .join('')
}

function byteOf(name: string): Code {
  const byte = BYTES.get(name)
  if (byte === undefined) throw new Error(`there is no instruction ${name}`)
  return byte
}

/** The bytes of {@link assemble}, with prefix. */
export function bytecode(source: string): Hex {
  return `0x${assemble(source)}`
}

/** What a call is given besides its target. */
interface CallOptions {
  readonly value?: number | bigint
  readonly gas?: string | number | bigint
  /** The offset and the size of input and output in memory. */
  readonly input?: readonly [offset: number | bigint, size: number | bigint]
  readonly output?: readonly [offset: number | bigint, size: number | bigint]
}

/** A call, which leaves 1 if it succeeded. It passes on all gas unless told otherwise. */
export function call(
  name: 'CALL' | 'CALLCODE' | 'DELEGATECALL' | 'STATICCALL',
  to: Address,
  { value = 0, gas = 'GAS', input = [0, 0], output = [0, 0] }: CallOptions = {},
): string {
  const paid = name === 'CALL' || name === 'CALLCODE' ? value : ''
  return `${output[1]} ${output[0]} ${input[1]} ${input[0]} ${paid} ${to} ${gas} ${name}`
}

/** A creation by CREATE, or with a salt by CREATE2, which leaves the address. */
export function create(initCode: Code, { value = 0, salt }: { value?: number; salt?: number } = {}): string {
  const end = salt === undefined ? 'CREATE' : 'CREATE2'
  return `#${toMemory(initCode)} ${salt ?? ''} ${initCode.length / 2} 0 ${value} ${end}`
}

/** Where {@link returning} puts the words: behind what {@link create} writes to memory. */
const RESULTS = 0x400

/** Evaluates expressions, each of which leaves one word, and returns the words. */
export function returning(...expressions: readonly string[]): string {
  const stores = expressions.map((one, i) => `${one} ${RESULTS + 32 * i} MSTORE`)
  return `${stores.join(' ')} ${32 * expressions.length} ${RESULTS} RETURN`
}

/** The gas of an expression that leaves one word, including the gas of its operands. */
export function gasOf(expression: string): string {
  // POP and the second GAS cost 4.
  return `GAS ${expression} POP GAS SWAP1 SUB 4 SWAP1 SUB`
}

/** A program that executes `body` unless a condition leaves a word other than 0. */
export function skipIf(condition: string, body: string): string {
  const [head, skipped] = [assemble(condition), assemble(body)]
  // The offset of the JUMPDEST: PUSH2 and JUMPI are 4 bytes.
  const end = (head.length + skipped.length) / 2 + 4
  return `${condition} 0x${end.toString(16).padStart(4, '0')} JUMPI ${body} JUMPDEST`
}

/** The words that bytes consist of. */
export function wordsIn(bytes: Uint8Array): bigint[] {
  return Array.from({ length: bytes.length / 32 }, (_, i) =>
    bytesToBigint(bytes.subarray(32 * i, 32 * i + 32)),
  )
}
