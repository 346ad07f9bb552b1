import { keccak256, toHex } from 'viem'
import { describe, expect, test } from 'vitest'
import { bytesToHex, hexToBytes } from '../../../src/base/bytes.ts'
import type { Address, Hash, Hex } from '../../../src/base/types.ts'
import type { Log } from '../../../src/ethereum/block.ts'
import {
  ALL_CHECKS,
  type CapturedLog,
  type Hooks,
  TRANSFERS_ADDRESS,
} from '../../../src/ethereum/evm/executor.ts'
import { MAX_NONCE } from '../../../src/ethereum/transaction.ts'
import { type Code, hex, initCode, push, toMemory } from './programs.ts'
import { COINBASE, createBench, ETHER, SENDER, slotKey, slotOf, TARGET } from './setup.ts'

const OTHER: Address = `0x${'dd'.repeat(20)}`
const THIRD: Address = `0x${'ee'.repeat(19)}ef`
const EMPTY: Address = `0x${'e0'.repeat(20)}`
const TRANSFER = keccak256(toHex('Transfer(address,address,uint256)'))

const call = (to: Address, value = 0, gas: Code = '5a'): Code =>
  `${push(0).repeat(4)}${push(value)}73${to.slice(2)}${gas}f150`
const callCode = (to: Address, value: number): Code =>
  `${push(0).repeat(4)}${push(value)}73${to.slice(2)}5af250`
const delegateCall = (to: Address): Code => `${push(0).repeat(4)}73${to.slice(2)}5af450`
const staticCall = (to: Address): Code => `${push(0).repeat(4)}73${to.slice(2)}5afa50`
const selfDestruct = (to: Address): Code => `73${to.slice(2)}ff`
/** LOG1 with a topic and no data. */
const log = (topic: number): Code => `${push(topic)}${push(0)}${push(0)}a1`
const REVERT = `${push(0)}${push(0)}fd`
const create = (init: Code, value: number, salt?: number): Code =>
  `${toMemory(init)}${salt === undefined ? '' : push(salt)}${push(init.length / 2)}${push(0)}${push(value)}` +
  (salt === undefined ? 'f0' : 'f5')

const wordOf = (address: Address): Hash => `0x${address.slice(2).padStart(64, '0')}`
const emitted = (address: Address, topic: number): Log => ({ address, topics: [slotKey(topic)], data: '0x' })
const transferred = (from: Address, to: Address, value: bigint | number): Log => ({
  address: TRANSFERS_ADDRESS,
  topics: [TRANSFER, wordOf(from), wordOf(to)],
  data: slotKey(value),
})
const at = (index: number, entry: Log): CapturedLog => ({ ...entry, index })

const CAPTURE: Hooks = { captureLogs: true }
const TRACE: Hooks = { captureLogs: true, traceTransfers: true }

describe('captured logs', () => {
  // The first test, so that this is the first frame that the EVM runs.
  test('are the logs of the receipt, in order', async () => {
    const bench = await createBench('prague', {
      [TARGET]: { code: hex(log(1) + call(OTHER) + log(3)) },
      [OTHER]: { code: hex(log(2)) },
    })
    const { logs, captured } = await bench.include({}, ALL_CHECKS, CAPTURE)
    expect(logs).toEqual([emitted(TARGET, 1), emitted(OTHER, 2), emitted(TARGET, 3)])
    expect(captured).toEqual({ logs: logs.map((entry, index) => at(index, entry)), count: 3 })
  })

  test('count those of frames that revert, at any depth', async () => {
    const bench = await createBench('prague', {
      [TARGET]: { code: hex(log(1) + call(OTHER) + log(5)) },
      [OTHER]: { code: hex(log(2) + call(THIRD) + log(4) + REVERT) },
      [THIRD]: { code: hex(log(3)) },
    })
    const { logs, captured } = await bench.include({}, ALL_CHECKS, CAPTURE)
    expect(logs).toEqual([emitted(TARGET, 1), emitted(TARGET, 5)])
    expect(captured).toEqual({ logs: [at(0, emitted(TARGET, 1)), at(4, emitted(TARGET, 5))], count: 5 })
  })

  test('are none if the transaction reverts, but were counted', async () => {
    const bench = await createBench('prague', { [TARGET]: { code: hex(log(1) + log(2) + REVERT) } })
    const outcome = await bench.include({ value: 5n }, ALL_CHECKS, TRACE)
    expect(outcome).toMatchObject({ succeeded: false, logs: [], captured: { logs: [], count: 3 } })
  })

  test('are those of init code too, unless its creation fails', async () => {
    const deploys = initCode('', log(1))
    const fails = log(2) + REVERT
    const bench = await createBench('prague', {
      [TARGET]: { nonce: 1n, code: hex(`${create(fails, 0)}50${create(deploys, 0)}${push(0)}55`) },
    })
    const { captured } = await bench.include({}, ALL_CHECKS, CAPTURE)
    const made = toAddress(slotOf(bench.state, TARGET, 0))
    expect(captured).toEqual({ logs: [at(1, emitted(made, 1))], count: 2 })
  })

  test('have no transfers unless those are traced', async () => {
    const bench = await createBench('prague', { [TARGET]: { code: hex(log(1) + call(OTHER, 1)) } })
    const { captured } = await bench.include({ value: 5n }, ALL_CHECKS, CAPTURE)
    expect(captured).toEqual({ logs: [at(0, emitted(TARGET, 1))], count: 1 })
  })

  test('are absent if they were not requested', async () => {
    const bench = await createBench('prague', { [TARGET]: { code: hex(log(1)) } })
    expect(await bench.include({}, ALL_CHECKS, {})).not.toHaveProperty('captured')
    await bench.include({}, ALL_CHECKS, CAPTURE)
    expect(await bench.include()).not.toHaveProperty('captured')
  })
})

