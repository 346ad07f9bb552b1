import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ZERO_HASH } from '../../../../src/base/bytes.ts'
import { resumeToEnd } from '../../../../src/base/waiting.ts'
import type { Frame } from '../../../../src/ethereum/evm/engine/frame.ts'
import {
  accessAccount,
  accessFurtherAccount,
  accessSlot,
  sstoreGas,
} from '../../../../src/ethereum/evm/engine/gas.ts'
import { Halt, MAX_COUNTED_GAS, splitGas } from '../../../../src/ethereum/evm/engine/message.ts'
import { createPresealEngine } from '../../../../src/ethereum/evm/engine/presealEngine.ts'
import type { MessageResult } from '../../../../src/ethereum/evm/engine.ts'
import { ALL_FORKS, type ForkName, isSince, rulesOf } from '../../../forks.ts'
import { runs } from '../../../full.ts'
import { createBench, SENDER, slotKey, TARGET } from '../setup.ts'
import { bytecode } from './assembly.ts'
import { createFrame, startMessage } from './frames.ts'

const OUT_OF_GAS = new Halt('out of gas')
const VALUES = [0, 1, 2]
const NET_METERED = ['constantinople', 'istanbul', 'berlin', 'london'] as const

type Price = 'dirty' | 'set' | 'reset' | 'clears' | 'restoresZero' | 'restores'

/** The prices of EIPs 1283, 2200, 2929 and 3529, without that of a cold slot. */
const PRICES: Readonly<Record<(typeof NET_METERED)[number], Readonly<Record<Price, number>>>> = {
  constantinople: {
    dirty: 200,
    set: 20_000,
    reset: 5_000,
    clears: 15_000,
    restoresZero: 19_800,
    restores: 4_800,
  },
  istanbul: { dirty: 800, set: 20_000, reset: 5_000, clears: 15_000, restoresZero: 19_200, restores: 4_200 },
  berlin: { dirty: 100, set: 20_000, reset: 2_900, clears: 15_000, restoresZero: 19_900, restores: 2_800 },
  london: { dirty: 100, set: 20_000, reset: 2_900, clears: 4_800, restoresZero: 19_900, restores: 2_800 },
}

/**
 * The price and the refunds by the original, the current and the new value: `o` is the original one, `x` any other but 0
 * (EIP-1283, State Transition).
 */
const TRANSITIONS: Readonly<Record<string, readonly [price: Price, ...refunds: (Price | `-${Price}`)[]]>> = {
  '0 0 0': ['dirty'],
  '0 0 x': ['set'],
  '0 x 0': ['dirty', 'restoresZero'],
  '0 x x': ['dirty'],
  'o o o': ['dirty'],
  'o o x': ['reset'],
  'o o 0': ['reset', 'clears'],
  'o x o': ['dirty', 'restores'],
  'o x x': ['dirty'],
  'o x 0': ['dirty', 'clears'],
  'o 0 o': ['dirty', 'restores', '-clears'],
  'o 0 x': ['dirty', '-clears'],
  'o 0 0': ['dirty'],
}

/** The price and the refund of EIPs 1283 to 3529. */
function netMetered(fork: (typeof NET_METERED)[number], original: number, current: number, value: number) {
  const symbols = [original, current, value].map((one) => (one === 0 ? '0' : one === original ? 'o' : 'x'))
  const [price, ...refunds] = TRANSITIONS[symbols.join(' ')]!
  const prices = PRICES[fork]
  const amounts = refunds.map((name) =>
    name.startsWith('-') ? -prices[name.slice(1) as Price] : prices[name as Price],
  )
  return { gas: prices[price], refund: amounts.reduce((sum, amount) => sum + amount, 0) }
}

/** The price and the refund without net metering (Yellow Paper, appendix G). */
function simplyMetered(_original: number, current: number, value: number) {
  if (current === 0 && value !== 0) return { gas: 20_000, refund: 0 }
  return { gas: 5_000, refund: current !== 0 && value === 0 ? 15_000 : 0 }
}

