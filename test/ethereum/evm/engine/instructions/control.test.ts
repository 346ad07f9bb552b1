import { describe, expect, test } from 'vitest'
import { returning } from '../assembly.ts'
import { execute } from '../execution.ts'

const MAX = 2n ** 256n - 1n
/** The words 1 to 17, the last on top. */
const WORDS = Array.from({ length: 17 }, (_, i) => i + 1)
const PUSHED = WORDS.join(' ')
const INVALID_JUMP = 'invalid jump destination'

describe('DUP and SWAP', () => {
  const depths = Array.from({ length: 16 }, (_, i) => i + 1)

  test.each(depths)('DUP%i copies the word at that depth', async (depth) => {
    const { words } = await execute(`${PUSHED} DUP${depth} ${returning('', '')}`)
    expect(words).toEqual([18n - BigInt(depth), 17n])
  })

  test.each(depths)('SWAP%i swaps the top with the word below that depth', async (depth) => {
    const { words } = await execute(`${PUSHED} SWAP${depth} ${returning(...WORDS.map(() => ''))}`)
    const expected = [...WORDS].reverse().map(BigInt)
    expected[0] = 17n - BigInt(depth)
    expected[depth] = 17n
    expect(words).toEqual(expected)
  })
})

describe('jumps', () => {
  // PUSH1, JUMP, and an undefined opcode come before the JUMPDEST at 4.
  const LANDED = '#fe JUMPDEST'

  test.each([
    ['to a JUMPDEST', `4 JUMP ${LANDED}`, undefined],
    ['to a JUMPDEST if the condition is not 0', `0x01 6 JUMPI ${LANDED}`, undefined],
    [
      'to a JUMPDEST if the condition has only its highest bit',
      `${2n ** 255n} 0x0026 JUMPI ${LANDED}`,
      undefined,
    ],
    ['nowhere if the condition is 0', '0 99 JUMPI', undefined],
    ['nowhere if the condition is 0, even to no offset at all', `0 ${MAX} JUMPI`, undefined],
    ['not to another instruction', '0 JUMP', INVALID_JUMP],
    ['not into the data of a PUSH', '4 JUMP 0x5b', INVALID_JUMP],
    ['not to the end of the code', '3 JUMP', INVALID_JUMP],
    ['not beyond the code', '99 JUMP', INVALID_JUMP],
    ['not beyond 2^53', `${2n ** 53n} JUMP`, INVALID_JUMP],
    ['not beyond 2^53, with a condition', `1 ${MAX} JUMPI`, INVALID_JUMP],
    ['not to an offset modulo 2^32', `${2n ** 32n + 7n} JUMP JUMPDEST`, INVALID_JUMP],
  ])('go %s', async (_, source, error) => {
    expect((await execute(source)).error).toBe(error)
  })

  test('go back, as often as a condition says', async () => {
    const { gasUsed } = await execute('5 JUMPDEST 1 SWAP1 SUB DUP1 2 JUMPI')
    expect(gasUsed).toBe(21_000n + 3n + 5n * (1n + 5n * 3n + 10n))
  })

  test('have their offsets from PC', async () => {
    // PUSH2 and MSTORE are between.
    expect((await execute(returning('PC', 'JUMPDEST PC'))).words).toEqual([0n, 6n])
  })
})

describe('the end of a frame', () => {
  test.each([
    ['the end of the code', '1', undefined, 0],
    ['STOP', '1 STOP #fe', undefined, 0],
    ['RETURN', '7 0 MSTORE 33 0 RETURN #fe', undefined, 33],
    ['REVERT', '7 0 MSTORE 31 1 REVERT #fe', 'execution reverted', 31],
    ['an undefined opcode', '#ee', 'invalid opcode', 0],
    ['INVALID', '#fe', 'invalid opcode', 0],
  ])('by %s has its output, and its gas unless it fails', async (_, source, error, size) => {
    const { output, gasUsed, ...execution } = await execute(source)
    expect([execution.error, output.length, gasUsed === 1_000_000n]).toEqual([
      error,
      size,
      error === 'invalid opcode',
    ])
  })
})
