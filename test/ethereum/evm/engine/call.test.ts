import { describe, expect, test } from 'vitest'
import { toAddress } from '../../../../src/base/bytes.ts'
import type { Address } from '../../../../src/base/types.ts'
import { ALL_FORKS, type ForkName } from '../../../forks.ts'
import { SENDER, slotOf, TARGET } from '../setup.ts'
import { call, gasOf, returning, skipIf } from './assembly.ts'
import { execute } from './execution.ts'

const OTHER: Address = `0x${'dd'.repeat(20)}`
const THIRD: Address = `0x${'ee'.repeat(20)}`
const ABSENT: Address = `0x${'ab'.repeat(20)}`
const IDENTITY = toAddress(4)
const MAX = 2n ** 256n - 1n

describe('the gas that a call passes on', () => {
  const SEEN = 'GAS 0 MSTORE 32 0 RETURN'

  /** What the called code sees of the gas. @param value - with a value the call costs 9,000 more. */
  async function seen(fork: ForkName, gas: string | number | bigint, value: number) {
    const code = `${call('CALL', OTHER, { gas, value, output: [0, 32] })} POP 32 0 RETURN`
    const accounts = { [TARGET]: { balance: 1n }, [OTHER]: { code: SEEN } }
    const { words, endings } = await execute(code, { fork, accounts, tx: { gasLimit: 121_000n } })
    return endings.at(-1) ?? words[0]
  }

  /** All but a 64th of what is left of 100,000 gas after the operands, the call of a cold account, and memory. */
  const most = (operands: number, value: number) => {
    const left = BigInt(100_000 - operands - 2_600 - 3 - (value === 0 ? 0 : 9_000))
    return left - left / 64n
  }
  // What is seen is less by the 2 gas of GAS.
  test.each<[string, string | number | bigint, number, bigint]>([
    ['all, which is too much', 'GAS', 0, most(20, 0) - 2n],
    ['more than there can be', MAX, 0, most(21, 0) - 2n],
    ['all but a 64th', most(21, 0), 0, most(21, 0) - 2n],
    ['one more than all but a 64th', most(21, 0) + 1n, 0, most(21, 0) - 2n],
    ['one less than all but a 64th', most(21, 0) - 1n, 0, most(21, 0) - 3n],
    ['some', 50_000, 0, 49_998n],
    ['some with value, and gets the stipend', 50_000, 1, 52_298n],
    ['all with value, and gets the stipend on top of all but a 64th', 'GAS', 1, most(20, 1) + 2_298n],
    ['none with value, and gets the stipend', 0, 1, 2_298n],
    ['none, and gets none', 0, 0, 0n],
  ])('is right if it asks for %s', async (_, gas, value, expected) => {
    expect(await seen('osaka', gas, value)).toBe(expected)
  })

  test('is what it asks for before EIP-150, or else the caller is out of gas', async () => {
    const left = 100_000 - 21 - 40 - 3
    expect(await Promise.all([50_000, left, left + 1, MAX].map((gas) => seen('homestead', gas, 0)))).toEqual([
      49_998n,
      BigInt(left - 2),
      'out of gas',
      'out of gas',
    ])
  })
})

describe('the price of a call', () => {
  const EMPTY: Address = `0x${'e0'.repeat(20)}`
  const accounts = { [TARGET]: { balance: 10n }, [THIRD]: { balance: 1n }, [EMPTY]: {} }
  const operands = 21n
  // The stipend is not used, so that the caller gets it back.
  const paying = 9_000n - 2_300n
  const created = 25_000n

  /** Of calls without gas: of an account with a balance, an absent and an empty one, without and with value. */
  const PRICES: Partial<Record<ForkName, readonly bigint[]>> = {
    frontier: [40n, 40n + created, 40n, 40n + paying, 40n + paying + created, 40n + paying],
    tangerineWhistle: [700n, 700n + created, 700n, 700n + paying, 700n + paying + created, 700n + paying],
    spuriousDragon: [700n, 700n, 700n, 700n + paying, 700n + paying + created, 700n + paying + created],
    berlin: [2_600n, 2_600n, 2_600n, 100n + paying, 100n + paying + created, 100n + paying + created],
  }

  test.each(ALL_FORKS)('depends on value and on whether the account exists, on %s', async (fork) => {
    const latest = ALL_FORKS.slice(0, ALL_FORKS.indexOf(fork) + 1).findLast(
      (name) => PRICES[name] !== undefined,
    )
    const targets = [THIRD, ABSENT, EMPTY]
    const prices = await Promise.all(
      [0, 1].map(async (value) => {
        const used = targets.map((to) => gasOf(call('CALL', to, { gas: 0, value })))
        // The addresses that are called with value are warm.
        const warming = value === 1 && ALL_FORKS.indexOf(fork) >= ALL_FORKS.indexOf('berlin')
        const before = warming ? targets.map((to) => `${to} BALANCE POP`).join(' ') : ''
        return (await execute(`${before} ${returning(...used)}`, { fork, accounts })).words
      }),
    )
    expect(prices.flat()).toEqual(PRICES[latest!]!.map((price) => operands + price))
  })

  test('has no part for a new account if the code runs in the same account', async () => {
    const price = gasOf(call('CALLCODE', ABSENT, { gas: 0, value: 1 }))
    expect((await execute(returning(price), { accounts })).words).toEqual([operands + 2_600n + paying])
  })

  test('is paid, but no gas is passed on, if there is too little ether', async () => {
    const price = gasOf(call('CALL', THIRD, { gas: 5_000, value: 11 }))
    const { words, endings } = await execute(returning(price), { accounts })
    expect(words).toEqual([operands + 2_600n + paying])
    expect(endings).toEqual(['insufficient balance for transfer', undefined])
  })
})

