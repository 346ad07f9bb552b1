/** Calls of accounts that delegate to the code of others (EIP-7702). */
import { keccak256 } from 'viem'
import { describe, expect, test } from 'vitest'
import { hexToBytes, toAddress } from '../../../../src/base/bytes.ts'
import type { Address } from '../../../../src/base/types.ts'
import { slotOf, TARGET } from '../setup.ts'
import { assemble, bytecode, call, gasOf, returning, wordsIn } from './assembly.ts'
import { execute } from './execution.ts'

const AUTHORITY: Address = `0x${'a1'.repeat(20)}`
const SECOND: Address = `0x${'a2'.repeat(20)}`
const DELEGATE: Address = `0x${'de'.repeat(20)}`
const IDENTITY = toAddress(4)
const delegatesTo = (to: Address) => `#ef0100${to.slice(2)}`

const accounts = { [AUTHORITY]: { code: delegatesTo(DELEGATE) }, [DELEGATE]: { code: 'STOP' } }
/** The price of a static call without gas; its operands cost 18. */
const price = gasOf(call('STATICCALL', AUTHORITY, { gas: 0 }))

describe('a call of an account that delegates', () => {
  test.each([
    ['CALL', AUTHORITY],
    ['CALLCODE', TARGET],
    ['DELEGATECALL', TARGET],
  ] as const)('by %s executes the code of the delegate in the account %s', async (name, account) => {
    const code = `7 0 SSTORE ${returning('ADDRESS', 'CODESIZE', `${AUTHORITY} EXTCODESIZE`)}`
    const { words, state } = await execute(`${call(name, AUTHORITY, { output: [0, 96] })} POP 96 0 RETURN`, {
      accounts: { ...accounts, [DELEGATE]: { code } },
    })
    expect(words).toEqual([BigInt(account), BigInt(assemble(code).length / 2), 23n])
    expect(slotOf(state, account, 0)).toBe(7n)
  })

  test('accesses the delegate too, which is warm afterwards', async () => {
    const { words } = await execute(returning(price, price, gasOf(`${DELEGATE} BALANCE`)), { accounts })
    expect(words).toEqual([18n + 2_600n + 2_600n, 18n + 100n + 100n, 3n + 100n])
  })

  test('accesses a warm delegate at 100 gas', async () => {
    const { words } = await execute(`${DELEGATE} BALANCE POP ${returning(price)}`, { accounts })
    expect(words).toEqual([18n + 2_600n + 100n])
  })

  test('follows one delegation, and executes another one as code', async () => {
    const { words, endings } = await execute(returning(call('CALL', AUTHORITY)), {
      accounts: { ...accounts, [AUTHORITY]: { code: delegatesTo(SECOND) }, [SECOND]: accounts[AUTHORITY]! },
    })
    expect(words).toEqual([0n])
    expect(endings).toEqual(['invalid opcode: opcode 0xef not defined', undefined])
  })

  test('that delegates to itself executes its delegation as code', async () => {
    const own = { [AUTHORITY]: { code: delegatesTo(AUTHORITY) } }
    const { words, endings } = await execute(returning(price), { accounts: own })
    expect(words).toEqual([18n + 2_600n + 100n])
    expect(endings).toEqual(['invalid opcode: opcode 0xef not defined', undefined])
  })

  test('executes no code if the delegate is a precompile', async () => {
    const copies = call('STATICCALL', AUTHORITY, { input: [0, 32], output: [32, 32] })
    const { words } = await execute(
      `77 0 MSTORE ${returning(gasOf(copies), copies, 'RETURNDATASIZE', '32 MLOAD')}`,
      { accounts: { [AUTHORITY]: { code: delegatesTo(IDENTITY) } } },
    )
    // Operands, a cold account, a warm precompile, and a word of memory.
    expect(words).toEqual([17n + 2_600n + 100n + 3n, 1n, 0n, 0n])
  })

  test('executes the delegation as code before Prague', async () => {
    const { words, endings } = await execute(returning(price), { fork: 'cancun', accounts })
    expect(words).toEqual([18n + 2_600n])
    expect(endings).toEqual(['invalid opcode: opcode 0xef not defined', undefined])
  })
})

test('EXTCODESIZE, EXTCODEHASH and EXTCODECOPY see the delegation, and do not access the delegate', async () => {
  const designator = bytecode(delegatesTo(DELEGATE))
  const { words } = await execute(
    `${gasOf(`${AUTHORITY} EXTCODESIZE`)} 0 SSTORE 23 0 0 ${AUTHORITY} EXTCODECOPY ${returning(
      '0 SLOAD',
      `${AUTHORITY} EXTCODESIZE`,
      `${AUTHORITY} EXTCODEHASH`,
      '0 MLOAD',
      gasOf(`${DELEGATE} BALANCE`),
    )}`,
    { accounts },
  )
  const padded = hexToBytes(`${designator}${'00'.repeat(9)}`)
  expect(words).toEqual([3n + 2_600n, 23n, BigInt(keccak256(designator)), ...wordsIn(padded), 3n + 2_600n])
})

test('a transaction to an account that delegates makes the delegate warm, at no price', async () => {
  const code = returning('ADDRESS', gasOf(`${DELEGATE} BALANCE`))
  const { words, gasUsed } = await execute('STOP', {
    accounts: { ...accounts, [DELEGATE]: { code } },
    tx: { to: AUTHORITY },
  })
  expect(words).toEqual([BigInt(AUTHORITY), 3n + 100n])
  expect(gasUsed).toBe(
    (await execute(code, { accounts, tx: { accessList: [{ address: DELEGATE, storageKeys: [] }] } }))
      .gasUsed - 2_400n,
  )
})
