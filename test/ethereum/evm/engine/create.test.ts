import { getContractAddress } from 'viem'
import { describe, expect, test } from 'vitest'
import type { Address } from '../../../../src/base/types.ts'
import type { ForkName } from '../../../forks.ts'
import { slotKey, slotOf, TARGET } from '../setup.ts'
import { assemble, bytecode, call, create, gasOf, returning } from './assembly.ts'
import { execute } from './execution.ts'

const MAX_NONCE = 2n ** 64n - 1n
const addressOf = (nonce: bigint, from = TARGET) =>
  getContractAddress({ opcode: 'CREATE', from, nonce }).toLowerCase() as Address
const create2AddressOf = (salt: number, initCode: string) => {
  const bytes = bytecode(initCode)
  return getContractAddress({
    opcode: 'CREATE2',
    from: TARGET,
    salt: slotKey(salt),
    bytecode: bytes,
  }).toLowerCase()
}

/** The creation of a contract without code, by code that has memory up to 0x500 already. */
const EMPTY_CREATION = '0 0 0 CREATE'
const MEMORY = '0 0x04e0 MSTORE'

describe('the address of a contract', () => {
  test.each([0n, 1n, 127n, 128n, 256n, 2n ** 53n, MAX_NONCE - 1n])('created with nonce %s', async (nonce) => {
    const { words, state } = await execute(returning(EMPTY_CREATION), { accounts: { [TARGET]: { nonce } } })
    expect(words).toEqual([BigInt(addressOf(nonce))])
    expect(state.account(TARGET)?.nonce).toBe(nonce + 1n)
    expect(state.account(addressOf(nonce))).toMatchObject({ nonce: 1n, balance: 0n })
  })

  test('created with a salt (EIP-1014)', async () => {
    const runtime = 'CALLER 0 SSTORE'
    const { words, state } = await execute(
      returning(create('', { salt: 0 }), create(assemble(runtime), { salt: 258 })),
    )
    expect(words).toEqual([create2AddressOf(0, ''), create2AddressOf(258, runtime)].map(BigInt))
    expect(state.account(TARGET)?.nonce).toBe(3n)
  })
})

describe('a creation', () => {
  test('runs its initcode in the new account, which has nonce 1, value and no code', async () => {
    const seen = [
      'ADDRESS',
      'CALLER',
      'CALLVALUE',
      'CALLDATASIZE',
      'CODESIZE',
      'SELFBALANCE',
      'ADDRESS EXTCODESIZE',
    ]
    const initCode = `${seen.map((one, slot) => `${one} ${slot} SSTORE`).join(' ')} ${EMPTY_CREATION} 7 SSTORE`
    const { state } = await execute(create(assemble(initCode), { value: 3 }), {
      accounts: { [TARGET]: { balance: 5n }, [addressOf(1n)]: { balance: 2n } },
      tx: { data: Uint8Array.of(1) },
    })
    const contract = addressOf(1n)
    const size = BigInt(assemble(initCode).length / 2)
    expect(seen.map((_, slot) => slotOf(state, contract, slot))).toEqual([
      BigInt(contract),
      BigInt(TARGET),
      3n,
      0n,
      size,
      5n,
      0n,
    ])
    expect(slotOf(state, contract, 7)).toBe(BigInt(addressOf(1n, contract)))
    expect([TARGET, contract].map((address) => state.account(address))).toMatchObject([
      { nonce: 2n, balance: 2n },
      { nonce: 2n, balance: 5n },
    ])
  })

  test.each<[ForkName, (left: bigint) => bigint]>([
    ['homestead', (left) => left],
    ['tangerineWhistle', (left) => left - left / 64n],
    ['osaka', (left) => left - 2n - (left - 2n) / 64n],
  ])('gets all gas on %s, since EIP-150 but for a 64th', async (fork, passed) => {
    // It stores the gas that it sees, and returns no code.
    const initCode = assemble('GAS 0 SSTORE')
    const source = `${MEMORY} 0x${initCode} 0 MSTORE GAS 0 SSTORE ${initCode.length / 2} ${32 - initCode.length / 2} 0 CREATE`
    const { state } = await execute(source, { fork, tx: { gasLimit: 200_000n } })
    // SSTORE of a cold slot, three operands, CREATE.
    const left = slotOf(state, TARGET, 0) - (fork === 'osaka' ? 22_103n : 20_003n) - 9n - 32_000n
    expect(slotOf(state, addressOf(1n), 0)).toBe(passed(left) - 2n)
  })

  test.each<[ForkName, string, bigint]>([
    ['paris', '64 0 0 CREATE', 9n + 32_000n],
    ['shanghai', '64 0 0 CREATE', 9n + 32_000n + 4n],
    ['shanghai', '65 0 0 CREATE', 9n + 32_000n + 6n],
    ['paris', '0 64 0 0 CREATE2', 12n + 32_000n + 12n],
    ['shanghai', '0 64 0 0 CREATE2', 12n + 32_000n + 16n],
  ])('costs on %s, as %s, by the word (EIP-1014, EIP-3860)', async (fork, source, price) => {
    expect((await execute(`${MEMORY} ${returning(gasOf(source))}`, { fork })).words).toEqual([price])
  })

  test('pays 200 gas per byte of code', async () => {
    // The initcode returns ten zeros.
    const code = `${MEMORY} 0x600a6000f3 0 MSTORE ${returning(gasOf('5 27 0 CREATE'))}`
    const { words, state } = await execute(code)
    expect(words).toEqual([9n + 32_000n + 2n + 9n + 2_000n])
    expect(state.code(state.account(addressOf(1n))!.codeHash)).toEqual(new Uint8Array(10))
  })
})

