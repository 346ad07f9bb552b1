import { describe, expect, test } from 'vitest'
import type { Address } from '../../../../../src/base/types.ts'
import { slotKey, slotOf, TARGET } from '../../setup.ts'
import { call, gasOf, returning } from '../assembly.ts'
import { execute } from '../execution.ts'

const OTHER: Address = `0x${'dd'.repeat(20)}`
const MAX = 2n ** 256n - 1n
const REVERT = '0 0 REVERT'

describe('transient storage (EIP-1153)', () => {
  const inner = (code: string) => ({ accounts: { [OTHER]: { code } } })

  test('belongs to the account, and is kept between calls', async () => {
    const setting = inner(`0 TLOAD 1 ADD DUP1 0 TSTORE 0 MSTORE 32 0 RETURN`)
    const called = `${call('CALL', OTHER, { output: [0, 32] })} POP 0 MLOAD`
    const { words } = await execute(`9 0 TSTORE ${returning(called, called, '0 TLOAD', '1 TLOAD')}`, setting)
    expect(words).toEqual([1n, 2n, 9n, 0n])
  })

  test('is that of the caller in a delegated call', async () => {
    const setting = inner(`0 TLOAD 1 ADD ${MAX} TSTORE`)
    const { words } = await execute(
      `9 0 TSTORE ${call('DELEGATECALL', OTHER)} ${returning(`${MAX} TLOAD`)}`,
      setting,
    )
    expect(words).toEqual([10n])
  })

  test.each([REVERT, '#fe'])('reverts with the frame that ends with %s', async (end) => {
    const setting = inner(`2 0 TSTORE 3 1 TSTORE ${end}`)
    const { words } = await execute(
      `1 0 TSTORE ${call('DELEGATECALL', OTHER)} ${returning('0 TLOAD', '1 TLOAD')}`,
      setting,
    )
    expect(words).toEqual([1n, 0n])
  })

  test('costs 100 gas, whatever it holds, and needs no more for TSTORE', async () => {
    const { words } = await execute(returning(gasOf('0 TLOAD'), gasOf('1 0 TSTORE 0')))
    expect(words).toEqual([103n, 109n])
    // Two operands and 100 gas; SSTORE would need 2,300.
    const { error } = await execute('1 0 TSTORE', { tx: { gasLimit: 21_106n } })
    expect(error).toBeUndefined()
  })
})

describe('storage', () => {
  test('has keys and values of any size', async () => {
    const words = [0n, 1n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 255n, MAX]
    const stores = words.map((key) => `${MAX - key} ${key} SSTORE`)
    const execution = await execute(`${stores.join(' ')} ${returning(...words.map((key) => `${key} SLOAD`))}`)
    expect(execution.words).toEqual(words.map((key) => MAX - key))
    expect(words.map((key) => slotOf(execution.state, TARGET, key))).toEqual(words.map((key) => MAX - key))
  })

  test('is cold once per slot and account, and again after a revert', async () => {
    const reads = gasOf('0 SLOAD')
    const { words } = await execute(
      `${call('DELEGATECALL', OTHER)} POP ${returning(reads, reads, gasOf('1 SLOAD'))}`,
      { accounts: { [OTHER]: { code: `0 SLOAD ${REVERT}` } } },
    )
    expect(words).toEqual([2_103n, 103n, 2_103n])
  })

  test('has the refunds of the frames that succeed, and no others', async () => {
    const storage = { 0: 1n, 1: 1n }
    const refunded = async (end: string) => {
      const accounts = { [TARGET]: { storage }, [OTHER]: { code: `0 0 SSTORE ${end}` } }
      // Data makes the refund less than a fifth of the gas.
      const { peakGas, gasUsed } = await execute(`0 1 SSTORE ${call('DELEGATECALL', OTHER)}`, {
        fork: 'cancun',
        accounts,
        tx: { data: new Uint8Array(5_000).fill(1) },
      })
      return peakGas - gasUsed
    }
    expect(await Promise.all(['STOP', REVERT].map(refunded))).toEqual([9_600n, 4_800n])
  })
})

describe('logs', () => {
  test('have up to four topics, the topmost first, and bytes of memory', async () => {
    const source = `0x0a0b0c 0 MSTORE ${[0, 1, 2, 3, 4].map((n) => `4 3 2 1 2 30 LOG${n}`).join(' ')}`
    const { logs } = await execute(source)
    expect(logs).toEqual(
      [0, 1, 2, 3, 4].map((count) => ({
        address: TARGET,
        topics: [1, 2, 3, 4].slice(0, count).map(slotKey),
        data: '0x0b0c',
      })),
    )
  })

  test('cost 375 gas, and as much per topic, and 8 per byte', async () => {
    const used = [0, 1, 4].map((n) => gasOf(`0 ${'0 '.repeat(n)} 33 0 LOG${n}`))
    const { words } = await execute(`0 96 MSTORE ${returning(...used)}`)
    expect(words).toEqual([0n, 1n, 4n].map((n) => 9n + 3n * n + 375n * (n + 1n) + 8n * 33n))
  })

  test('of frames that fail, and of those in them, are gone', async () => {
    const log = (topic: number) => `${topic} 0 0 LOG1`
    const { logs } = await execute(`${log(1)} ${call('CALL', OTHER)} ${log(4)}`, {
      accounts: { [OTHER]: { code: `${log(2)} ${call('CALL', TARGET, { gas: 0 })} ${log(3)} ${REVERT}` } },
    })
    expect(logs.map(({ topics }) => topics[0])).toEqual([1, 4].map(slotKey))
  })
})