/** All combinations of an original, a current and a new value. */
const COMBINATIONS = VALUES.flatMap((a) => VALUES.flatMap((b) => VALUES.map((c) => [a, b, c] as const)))

describe.each(ALL_FORKS)('SSTORE on %s', (fork) => {
  const metered = NET_METERED.filter((since) => isSince(fork, since)).at(-1)
  const isNet = metered !== undefined && fork !== 'petersburg'

  test('has the price and the refund of its rules, whatever the values', async () => {
    const frame = await createFrame(fork, 100_000n)
    const results = COMBINATIONS.map(([original, value, next]) =>
      sstoreGas(frame, { key: ZERO_HASH, original, value, isWarm: true }, next),
    )
    expect(results).toEqual(
      COMBINATIONS.map((values) => (isNet ? netMetered(metered, ...values) : simplyMetered(...values))),
    )
  })

  test('costs 2,100 more for a cold slot since Berlin, which is warm afterwards', async () => {
    const frame = await createFrame(fork, 100_000n)
    const slots = COMBINATIONS.map(([original, value]) => ({
      key: ZERO_HASH,
      original,
      value,
      isWarm: false,
    }))
    const surcharges = COMBINATIONS.map(([original, value, next], i) => {
      const cold = sstoreGas(frame, slots[i]!, next)
      const warm = sstoreGas(frame, { key: ZERO_HASH, original, value, isWarm: true }, next)
      return [cold.gas - warm.gas, cold.refund - warm.refund, slots[i]!.isWarm]
    })
    const isBerlin = isSince(fork, 'berlin')
    expect(surcharges).toEqual(COMBINATIONS.map(() => [isBerlin ? 2100 : 0, 0, isBerlin]))
  })

  test('fails with 2,300 gas or less since Istanbul (EIP-2200)', async () => {
    const frame = await createFrame(fork, 0n)
    const attempt = (gas: bigint) => {
      startMessage(frame, gas)
      try {
        return sstoreGas(frame, { key: ZERO_HASH, original: 1, value: 1, isWarm: true }, 1).refund
      } catch (error) {
        return error
      }
    }
    const refused = isSince(fork, 'istanbul') ? OUT_OF_GAS : 0
    expect([0n, 2300n, 2301n, 2n ** 60n].map(attempt)).toEqual([refused, refused, 0, 0])
    frame.gas = 0
    frame.reserve = 1n
    expect(sstoreGas(frame, { key: ZERO_HASH, original: 1, value: 1, isWarm: true }, 1).refund).toBe(0)
  })
})