describe('a creation that is refused', () => {
  test.each([
    ['by an account with the highest nonce', { nonce: MAX_NONCE }, 0, 'nonce uint64 overflow'],
    ['without enough ether', { nonce: 1n, balance: 4n }, 5, 'insufficient balance for transfer'],
  ])('%s leaves the nonce, and gets its gas back', async (_, account, value, error) => {
    const both = [`0 0 ${value} CREATE`, `0 0 0 ${value} CREATE2`]
    const { words, state, endings } = await execute(`${MEMORY} ${returning(...both, ...both.map(gasOf))}`, {
      accounts: { [TARGET]: account },
    })
    expect(words).toEqual([0n, 0n, 32_009n, 32_012n])
    expect(endings).toEqual([error, error, error, error, undefined])
    expect(state.account(TARGET)).toMatchObject(account)
  })
})

describe('a collision', () => {
  test.each([
    ['a nonce', { nonce: 1n }],
    ['code', { code: 'STOP' }],
    ['storage (EIP-7610)', { storage: { 1: 1n } }],
  ])('with %s burns the gas, but raises the nonce and warms the address', async (_, account) => {
    const contract = addressOf(1n)
    const results = ['GAS', '0 0 3 CREATE', 'GAS', 'RETURNDATASIZE', gasOf(`${contract} BALANCE`)]
    const { words, state, endings } = await execute(`${MEMORY} ${returning(...results)}`, {
      accounts: { [TARGET]: { balance: 5n }, [contract]: { ...account, balance: 2n } },
    })
    const [before, created, after, ...rest] = words
    // MSTORE and its offset, three operands, CREATE.
    const left = before! - 6n - 9n - 32_000n
    expect([created, after, ...rest]).toEqual([0n, left / 64n - 8n, 0n, 103n])
    expect(endings).toEqual(['contract address collision', undefined])
    expect(state.account(TARGET)).toMatchObject({ nonce: 2n, balance: 5n })
    expect(state.account(contract)?.balance).toBe(2n)
  })

  test('is none with a balance, which the contract keeps', async () => {
    const contract = addressOf(1n)
    const { words, state } = await execute(returning('0 0 3 CREATE'), {
      accounts: { [TARGET]: { balance: 5n }, [contract]: { balance: 2n } },
    })
    expect(words).toEqual([BigInt(contract)])
    expect(state.account(contract)).toMatchObject({ nonce: 1n, balance: 5n })
  })

  test('happens with a contract of the same transaction, but not with one whose creation failed', async () => {
    const twice = (initCode: string) =>
      returning(create(initCode, { salt: 1 }), create(initCode, { salt: 1 }))
    const again = await execute(twice('00'))
    expect(again.words).toEqual([BigInt(create2AddressOf(1, 'STOP')), 0n])
    expect(again.endings).toEqual([undefined, 'contract address collision', undefined])
    const reverted = await execute(twice(assemble('0 0 REVERT')))
    expect(reverted.endings).toEqual(['execution reverted', 'execution reverted', undefined])
  })
})

