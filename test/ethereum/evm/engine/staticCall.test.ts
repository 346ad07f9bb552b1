/** What a static call must not do (EIP-214). */
import { describe, expect, test } from 'vitest'
import type { Address } from '../../../../src/base/types.ts'
import { call, create } from './assembly.ts'
import { execute } from './execution.ts'

const OTHER: Address = `0x${'dd'.repeat(20)}`
const THIRD: Address = `0x${'ee'.repeat(20)}`
const ABSENT: Address = `0x${'ab'.repeat(20)}`

const WRITES: readonly (readonly [name: string, code: string])[] = [
  ['SSTORE', '1 0 SSTORE'],
  ['SSTORE of the same value', '0 0 SSTORE'],
  ['TSTORE', '1 0 TSTORE'],
  ['LOG0', '0 0 LOG0'],
  ['LOG4', '1 2 3 4 0 0 LOG4'],
  ['CREATE', create('00')],
  ['CREATE2', create('00', { salt: 0 })],
  ['SELFDESTRUCT', `${ABSENT} SELFDESTRUCT`],
  ['CALL with value', call('CALL', ABSENT, { value: 1 })],
  ['CALL with more value than there is', call('CALL', ABSENT, { value: 11 })],
]

/** Why a static call of code fails and the frames in it and around it, from the innermost on. */
async function endingsOf(code: string, third = 'STOP') {
  const accounts = { [OTHER]: { code, balance: 10n }, [THIRD]: { code: third, balance: 10n } }
  return (await execute(`${call('STATICCALL', OTHER)} POP`, { accounts })).endings
}

describe('a static call', () => {
  test.each(WRITES)('fails at %s', async (_, code) => {
    expect(await endingsOf(code)).toEqual(['write protection', undefined])
  })

  test.each(WRITES)('is static in the calls that it makes: %s', async (_, code) => {
    for (const name of ['CALL', 'CALLCODE', 'DELEGATECALL', 'STATICCALL'] as const) {
      expect(await endingsOf(call(name, THIRD), code)).toEqual(['write protection', undefined, undefined])
    }
  })

  test.each([
    ['SLOAD', '0 SLOAD'],
    ['TLOAD', '0 TLOAD'],
    ['CALL without value', call('CALL', THIRD)],
    ['CALLCODE with value', call('CALLCODE', THIRD, { value: 1 })],
    ['DELEGATECALL', call('DELEGATECALL', THIRD)],
    ['STATICCALL', call('STATICCALL', THIRD)],
  ])('may do %s', async (_, code) => {
    expect((await endingsOf(code)).filter((ending) => ending !== undefined)).toEqual([])
  })

  test('that fails loses all gas that it got', async () => {
    const accounts = { [OTHER]: { code: '1 0 SSTORE' } }
    const { gasUsed } = await execute(call('STATICCALL', OTHER, { gas: 50_000 }), { accounts })
    expect(gasUsed).toBe(21_000n + 18n + 2_600n + 50_000n)
  })

  test('ends with itself: its caller may write', async () => {
    const { error } = await execute(`${call('STATICCALL', OTHER)} 0 SSTORE`)
    expect(error).toBeUndefined()
  })
})