test.each([
  ['CALL', [OTHER, TARGET, 3n, 0n, 7n]],
  ['CALLCODE', [TARGET, TARGET, 3n, 7n, 0n]],
  ['DELEGATECALL', [TARGET, SENDER, 9n, 7n, 0n]],
  ['STATICCALL', [OTHER, TARGET, 0n]],
] as const)('%s has its own account, caller, value and storage', async (name, expected) => {
  const store = name === 'STATICCALL' ? '' : '7 0 SSTORE'
  const { words, state } = await execute(
    `${call(name, OTHER, { value: 3, output: [0, 96] })} POP 96 0 RETURN`,
    {
      accounts: { [OTHER]: { code: `${store} ${returning('ADDRESS', 'CALLER', 'CALLVALUE')}` } },
      tx: { value: 9n },
    },
  )
  const stored = store === '' ? [] : [TARGET, OTHER].map((address) => slotOf(state, address, 0))
  expect([...words, ...stored]).toEqual(expected.map(BigInt))
})

describe('a transfer', () => {
  test('to the account itself leaves its balance', async () => {
    const { endings, state } = await execute(skipIf('CALLVALUE', call('CALL', TARGET, { value: 5 })), {
      accounts: { [TARGET]: { balance: 5n } },
    })
    expect([endings, state.account(TARGET)?.balance]).toEqual([[undefined, undefined], 5n])
  })

  test('that the recipient cannot hold fails the call, and costs no gas', async () => {
    const price = gasOf(`${call('CALL', OTHER, { value: 1, gas: 0 })} 0 MSTORE 0 MLOAD`)
    const { words, state, endings } = await execute(returning(price, '0 MLOAD'), {
      accounts: { [TARGET]: { balance: 5n }, [OTHER]: { balance: MAX, code: 'STOP' } },
    })
    expect(endings).toEqual(['value overflow', undefined])
    expect(words).toEqual([21n + 2_600n + 9_000n - 2_300n + 15n, 0n])
    expect([TARGET, OTHER].map((address) => state.account(address)?.balance)).toEqual([5n, MAX])
  })

  test('is undone if the called code fails', async () => {
    const { state } = await execute(`${call('CALL', OTHER, { value: 1 })}`, {
      accounts: { [TARGET]: { balance: 5n }, [OTHER]: { code: '#fe' } },
    })
    expect([TARGET, OTHER].map((address) => state.account(address)?.balance)).toEqual([5n, 0n])
  })
})

