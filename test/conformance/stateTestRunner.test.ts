import { describe, expect, it } from 'vitest'
import type { Address, Hash, Hex } from '../../src/base/types.ts'
import { accountOf, signTransaction } from '../signing.ts'
import { FORK_NETWORKS } from './networks.ts'
import { StateTestRunner } from './stateTestRunner.ts'
import { differenceOf, type StateTest, type StateTestCase } from './stateTests.ts'
import { runStock } from './stockStateTest.ts'

const KEY: Hex = `0x${'11'.repeat(32)}`
const SENDER = accountOf(KEY).address.toLowerCase() as Address
const CONTRACT: Address = `0x${'cc'.repeat(20)}`
const HASH: Hash = `0x${'ab'.repeat(32)}`

/** Stores the block's difficulty or prevRandao, calls an absent account, and emits an empty log. */
const CODE: Hex = `0x44600055${'6000'.repeat(5)}73${'dd'.repeat(20)}61fffff15060006000a000`

/** A test that sends a transaction, or one without enough gas. */
async function makeTest(fork: string): Promise<StateTest> {
  const caseOf = async (gas: bigint): Promise<StateTestCase> => ({
    name: `${fork} ${gas}`,
    txbytes: await signTransaction(KEY, { type: 'legacy', gas, gasPrice: 100n, to: CONTRACT, value: 3n }),
    hash: HASH,
    logs: HASH,
  })
  const account = { balance: '0x00', nonce: '0x00', code: '0x', storage: {} } as const
  return {
    name: fork,
    file: '',
    fork,
    config: {},
    env: {
      currentCoinbase: `0x${'cb'.repeat(20)}`,
      currentNumber: '0x01',
      currentTimestamp: '0x03e8',
      currentGasLimit: '0x07270e00',
      currentDifficulty: '0x020000',
      currentRandom: HASH,
    },
    pre: {
      [SENDER]: { ...account, balance: '0x0de0b6b3a7640000' },
      [CONTRACT]: { ...account, code: CODE, storage: { '0x01': '0x02' } },
    },
    cases: [await caseOf(200_000n), await caseOf(20_000n)],
  }
}

describe('a state test', () => {
  it.each(FORK_NETWORKS)('has the outcome of stock @ethereumjs on %s', async (fork) => {
    const test = await makeTest(fork)
    const started = (await StateTestRunner.create()).start(test)
    const [included, rejected] = await Promise.all(test.cases.map((one) => started.run(one)))
    const [stockIncluded, stockRejected] = await Promise.all(test.cases.map((one) => runStock(test, one)))
    expect(included).toEqual(stockIncluded)
    expect(rejected).toEqual({
      hash: stockRejected!.hash,
      logs: stockRejected!.logs,
      rejected: 'intrinsic gas too low: have 20000, want 21000',
    })
    expect(included!.hash).not.toBe(rejected!.hash)
  })

  it('differs in the root, the logs, and whether the transaction is rejected', () => {
    const expected = { name: '', txbytes: '0x', hash: HASH, logs: HASH } as const
    const got = { hash: HASH, logs: HASH }
    expect(differenceOf(expected, got)).toBeUndefined()
    expect(differenceOf({ ...expected, expectException: 'a' }, { ...got, rejected: 'b' })).toBeUndefined()
    expect(differenceOf(expected, 'Error: no')).toBe('threw Error: no')
    expect(differenceOf(expected, { hash: '0x1', logs: '0x2', rejected: 'b' })).toBe(
      `rejected: b; state root 0x1, not ${HASH}; logs hash 0x2, not ${HASH}`,
    )
    expect(differenceOf({ ...expected, expectException: 'a' }, got)).toBe('not rejected: a')
  })
})