describe('the code that a creation returns', () => {
  const contract = addressOf(1n)
  const gas = { gasLimit: 40_000_000n }
  const EF = '0xef 0 MSTORE8 1 0 RETURN'

  test.each<[ForkName, string, string | undefined]>([
    ['homestead', '24577 0 RETURN', undefined],
    ['spuriousDragon', '24576 0 RETURN', undefined],
    ['spuriousDragon', '24577 0 RETURN', 'max code size exceeded'],
    ['osaka', '24576 0 RETURN', undefined],
    ['osaka', '24577 0 RETURN', 'max code size exceeded'],
    ['berlin', EF, undefined],
    ['london', EF, 'invalid code: must not begin with 0xef'],
    ['osaka', EF, 'invalid code: must not begin with 0xef'],
    ['osaka', '0 0 RETURN', undefined],
    ['osaka', '0xfe 0 MSTORE8 1 0 RETURN', undefined],
  ])('on %s, by %s, ends with: %s (EIPs 170, 3541)', async (fork, initCode, error) => {
    // The initcode changes state before it returns.
    const source = create(assemble(`1 0 SSTORE 0 0 LOG0 ${initCode}`))
    const { endings, state, logs } = await execute(`${source} 0 SSTORE`, { fork, tx: gas })
    expect(endings).toEqual([error, undefined])
    const succeeds = error === undefined
    expect(slotOf(state, TARGET, 0)).toBe(succeeds ? BigInt(contract) : 0n)
    expect([state.account(contract) !== undefined, slotOf(state, contract, 0), logs.length]).toEqual(
      succeeds ? [true, 1n, 1] : [false, 0n, 0],
    )
    expect(state.account(TARGET)?.nonce).toBe(2n)
  })

  test('is not deployed without the gas for it; on Frontier the contract stays', async () => {
    const source = create(assemble('1 0 SSTORE 10000 0 RETURN'))
    const results = (['frontier', 'homestead', 'osaka'] as const).map(async (fork) => {
      const { endings, state } = await execute(`${source} 0 SSTORE`, { fork })
      return [endings, slotOf(state, TARGET, 0), slotOf(state, contract, 0)]
    })
    const unpaid = 'contract creation code storage out of gas'
    expect(await Promise.all(results)).toEqual([
      [[unpaid, undefined], BigInt(contract), 1n],
      // All gas was passed on.
      [[unpaid, 'out of gas'], 0n, 0n],
      [[unpaid, undefined], 0n, 0n],
    ])
  })

  test('can be called in the same transaction', async () => {
    const deployed = returning('7')
    const initCode = `#${assemble(`0x${assemble(deployed).padEnd(64, '0')} 0 MSTORE ${assemble(deployed).length / 2} 0 RETURN`)}`
    const { words } = await execute(
      `${create(assemble(initCode))} POP ${call('CALL', contract, { output: [0, 32] })} POP 32 0 RETURN`,
    )
    expect(words).toEqual([7n])
  })
})

describe('the initcode', () => {
  test.each<[ForkName, number, string | undefined]>([
    ['paris', 49_153, undefined],
    ['shanghai', 49_152, undefined],
    ['shanghai', 49_153, 'max initcode size exceeded'],
    ['osaka', 49_153, 'max initcode size exceeded'],
  ])('on %s, of %i bytes, ends its creator with: %s (EIP-3860)', async (fork, size, error) => {
    const both = await Promise.all(
      [`${size} 0 0 CREATE`, `0 ${size} 0 0 CREATE2`].map((source) => execute(source, { fork })),
    )
    expect(both.map((execution) => execution.error)).toEqual([error, error])
    expect(both.map(({ gasUsed }) => gasUsed === 1_000_000n)).toEqual([
      error !== undefined,
      error !== undefined,
    ])
  })
})