describe('a precompile', () => {
  test('is called by an address whose upper 96 bits are set', async () => {
    const address = `0x${'ff'.repeat(12)}${IDENTITY.slice(2)}` as Address
    const copy = call('STATICCALL', address, { input: [0, 32], output: [32, 32] })
    expect((await execute(`77 0 MSTORE ${copy} 64 MSTORE 64 32 RETURN`)).words).toEqual([77n, 1n])
  })

  test('that fails loses its gas, its value and its output', async () => {
    const addition = toAddress(6)
    const fails = call('CALL', addition, { value: 1, gas: 1_000, input: [0, 32], output: [32, 32] })
    const { words, endings, state } = await execute(
      `0 NOT 0 MSTORE 9 32 MSTORE ${returning(gasOf(fails), '32 MLOAD', 'RETURNDATASIZE')}`,
      { accounts: { [TARGET]: { balance: 1n } } },
    )
    // The precompile is warm, and had no balance.
    expect(words).toEqual([21n + 100n + 9_000n + 25_000n + 1_000n, 9n, 0n])
    expect(endings).toEqual([expect.any(String), undefined])
    expect([TARGET, addition].map((address) => state.account(address)?.balance)).toEqual([1n, undefined])
  })

  test('that is moved runs at its new address, and the addresses are as warm as before', async () => {
    const copy = (address: Address) => {
      const reads = call('STATICCALL', address, { input: [0, 32], output: [32, 32] })
      return [gasOf(reads), '32 MLOAD', 'RETURNDATASIZE']
    }
    const { words } = await execute(`77 0 MSTORE ${returning(...copy(IDENTITY), ...copy(OTHER))}`, {
      env: {
        movedPrecompiles: new Map<Address, Address | null>([
          [IDENTITY, null],
          [OTHER, IDENTITY],
        ]),
      },
    })
    // A word of memory is paid once; the precompile takes 15 gas and 3 per word.
    expect(words).toEqual([17n + 100n + 3n, 0n, 0n, 17n + 2_600n + 18n, 77n, 32n])
  })
})

describe('an account that is touched (EIP-161)', () => {
  const EMPTY: Address = `0x${'e0'.repeat(20)}`
  const RIPEMD160 = toAddress(3)
  const accounts = { [EMPTY]: {}, [RIPEMD160]: {} }
  const touch = (address: Address) => `${call('CALL', address, { gas: 0 })} POP`
  /** Which of the empty accounts are left after code, which can call other code. */
  const left = async (code: string, fork: ForkName, other = 'STOP') => {
    const { state } = await execute(code, { fork, accounts: { ...accounts, [OTHER]: { code: other } } })
    return [EMPTY, RIPEMD160].filter((address) => state.account(address) !== undefined)
  }

  test.each(['spuriousDragon', 'osaka'] as const)('is deleted if it is empty, on %s', async (fork) => {
    expect(await left(touch(EMPTY), fork)).toEqual([RIPEMD160])
  })

  test('stays before EIP-161', async () => {
    expect(await left(`${touch(EMPTY)} ${touch(RIPEMD160)}`, 'tangerineWhistle')).toEqual([EMPTY, RIPEMD160])
  })

  test.each(['spuriousDragon', 'osaka'] as const)(
    'by a frame that fails stays, except 0x03, on %s',
    async (fork) => {
      const touches = `${touch(EMPTY)} ${touch(RIPEMD160)} #fe`
      expect(await left(`${call('CALL', OTHER)} POP`, fork, touches)).toEqual([EMPTY])
      // The precompile itself is out of gas.
      expect(await left(touch(RIPEMD160), fork)).toEqual([EMPTY])
    },
  )
})

describe('the calldata of a call', () => {
  const size = 2 ** 16
  const input = [0, size] as const

  test.each([
    ['CALL', call('CALL', OTHER, { input })],
    ['CALLCODE', call('CALLCODE', OTHER, { input })],
    ['DELEGATECALL', call('DELEGATECALL', OTHER, { input })],
    ['STATICCALL', call('STATICCALL', OTHER, { input })],
    ['CALL of an absent account', call('CALL', ABSENT, { input })],
    ['CREATE', `${size} 0 0 CREATE`],
    ['CREATE2', `GAS ${size} 0 0 CREATE2`],
  ])('is not copied by %s, for which gas would not pay', async (_name, start) => {
    const seen: Uint8Array[] = []
    const hooks = { onEnter: (frame: { readonly input: Uint8Array }) => void seen.push(frame.input) }
    // Before Shanghai not even initcode is paid by its size.
    await execute(`0 ${size - 1} MSTORE8 ${`${start} POP `.repeat(3)}`, {
      fork: 'london',
      accounts: { [OTHER]: { code: '0 CALLDATALOAD POP' } },
      tx: { gasLimit: 10_000_000n },
      hooks,
    })
    expect(seen.slice(1).map((bytes) => bytes.length)).toEqual([size, size, size])
    expect(new Set(seen.slice(1).map((bytes) => bytes.buffer)).size).toBe(1)
  })

  test('stays as it was until the call has ended', async () => {
    // The output is written over the input, and what the call has returned stays.
    const over = call('CALL', IDENTITY, { input: [0, 64], output: [32, 64] })
    const { words } = await execute(
      `1 0 MSTORE 2 32 MSTORE 3 64 MSTORE ${over} POP 64 0 96 RETURNDATACOPY 9 0 MSTORE ${returning('32 MLOAD', '64 MLOAD', '96 MLOAD', '128 MLOAD')}`,
    )
    expect(words).toEqual([1n, 2n, 1n, 2n])
  })
})