describe('traced transfers', () => {
  test('of a transaction that only pays', async () => {
    const bench = await createBench('prague')
    const { logs, captured } = await bench.include({ value: 7n }, ALL_CHECKS, TRACE)
    expect(logs).toEqual([])
    expect(captured).toEqual({ logs: [at(0, transferred(SENDER, TARGET, 7n))], count: 1 })
    expect((await bench.include({}, ALL_CHECKS, TRACE)).captured).toEqual({ logs: [], count: 0 })
  })

  test("come before the frame's own logs, and stay out of the receipt", async () => {
    const bench = await createBench('prague', {
      [TARGET]: { code: hex(log(1) + call(OTHER, 3) + log(3) + call(EMPTY, 2) + call(EMPTY, 0)) },
      [OTHER]: { code: hex(log(2)) },
    })
    const { logs, captured } = await bench.include({ value: 9n }, ALL_CHECKS, TRACE)
    expect(logs).toEqual([emitted(TARGET, 1), emitted(OTHER, 2), emitted(TARGET, 3)])
    expect(captured).toEqual({
      logs: [
        transferred(SENDER, TARGET, 9n),
        emitted(TARGET, 1),
        transferred(TARGET, OTHER, 3n),
        emitted(OTHER, 2),
        emitted(TARGET, 3),
        transferred(TARGET, EMPTY, 2n),
      ].map((entry, index) => at(index, entry)),
      count: 6,
    })
  })

  test('are neither of CALLCODE nor of DELEGATECALL', async () => {
    const bench = await createBench('prague', {
      [TARGET]: { code: hex(callCode(OTHER, 2) + delegateCall(OTHER)) },
      [OTHER]: { code: hex(log(1)) },
    })
    const { captured } = await bench.include({ value: 9n }, ALL_CHECKS, TRACE)
    expect(captured).toEqual({
      logs: [transferred(SENDER, TARGET, 9n), emitted(TARGET, 1), emitted(TARGET, 1)].map((entry, index) =>
        at(index, entry),
      ),
      count: 3,
    })
  })

  test('name the contracts that are created, by a transaction, CREATE and CREATE2', async () => {
    const inner = create('', 2, 1)
    const outer = `${create(initCode('', `${log(1)}${inner}50`), 5)}${push(0)}55`
    const bench = await createBench('prague')
    const { contractAddress, captured } = await bench.include(
      { to: null, value: 9n, data: hexToBytes(hex(outer)) },
      ALL_CHECKS,
      TRACE,
    )
    const first = contractAddress!
    const second = toAddress(slotOf(bench.state, first, 0))
    const third = create2Address(second, 1, '0x')
    expect(captured).toEqual({
      logs: [
        transferred(SENDER, first, 9n),
        transferred(first, second, 5n),
        emitted(second, 1),
        transferred(second, third, 2n),
      ].map((entry, index) => at(index, entry)),
      count: 4,
    })
  })

  test('include the balance that SELFDESTRUCT moves, if there is one', async () => {
    const bench = await createBench('prague', {
      [TARGET]: { code: hex(call(OTHER, 3) + call(THIRD)) },
      [OTHER]: { balance: 4n, code: hex(selfDestruct(EMPTY)) },
      [THIRD]: { code: hex(selfDestruct(EMPTY)) },
    })
    const { captured } = await bench.include({ value: 3n }, ALL_CHECKS, TRACE)
    expect(captured).toEqual({
      logs: [
        transferred(SENDER, TARGET, 3n),
        transferred(TARGET, OTHER, 3n),
        transferred(OTHER, EMPTY, 7n),
      ].map((entry, index) => at(index, entry)),
      count: 3,
    })
  })

  test('are removed, but counted, with a frame that reverts or lacks funds', async () => {
    const bench = await createBench('prague', {
      [TARGET]: { code: hex(call(OTHER, 1) + call(EMPTY, 100) + create('', 100) + call(EMPTY, 1)) },
      [OTHER]: { code: hex(call(EMPTY, 1) + REVERT) },
    })
    const { captured } = await bench.include({ value: 3n }, ALL_CHECKS, TRACE)
    expect(captured).toEqual({
      logs: [at(0, transferred(SENDER, TARGET, 3n)), at(5, transferred(TARGET, EMPTY, 1n))],
      count: 6,
    })
  })
})

