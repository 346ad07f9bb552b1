import { describe, expect, test } from 'vitest'
import { gasOf, returning } from '../assembly.ts'
import { execute } from '../execution.ts'

const MAX = 2n ** 256n - 1n
/** -7 */
const MINUS_7 = MAX - 6n

/** Each instruction with operands, the topmost first, whose order matters. */
const RESULTS: readonly (readonly [
  name: string,
  operands: readonly (number | bigint)[],
  result: number | bigint,
])[] = [
  ['ADD', [MAX, 3], 2],
  ['MUL', [MAX, 3], MAX - 2n],
  ['SUB', [3, 5], MAX - 1n],
  ['DIV', [7, 2], 3],
  ['SDIV', [MINUS_7, 2], MAX - 2n],
  ['MOD', [7, 4], 3],
  ['SMOD', [MINUS_7, 4], MAX - 2n],
  ['ADDMOD', [MAX, 2, 10], 7],
  ['MULMOD', [MAX, 2, 11], 5],
  ['EXP', [3, 5], 243],
  ['SIGNEXTEND', [0, 0x80], MAX - 127n],
  ['LT', [1, 2], 1],
  ['GT', [2, 1], 1],
  ['SLT', [MAX, 0], 1],
  ['SGT', [0, MAX], 1],
  ['EQ', [MAX, MAX], 1],
  ['ISZERO', [0], 1],
  ['AND', [0x0c, 0x0a], 0x08],
  ['OR', [0x0c, 0x0a], 0x0e],
  ['XOR', [0x0c, 0x0a], 0x06],
  ['NOT', [1], MAX - 1n],
  ['BYTE', [30, 0xabcd], 0xab],
  ['SHL', [4, 1], 16],
  ['SHR', [1, 4], 2],
  ['SAR', [1, MINUS_7], MAX - 3n],
  ['CLZ', [2n ** 200n], 55],
]

const applied = (name: string, operands: readonly (number | bigint)[]) =>
  `${[...operands].reverse().join(' ')} ${name}`

test('each instruction takes its first operand from the top of the stack', async () => {
  const { words } = await execute(returning(...RESULTS.map(([name, operands]) => applied(name, operands))))
  expect(words).toEqual(RESULTS.map(([, , result]) => BigInt(result)))
})

test('comparisons that do not hold give 0', async () => {
  const pairs = [
    ['LT', 2, 1],
    ['LT', 1, 1],
    ['GT', 1, 2],
    ['GT', 1, 1],
    ['SLT', 0, MAX],
    ['SGT', MAX, 0],
    ['EQ', 1, 2],
  ] as const
  const { words } = await execute(
    returning(...pairs.map(([name, a, b]) => applied(name, [a, b])), applied('ISZERO', [MAX])),
  )
  expect(words).toEqual([...pairs.map(() => 0n), 0n])
})

describe('EXP', () => {
  test.each([
    ['tangerineWhistle', 10n],
    ['spuriousDragon', 50n],
    ['osaka', 50n],
  ] as const)('on %s costs %s gas per byte of the exponent (EIP-160)', async (fork, price) => {
    const exponents = [0, 1, 255, 256, 2n ** 53n, MAX]
    const { words } = await execute(returning(...exponents.map((n) => gasOf(applied('EXP', [2, n])))), {
      fork,
    })
    expect(words).toEqual([0n, 1n, 1n, 2n, 7n, 32n].map((bytes) => 6n + 10n + price * bytes))
  })
})

test('CLZ is not defined before Osaka (EIP-7939)', async () => {
  expect((await execute('1 CLZ', { fork: 'prague' })).endings).toEqual([
    'invalid opcode: opcode 0x1e not defined',
  ])
})
