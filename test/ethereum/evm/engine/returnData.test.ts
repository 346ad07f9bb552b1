/** The return data of calls and creations, and its instructions (EIP-211). */

import { describe, expect, test } from 'vitest'
import { toAddress } from '../../../../src/base/bytes.ts'
import type { Address } from '../../../../src/base/types.ts'
import { TARGET } from '../setup.ts'
import { assemble, call, create, returning } from './assembly.ts'
import { execute } from './execution.ts'

const RETURNS: Address = `0x${'d1'.repeat(20)}`
const REVERTS: Address = `0x${'d2'.repeat(20)}`
const FAILS: Address = `0x${'d3'.repeat(20)}`
const ABSENT: Address = `0x${'ab'.repeat(20)}`
const IDENTITY = toAddress(4)
const MAX = 2n ** 256n - 1n

const accounts = {
  [TARGET]: { balance: 10n },
  [RETURNS]: { code: '0 NOT 0 MSTORE 32 0 RETURN' },
  [REVERTS]: { code: '0 NOT 0 MSTORE 5 0 REVERT' },
  [FAILS]: { code: '#fe' },
}
const CALLED = `${call('STATICCALL', RETURNS)} POP`

describe('RETURNDATASIZE', () => {
  test.each<[string, string, number, number]>([
    ['the output of a call', call('CALL', RETURNS), 1, 32],
    ['the output of a delegated call', call('DELEGATECALL', RETURNS), 1, 32],
    ['the data of a revert', call('CALL', REVERTS), 0, 5],
    ['nothing after a call that fails', call('CALL', FAILS), 0, 0],
    ['nothing after a call of an account without code', call('CALL', ABSENT), 1, 0],
    ['nothing after a call that is refused', call('CALL', RETURNS, { value: 11 }), 0, 0],
    ['the output of a precompile', call('CALL', IDENTITY, { input: [0, 7] }), 1, 7],
    ['nothing after a precompile that fails', call('CALL', IDENTITY, { gas: 14 }), 0, 0],
    ['nothing after a creation', create(assemble('5 0 RETURN')), 1, 0],
    ['the data of a creation that reverts', create(assemble('5 0 REVERT')), 0, 5],
    ['nothing after a creation that fails', create('fe'), 0, 0],
    ['nothing after a creation that is refused', create('00', { value: 11 }), 0, 0],
    ['nothing after a creation whose code is too long', create(assemble('24577 0 RETURN')), 0, 0],
    ['nothing after a creation of reserved code', create(assemble('0xef 0 MSTORE8 1 0 RETURN')), 0, 0],
    ['nothing after a creation that cannot pay for its code', create(assemble('24576 0 RETURN')), 0, 0],
  ])('is %s', async (_, started, succeeds, size) => {
    const results = [`${started} ISZERO ISZERO`, 'RETURNDATASIZE']
    const { words } = await execute(`${CALLED} ${returning('RETURNDATASIZE', ...results)}`, { accounts })
    expect(words).toEqual([32n, BigInt(succeeds), BigInt(size)])
  })

  test('is 0 before the first call, whatever the caller has', async () => {
    const size = `${CALLED} ${call('CALL', ABSENT, { output: [0, 32] })} POP 0 MLOAD`
    const code = { [ABSENT]: { code: 'RETURNDATASIZE 0 MSTORE 32 0 RETURN' } }
    expect((await execute(returning(size), { accounts: { ...accounts, ...code } })).words).toEqual([0n])
  })
})

describe('RETURNDATACOPY of 32 bytes', () => {
  test.each<[string, number | bigint, number | bigint, number | bigint, boolean]>([
    ['all', 0, 0, 32, true],
    ['nothing from their end', 0, 32, 0, true],
    ['nothing to an offset that memory cannot have', MAX, 0, 0, true],
    ['a byte beyond their end', 0, 32, 1, false],
    ['nothing from beyond their end', 0, 33, 0, false],
    ['a byte too many', 0, 1, 32, false],
    ['nothing from beyond 2^53', 0, 2n ** 53n, 0, false],
    ['nothing from the last word', 0, MAX, 0, false],
    ['a range that wraps around', 0, MAX, 2, false],
    ['more than there can be', 0, 0, MAX, false],
  ])('can copy %s: to %s, from %s on, %s bytes: %s', async (_, to, from, size, succeeds) => {
    const code = `${CALLED} ${size} ${from} ${to} RETURNDATACOPY ${returning('0 MLOAD')}`
    const { words, error, gasUsed } = await execute(code, { accounts })
    if (succeeds) {
      expect([error, words]).toEqual([undefined, [size === 32 ? MAX : 0n]])
    } else {
      expect([error, gasUsed]).toEqual(['return data out of bounds', 1_000_000n])
    }
  })
})