describe('precompiles', () => {
  const IDENTITY: Address = `0x${'04'.padStart(40, '0')}`
  const DATA = hexToBytes('0xc0ffee')
  const MOVED: Hooks = {
    precompiles: new Map<Address, Address | null>([
      [OTHER, IDENTITY],
      [IDENTITY, null],
    ]),
  }
  /** Calls `to` with a word of ones, and stores the result and whether it succeeded. */
  const asking = (to: Address): Code =>
    `${push(1)}${push(0)}52${push(32)}${push(32)}${push(32)}${push(0)}${push(0)}73${to.slice(2)}5af1` +
    `${push(32)}51${push(0)}55${push(1)}55`

  test('run at their new address, called by a transaction', async () => {
    const bench = await createBench('prague')
    const moved = await bench.include({ to: OTHER, data: DATA }, ALL_CHECKS, MOVED)
    expect(moved).toMatchObject({ succeeded: true, output: DATA, gasUsed: 21_120n })
    const left = await bench.include({ to: IDENTITY, data: DATA }, ALL_CHECKS, MOVED)
    expect(left).toMatchObject({ succeeded: true, output: new Uint8Array(0) })
  })

  test('run at their new address, called by code, for one operation', async () => {
    const bench = await createBench('prague', { [TARGET]: { code: hex(asking(OTHER)) } })
    await bench.include({}, ALL_CHECKS, MOVED)
    expect([slotOf(bench.state, TARGET, 0), slotOf(bench.state, TARGET, 1)]).toEqual([1n, 1n])
    await bench.include()
    expect([slotOf(bench.state, TARGET, 0), slotOf(bench.state, TARGET, 1)]).toEqual([0n, 1n])
  })

  test('let code run that replaces them', async () => {
    const bench = await createBench('prague', { [IDENTITY]: { code: hex(`${push(7)}${push(0)}55`) } })
    await bench.include({ to: IDENTITY }, ALL_CHECKS, MOVED)
    expect(slotOf(bench.state, IDENTITY, 0)).toBe(7n)
    const { output } = await bench.include({ to: IDENTITY, data: DATA })
    expect(output).toEqual(DATA)
  })

  test('stay warm at their old address, and are cold at the new one', async () => {
    const gasOf = async (to: Address) => {
      const bench = await createBench('prague', { [TARGET]: { code: hex(`73${to.slice(2)}3100`) } })
      return (await bench.include({}, ALL_CHECKS, MOVED)).gasUsed
    }
    expect(await gasOf(IDENTITY)).toBe(21_103n)
    expect(await gasOf(OTHER)).toBe(23_603n)
  })
})

describe('accesses', () => {
  async function touched(accounts: Parameters<typeof createBench>[1], tx = {}) {
    const bench = await createBench('prague', accounts)
    const seen: (readonly [Address, Hash?])[] = []
    const outcome = await bench.include(tx, ALL_CHECKS, {
      onAccess: (address, slot) => seen.push(slot === undefined ? [address] : [address, slot]),
    })
    return { seen, outcome }
  }

  test('are reported in order, slots and accounts, of every frame', async () => {
    const reads = ['31', '3b', '3f'].map((op, i) => `73${address(i + 0xb0).slice(2)}${op}50`).join('')
    const copies = `${push(0).repeat(3)}73${address(0xb3).slice(2)}3c`
    const { seen } = await touched({
      [TARGET]: {
        code: hex(
          `${push(1)}54${push(1)}${push(2)}55${reads}${copies}${call(OTHER)}${callCode(OTHER, 0)}` +
            `${delegateCall(OTHER)}${staticCall(EMPTY)}${selfDestruct(THIRD)}`,
        ),
      },
      [OTHER]: { code: hex(`${push(9)}54${REVERT}`) },
    })
    expect(seen).toEqual([
      [TARGET, slotKey(1)],
      [TARGET, slotKey(2)],
      [address(0xb0)],
      [address(0xb1)],
      [address(0xb2)],
      [address(0xb3)],
      [OTHER],
      [OTHER, slotKey(9)],
      [OTHER],
      [TARGET, slotKey(9)],
      [OTHER],
      [TARGET, slotKey(9)],
      [EMPTY],
      [THIRD],
    ])
  })

  test('have addresses without the upper bytes of the word', async () => {
    const { seen } = await touched({ [TARGET]: { code: hex(`7f${'ff'.repeat(12)}${OTHER.slice(2)}31`) } })
    expect(seen).toEqual([[OTHER]])
  })

  test('include one that runs out of gas, but none without its operands', async () => {
    const { seen, outcome } = await touched(
      { [TARGET]: { code: hex(`${push(1)}54`) } },
      { gasLimit: 21_100n },
    )
    expect([outcome.error, seen]).toEqual(['out of gas', [[TARGET, slotKey(1)]]])
    const underflow = await touched({ [TARGET]: { code: '0x54' } })
    expect([underflow.outcome.error, underflow.seen]).toEqual(['stack underflow', []])
  })

  test('do not include created contracts', async () => {
    const { seen } = await touched({ [TARGET]: { code: hex(create('', 0)) } })
    expect(seen).toEqual([])
  })
})