describe('the test cases of EIPs 1283, 2200, 2929 and 3529', () => {
  /** Gas and refund on the four forks, of setting a slot with an original value to others, one after the other. */
  const CASES: readonly [original: number, values: number[], ...expected: [gas: number, refund: number][]][] =
    [
      [0, [0, 0], [412, 0], [1612, 0], [212, 0], [212, 0]],
      [0, [0, 1], [20_212, 0], [20_812, 0], [20_112, 0], [20_112, 0]],
      [0, [1, 0], [20_212, 19_800], [20_812, 19_200], [20_112, 19_900], [20_112, 19_900]],
      [0, [1, 2], [20_212, 0], [20_812, 0], [20_112, 0], [20_112, 0]],
      [0, [1, 1], [20_212, 0], [20_812, 0], [20_112, 0], [20_112, 0]],
      [1, [0, 0], [5_212, 15_000], [5_812, 15_000], [3_012, 15_000], [3_012, 4_800]],
      [1, [0, 1], [5_212, 4_800], [5_812, 4_200], [3_012, 2_800], [3_012, 2_800]],
      [1, [0, 2], [5_212, 0], [5_812, 0], [3_012, 0], [3_012, 0]],
      [1, [2, 0], [5_212, 15_000], [5_812, 15_000], [3_012, 15_000], [3_012, 4_800]],
      [1, [2, 3], [5_212, 0], [5_812, 0], [3_012, 0], [3_012, 0]],
      [1, [2, 1], [5_212, 4_800], [5_812, 4_200], [3_012, 2_800], [3_012, 2_800]],
      [1, [2, 2], [5_212, 0], [5_812, 0], [3_012, 0], [3_012, 0]],
      [1, [1, 0], [5_212, 15_000], [5_812, 15_000], [3_012, 15_000], [3_012, 4_800]],
      [1, [1, 2], [5_212, 0], [5_812, 0], [3_012, 0], [3_012, 0]],
      [1, [1, 1], [412, 0], [1_612, 0], [212, 0], [212, 0]],
      [0, [1, 0, 1], [40_218, 19_800], [40_818, 19_200], [40_118, 19_900], [40_118, 19_900]],
      [1, [0, 1, 0], [10_218, 19_800], [10_818, 19_200], [5_918, 17_800], [5_918, 7_600]],
    ]

  /** Executes code in which slot 0 is warm. */
  async function run(fork: ForkName, original: number, code: string): Promise<MessageResult> {
    const account = { nonce: 1n, code: bytecode(code), storage: { 0: BigInt(original) } }
    const bench = await createBench('paris', { [TARGET]: account }, { rules: rulesOf(fork) })
    const warm = {
      addresses: [SENDER, TARGET],
      accessList: [{ address: TARGET, storageKeys: [slotKey(0)] }],
    }
    const message = { caller: SENDER, to: TARGET, value: 0n, data: new Uint8Array(0) }
    const limits = { gasLimit: 100_000n, gasPrice: 0n, ...(isSince(fork, 'berlin') && { warm }) }
    return resumeToEnd(
      createPresealEngine(bench.crypto).run({ ...message, ...limits }, bench.env, bench.state),
    )
  }

  test.each(CASES)('for %i set to %j', async (original, values, ...expected) => {
    const code = values.map((value) => `${value} 0 SSTORE`).join(' ')
    const results = await Promise.all(NET_METERED.map((fork) => run(fork, original, code)))
    expect(results.map(({ gasUsed, refund }) => [Number(gasUsed), Number(refund)])).toEqual(expected)
  })
})

describe('an access', () => {
  /** The prices of accessing accounts and slots, each twice. */
  function prices(frame: Frame) {
    const { journal } = frame.machine
    const [one, two, three] = [1, 2, 3].map((word) => journal.account(word))
    const slot = journal.slot(one!, 0)
    const twice = (price: () => number) => [price(), price()]
    return {
      account: twice(() => accessAccount(frame, one!)),
      delegate: twice(() => accessFurtherAccount(frame, two!)),
      heir: twice(() => accessFurtherAccount(frame, three!, 0)),
      slot: twice(() => accessSlot(frame, slot)),
    }
  }

  test('is cold once, and again after a revert (EIP-2929)', async () => {
    const frame = await createFrame('berlin', 0n)
    const first = prices(frame)
    expect(first).toEqual({ account: [2500, 0], delegate: [2600, 100], heir: [2600, 0], slot: [2000, 0] })
    frame.machine.journal.revert(0)
    expect(prices(frame)).toEqual(first)
  })

  test('of accounts and slots has no surcharge before Berlin, and warms nothing', async () => {
    const frame = await createFrame('istanbul', 0n)
    const { journal } = frame.machine
    const account = journal.account(1)
    const slot = journal.slot(account, 0)
    expect([accessAccount(frame, account), accessSlot(frame, slot)]).toEqual([0, 0])
    expect([account.isWarm, slot.isWarm]).toEqual([false, false])
  })
})

test('an amount of gas is split at 2^52', () => {
  expect([0n, 2n ** 52n, 2n ** 52n + 1n].map(splitGas)).toEqual([
    [0, 0n],
    [MAX_COUNTED_GAS, 0n],
    [MAX_COUNTED_GAS, 1n],
  ])
  fc.assert(
    fc.property(fc.bigInt(0n, 2n ** 64n), (total) => {
      const [gas, reserve] = splitGas(total)
      expect(BigInt(gas) + reserve).toBe(total)
    }),
    runs(50, 1000),
  )
})
