import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hexToBytes } from '../../../src/base/bytes.ts'
import type { AccessListEntry, Address, Hash, Hex } from '../../../src/base/types.ts'
import { InsufficientFundsError, IntrinsicGasError } from '../../../src/ethereum/errors.ts'
import { createAccessList, executeCall } from '../../../src/ethereum/evm/call.ts'
import { AccessListConvergenceError } from '../../../src/ethereum/evm/errors.ts'
import { precompilesOf } from '../../../src/ethereum/evm/precompiles.ts'
import type { TxEnv } from '../../../src/ethereum/transaction.ts'
import { forksUpTo } from '../../forks.ts'
import { runs } from '../../full.ts'
import { NEVER_DUE } from '../../suspending.ts'
import { hex, initCode, push } from './programs.ts'
import { program } from './random/programs.ts'
import { type Bench, createBench, SENDER, slotKey, TARGET } from './setup.ts'

const OTHER: Address = `0x${'dd'.repeat(20)}`
const LOW: Address = `0x${'1d'.repeat(20)}`
const call: TxEnv = {
  type: 1,
  from: SENDER,
  to: TARGET,
  nonce: 0n,
  gasLimit: 1_000_000n,
  value: 0n,
  data: new Uint8Array(0),
  gasPrice: 0n,
  accessList: [],
}

const on = (address: Address) => `73${address.slice(2)}`
const callTo = (address: Address) => `${push(0).repeat(5)}${on(address)}5af150`
const balanceOf = (address: Address) => `${on(address)}3150`
const load = (slot: number) => `${push(slot)}5450`
const REVERT = `${push(0)}${push(0)}fd`

async function bench(code: string, other = '00'): Promise<Bench> {
  return createBench('prague', { [TARGET]: { code: hex(code) }, [OTHER]: { code: hex(other) } })
}

const create = ({ executor, env, state, crypto }: Bench, tx: Partial<TxEnv> = {}) =>
  createAccessList(executor, { tx: { ...call, ...tx }, env, state }, crypto, NEVER_DUE)
const entry = (address: Address, ...slots: number[]): AccessListEntry => ({
  address,
  storageKeys: slots.map(slotKey),
})

