import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hexToBytes } from '../../../src/base/bytes.ts'
import type { Address } from '../../../src/base/types.ts'
import { InsufficientFundsError, IntrinsicGasError } from '../../../src/ethereum/errors.ts'
import { callChecks, estimateGas, executeCall } from '../../../src/ethereum/evm/call.ts'
import {
  ExecutionFailedError,
  ExecutionRevertedError,
  GasAllowanceError,
} from '../../../src/ethereum/evm/errors.ts'
import type { TxEnv } from '../../../src/ethereum/transaction.ts'
import { forksUpTo } from '../../forks.ts'
import { runs } from '../../full.ts'
import { NEVER_DUE } from '../../suspending.ts'
import { hex, initCode, push } from './programs.ts'
import { program } from './random/programs.ts'
import { type Bench, createBench, dump, ETHER, SENDER, TARGET } from './setup.ts'

const OTHER: Address = `0x${'dd'.repeat(20)}`
const call: TxEnv = {
  type: 0,
  from: SENDER,
  to: TARGET,
  nonce: 0n,
  gasLimit: 30_000_000n,
  value: 0n,
  data: new Uint8Array(0),
  gasPrice: 0n,
}

const CALL = `${push(0).repeat(5)}73${OTHER.slice(2)}5af1`
const REVERT = `${push(0)}${push(0)}fd`
/** Reverts if the call before it failed. */
const check = (code: string, ahead: number) => `${code}${push(ahead + 10)}57${REVERT}5b`

async function bench(code: string, other = '00', storage = {}): Promise<Bench> {
  return createBench('prague', { [TARGET]: { code: hex(code), storage }, [OTHER]: { code: hex(other) } })
}

const estimate = ({ executor, env, state }: Bench, tx: Partial<TxEnv> = {}) =>
  estimateGas(executor, { tx: { ...call, ...tx }, env, state }, NEVER_DUE)

async function succeeds(
  { executor, env, state }: Bench,
  gasLimit: bigint,
  tx: Partial<TxEnv> = {},
): Promise<boolean> {
  try {
    return (await executeCall(executor, { tx: { ...call, ...tx, gasLimit }, env, state }, NEVER_DUE))
      .succeeded
  } catch (error) {
    if (error instanceof IntrinsicGasError) return false
    throw error
  }
}

describe('estimateGas', () => {
  describe('is exact for', () => {
    test.each<[string, () => Promise<Bench>, Partial<TxEnv>, bigint]>([
      ['a transfer', () => bench(''), { value: 1n }, 21_000n],
      ['a store', () => bench(`${push(1)}${push(0)}55`), {}, 21_000n + 22_106n],
      [
        'a refund, which comes only at the end',
        () => bench(`${push(0)}${push(0)}55`, '', { 0: 1n }),
        {},
        21_000n + 5_006n,
      ],
      ['data that pays the floor', () => bench('00'), { data: new Uint8Array(1000).fill(1) }, 61_000n],
      ['a creation', () => bench(''), { to: null, data: hexToBytes(hex(initCode('00'))) }, 53_390n],
      [
        'an access list',
        () => bench(''),
        { type: 1, accessList: [{ address: OTHER, storageKeys: [] }] },
        23_400n,
      ],
    ])('%s', async (_, create, tx, expected) => {
      const on = await create()
      const gas = await estimate(on, tx)
      expect(gas).toBe(expected)
      expect([await succeeds(on, gas, tx), await succeeds(on, gas - 1n, tx).catch(() => false)]).toEqual([
        true,
        false,
      ])
    })
  })

  describe('is at most 1 % above the minimum for', () => {
    // The callee stores three times, and the caller retains a 64th of the gas.
    const stores = [0, 1, 2].map((slot) => `${push(1)}${push(slot)}55`).join('')
    const length = (code: string) => code.length / 2
    const nested = check(CALL, length(CALL) - 2)
    // Requires more remaining gas than it uses.
    const aware = `${push(300_000)}5a11${push(14)}57${REVERT}5b`

    test.each<[string, string]>([
      ['a call of code that needs its gas', nested],
      ['code that checks the remaining gas', aware],
      // The second store costs 100 gas, and requires 2,300.
      ['a store that requires more gas than it costs', `${push(1)}${push(0)}55${push(2)}${push(0)}55`],
    ])('%s', async (_, code) => {
      const on = await bench(code, stores)
      const gas = await estimate(on)
      expect(await succeeds(on, gas)).toBe(true)
      let [fails, least] = [21_000n, gas]
      while (least - fails > 1n) {
        const middle = (fails + least) / 2n
        if (await succeeds(on, middle)) least = middle
        else fails = middle
      }
      const { peakGas } = await executeCall(
        on.executor,
        { tx: call, env: on.env, state: on.state },
        NEVER_DUE,
      )
      expect(least).toBeGreaterThan(peakGas)
      expect(gas * 100n).toBeLessThanOrEqual(least * 101n)
    })
  })

  describe('fails with', () => {
    test.each<[string, string, Partial<TxEnv>, Error]>([
      [
        'the output of a revert',
        `${push(7)}${push(0)}53${push(1)}${push(0)}fd`,
        {},
        new ExecutionRevertedError('0x07'),
      ],
      [
        'the gas limit that was not enough',
        `5b${push(0)}56`,
        { gasLimit: 90_000n },
        new GasAllowanceError(90_000n),
      ],
      ['the name of another failure', 'fe', {}, new ExecutionFailedError('invalid opcode')],
      ['the error that prevents execution', '', { value: ETHER + 1n }, new InsufficientFundsError()],
      [
        'insufficient funds for the gas, if a price is given',
        '',
        { gasPrice: ETHER },
        new InsufficientFundsError(),
      ],
      [
        'a gas limit below the intrinsic gas',
        '',
        { gasLimit: 20_000n },
        new GasAllowanceError(20_000n, new IntrinsicGasError(20_000n, 21_000n)),
      ],
    ])('%s', async (_, code, tx, error) => {
      await expect(bench(code).then((on) => estimate(on, tx))).rejects.toEqual(error)
    })
  })

  test('returns enough gas for any code, and does not change the state', async () => {
    const codeFor = (...targets: Address[]) =>
      program({ fork: forksUpTo('prague'), targets, isLimited: true })
    let estimated = 0
    await fc.assert(
      fc.asyncProperty(codeFor(OTHER, TARGET, SENDER), codeFor(SENDER), async (code, other) => {
        const on = await bench(code, other)
        const before = dump(on.state)
        const gas = await estimate(on, { gasLimit: 1_000_000n }).catch((error: Error) => error)
        expect(dump(on.state)).toEqual(before)
        if (typeof gas !== 'bigint') return
        estimated += 1
        expect(await succeeds(on, gas)).toBe(true)
        expect(gas).toBeLessThanOrEqual(1_000_000n)
      }),
      runs(50, 2000),
    )
    expect(estimated).toBeGreaterThan(30)
  })

  test('checks fee caps only if the call has them', () => {
    const checks = { nonce: false, senderCode: false, gasLimit: false, funds: true }
    const free = { ...checks, feeCap: false, extraFees: false }
    expect(callChecks(call)).toEqual({ ...free, blobFeeCap: false })
    const paid = { ...checks, feeCap: true, extraFees: true }
    expect(callChecks({ ...call, gasPrice: 1n })).toEqual({ ...paid, blobFeeCap: false })
    const blobs = { ...call, maxFeePerBlobGas: 1n }
    expect(callChecks(blobs)).toEqual({ ...free, blobFeeCap: true })
  })
})