describe('without checks', () => {
  const NO_FUNDS_CHECK = { ...ALL_CHECKS, funds: false }

  test('of funds, a sender is credited what it lacks, and the unspent part is removed', async () => {
    const bench = await createBench('prague', { [SENDER]: { balance: 100n } }, { baseFee: 10n })
    const fees = { maxFeePerGas: 1_000n, maxPriorityFeePerGas: 2n }
    await bench.include({ ...fees, gasLimit: 50_000n, value: 5_000n }, NO_FUNDS_CHECK)
    expect(bench.state.account(SENDER)).toMatchObject({ nonce: 1n, balance: 0n })
    expect(bench.state.account(TARGET)?.balance).toBe(5_000n)
    expect(bench.state.account(COINBASE)?.balance).toBe(2n * 21_000n)
  })

  test('of funds, a sender that has enough keeps the rest', async () => {
    const bench = await createBench('prague')
    await bench.include({ value: 1n }, NO_FUNDS_CHECK)
    expect(bench.state.account(SENDER)?.balance).toBe(ETHER - 1n)
  })

  test('of funds, code spends the credit', async () => {
    const absent: Address = address(0xabcdef)
    const bench = await createBench('prague', { [TARGET]: { code: hex(call(OTHER, 5)) } })
    await bench.include({ from: absent, value: 5n }, NO_FUNDS_CHECK)
    expect(bench.state.account(OTHER)?.balance).toBe(5n)
    expect(bench.state.account(absent)).toMatchObject({ nonce: 1n, balance: 0n })
  })

  test('of fees, blobs without a fee cap are free', async () => {
    const blobs = { type: 3, blobVersionedHashes: [`0x01${'00'.repeat(31)}`] } as const
    const bench = await createBench('prague', {}, { blobBaseFee: 3n })
    await bench.include(blobs, { ...ALL_CHECKS, blobFeeCap: false })
    expect(bench.state.account(SENDER)?.balance).toBe(ETHER)
    await bench.include({ ...blobs, maxFeePerBlobGas: 5n })
    expect(bench.state.account(SENDER)?.balance).toBe(ETHER - 3n * 131_072n)
  })

  const ANY_NONCE = { ...ALL_CHECKS, nonce: false }

  test.each<[string, Hex]>([
    ['a transfer', '0x'],
    ['a call', hex(log(1))],
  ])('of nonces, %s starts again after the last one', async (_, code) => {
    const bench = await createBench('prague', {
      [SENDER]: { nonce: MAX_NONCE, balance: ETHER },
      [TARGET]: { code },
    })
    expect(await bench.include({ value: 1n }, ANY_NONCE)).toMatchObject({ succeeded: true })
    expect(bench.state.account(SENDER)?.nonce).toBe(0n)
  })

  test('of nonces, a creation fails after the last one', async () => {
    const bench = await createBench('prague', { [SENDER]: { nonce: MAX_NONCE, balance: ETHER } })
    expect(await bench.include({ to: null, value: 1n }, ANY_NONCE, TRACE)).toEqual({
      kind: 'included',
      succeeded: false,
      error: 'nonce uint64 overflow',
      gasUsed: 53_000n,
      peakGas: 53_000n,
      effectiveGasPrice: 0n,
      output: new Uint8Array(0),
      logs: [],
      captured: { logs: [], count: 1 },
      contractAddress: null,
    })
    expect(bench.state.account(SENDER)).toMatchObject({ nonce: MAX_NONCE, balance: ETHER })
  })
})

function address(n: number): Address {
  return `0x${n.toString(16).padStart(40, '0')}`
}

function toAddress(word: bigint): Address {
  return `0x${word.toString(16).padStart(40, '0')}`
}

function create2Address(from: Address, salt: number, init: Hex): Address {
  const packed: Hex = `0xff${from.slice(2)}${slotKey(salt).slice(2)}${keccak256(init).slice(2)}`
  return bytesToHex(hexToBytes(keccak256(packed)).slice(12))
}