describe('createAccessList', () => {
  test('lists accounts and slots in ascending order, each once', async () => {
    const own = await bench(
      load(9) + load(1) + balanceOf(OTHER) + balanceOf(LOW) + callTo(OTHER) + load(9),
      `${push(1)}${push(3)}55`,
    )
    expect(await create(own)).toEqual({
      accessList: [entry(LOW), entry(TARGET, 1, 9), entry(OTHER, 3)],
      gasUsed: expect.any(BigInt),
    })
  })

  test('is empty if nothing is accessed', async () => {
    expect(await create(await bench('00'))).toEqual({ accessList: [], gasUsed: 21_000n })
    expect(await create(await bench(''), { to: OTHER })).toEqual({ accessList: [], gasUsed: 21_000n })
  })

  test('omits addresses that are always warm, except for their slots: sender, recipient, precompiles', async () => {
    const warm = [SENDER, TARGET, `0x${'4'.padStart(40, '0')}`, `0x${'11'.padStart(40, '0')}`] as Address[]
    const own = await bench(warm.map(balanceOf).join('') + load(5))
    expect((await create(own)).accessList).toEqual([entry(TARGET, 5)])
    // Prague has no precompile at 0x100 yet, and go-ethereum lists the coinbase.
    const cold = [`0x${'100'.padStart(40, '0')}`, own.env.coinbase] as Address[]
    const other = await bench(cold.map(balanceOf).join(''))
    expect((await create(other)).accessList).toEqual(cold.map((address) => entry(address)))
  })

  test('omits the contract that a creation creates', async () => {
    const own = await bench('00')
    const init = hexToBytes(hex(initCode('00', `303150${push(7)}${push(2)}55`)))
    const { accessList, error } = await create(own, { to: null, data: init })
    expect(error).toBeUndefined()
    expect(accessList).toEqual([entry(await createdBy(own, init), 2)])
  })

  test('reports why the call failed, with what it accessed until then', async () => {
    const reverting = await bench(load(1) + callTo(OTHER) + REVERT, load(4) + REVERT)
    const { gasUsed, ...rest } = await create(reverting)
    expect(rest).toEqual({
      accessList: [entry(TARGET, 1), entry(OTHER, 4)],
      error: 'execution reverted',
    })
    expect(gasUsed).toBeLessThan(60_000n)
    const looping = await bench(`5b${load(1)}${push(0)}56`)
    expect(await create(looping)).toEqual({
      accessList: [entry(TARGET, 1)],
      gasUsed: 1_000_000n,
      error: 'out of gas',
    })
  })

  test('includes what a call accesses only if other entries are warm', async () => {
    // Loads slot 1, and slot 2 too if the first load was cheap: GAS, load, GAS, SWAP1, SUB, compared with 1000.
    const measure = `5a${load(1)}5a9003${push(1000)}11`
    const own = await bench(`${measure}15${push(measure.length / 2 + 8)}57${load(2)}5b00`)
    const { accessList } = await create(own)
    expect(accessList).toEqual([entry(TARGET, 1, 2)])
  })

  test('fails once the gas does not pay for the list, if code accesses another slot in each run', async () => {
    await expect(create(await bench('5a5400'), { gasLimit: 100_000n })).rejects.toThrow(IntrinsicGasError)
  })

  test('fails if each of a thousand runs accesses another slot', async () => {
    const own = await bench('5a5400')
    await expect(create(own, { gasLimit: 10_000_000n })).rejects.toThrow(new AccessListConvergenceError())
  })

  test('extends the given list, and removes nothing', async () => {
    const own = await bench(load(1))
    const given = [entry(OTHER, 8, 2), entry(TARGET, 3)]
    expect((await create(own, { accessList: given })).accessList).toEqual([
      entry(TARGET, 1, 3),
      entry(OTHER, 2, 8),
    ])
  })

  test('rejects what may not be executed, and does not change the state', async () => {
    const own = await bench(`${push(1)}${push(1)}55`)
    await expect(create(own, { value: 10n ** 19n })).rejects.toThrow(InsufficientFundsError)
    await create(own)
    expect(own.state.account(SENDER)?.nonce).toBe(0n)
    expect(own.state.account(TARGET)?.slotCount).toBe(0)
  })

  test('lists all that the call accesses with the list, and the gas it uses then', async () => {
    const targets = [OTHER, LOW, TARGET, SENDER]
    const fork = forksUpTo('prague')
    const scope = { fork, targets, isLimited: true }
    const warm = new Set([SENDER, TARGET, ...precompilesOf(fork)])
    let touched = 0
    await fc.assert(
      fc.asyncProperty(program(scope), program(scope), async (code, other) => {
        const own = await bench(code, other)
        let created: Awaited<ReturnType<typeof create>>
        try {
          created = await create(own)
        } catch (error) {
          // Code whose accesses depend on its gas.
          expect(error).toBeInstanceOf(IntrinsicGasError)
          return
        }
        const { accessList, gasUsed, error } = created
        const listed = new Set(
          accessList.flatMap(({ address, storageKeys }) => [
            address,
            ...storageKeys.map((key) => address + key),
          ]),
        )
        const missing: string[] = []
        const onAccess = (address: Address, slot?: Hash): void => {
          const name = slot === undefined ? address : address + slot
          const isWarm = slot === undefined && warm.has(address)
          if (!isWarm && !listed.has(name)) missing.push(name)
        }
        const tx = { ...call, accessList }
        const outcome = await executeCall(
          own.executor,
          { tx, env: own.env, state: own.state, hooks: { onAccess } },
          NEVER_DUE,
        )
        expect({ missing, gasUsed: outcome.gasUsed, error: outcome.error }).toEqual({
          missing: [],
          gasUsed,
          error,
        })
        touched += listed.size
      }),
      runs(25, 500),
    )
    expect(touched).toBeGreaterThan(100)
  })
})

/** The address of a contract that the sender creates. */
async function createdBy({ executor, env, state }: Bench, data: Uint8Array): Promise<Hex> {
  const outcome = await executeCall(executor, { tx: { ...call, to: null, data }, env, state }, NEVER_DUE)
  return outcome.contractAddress!
}
