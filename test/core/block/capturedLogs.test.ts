import { keccak256, toHex } from 'viem'
import { describe, expect, test } from 'vitest'
import { bytesToHex, hexToBytes } from '../../../src/base/bytes.ts'
import type { Address, Hash, Hex } from '../../../src/base/types.ts'
import { type CapturedLog, LogCapture, TRANSFERS_ADDRESS } from '../../../src/core/block/simulate.ts'
import type { Log } from '../../../src/ethereum/block.ts'
import { ALL_CHECKS } from '../../../src/ethereum/evm/executor.ts'
import { MAX_NONCE, type TxEnv } from '../../../src/ethereum/transaction.ts'
import {
  call,
  callCode,
  create,
  delegateCall,
  hex,
  initCode,
  log,
  push,
  REVERT,
  selfDestruct,
} from '../../ethereum/evm/programs.ts'
import { type Bench, createBench, ETHER, SENDER, slotKey, slotOf, TARGET } from '../../ethereum/evm/setup.ts'

const OTHER: Address = `0x${'dd'.repeat(20)}`
const THIRD: Address = `0x${'ee'.repeat(19)}ef`
const EMPTY: Address = `0x${'e0'.repeat(20)}`
const TRANSFER = keccak256(toHex('Transfer(address,address,uint256)'))

const wordOf = (address: Address): Hash => `0x${address.slice(2).padStart(64, '0')}`
const emitted = (address: Address, topic: number): Log => ({ address, topics: [slotKey(topic)], data: '0x' })
const transferred = (from: Address, to: Address, value: bigint | number): Log => ({
  address: TRANSFERS_ADDRESS,
  topics: [TRANSFER, wordOf(from), wordOf(to)],
  data: slotKey(value),
})
const at = (index: number, entry: Log): CapturedLog => ({ ...entry, index })

/** Includes a transaction, and captures its logs. */
async function include(bench: Bench, tx: Partial<TxEnv> = {}, traceTransfers = true, checks = ALL_CHECKS) {
  const capture = new LogCapture(traceTransfers)
  const outcome = await bench.include(tx, checks, capture)
  return { ...outcome, captured: { logs: capture.logs, count: capture.count } }
}

describe('captured logs', () => {
  test('are the logs of the receipt, in order', async () => {
    const bench = await createBench('prague', {
      [TARGET]: { code: hex(log(1) + call(OTHER) + log(3)) },
      [OTHER]: { code: hex(log(2)) },
    })
    const { logs, captured } = await include(bench, {}, false)
    expect(logs).toEqual([emitted(TARGET, 1), emitted(OTHER, 2), emitted(TARGET, 3)])
    expect(captured).toEqual({ logs: logs.map((entry, index) => at(index, entry)), count: 3 })
  })

  test('count those of frames that revert, at any depth', async () => {
    const bench = await createBench('prague', {
      [TARGET]: { code: hex(log(1) + call(OTHER) + log(5)) },
      [OTHER]: { code: hex(log(2) + call(THIRD) + log(4) + REVERT) },
      [THIRD]: { code: hex(log(3)) },
    })
    const { logs, captured } = await include(bench, {}, false)
    expect(logs).toEqual([emitted(TARGET, 1), emitted(TARGET, 5)])
    expect(captured).toEqual({ logs: [at(0, emitted(TARGET, 1)), at(4, emitted(TARGET, 5))], count: 5 })
  })

  test('are none if the transaction reverts, but were counted', async () => {
    const bench = await createBench('prague', { [TARGET]: { code: hex(log(1) + log(2) + REVERT) } })
    const outcome = await include(bench, { value: 5n })
    expect(outcome).toMatchObject({ succeeded: false, logs: [], captured: { logs: [], count: 3 } })
  })

  test('are those of init code too, unless its creation fails', async () => {
    const deploys = initCode('', log(1))
    const fails = log(2) + REVERT
    const bench = await createBench('prague', {
      [TARGET]: { nonce: 1n, code: hex(`${create(fails, 0)}50${create(deploys, 0)}${push(0)}55`) },
    })
    const { captured } = await include(bench, {}, false)
    const made = toAddress(slotOf(bench.state, TARGET, 0))
    expect(captured).toEqual({ logs: [at(1, emitted(made, 1))], count: 2 })
  })

  test('have no transfers unless those are traced', async () => {
    const bench = await createBench('prague', { [TARGET]: { code: hex(log(1) + call(OTHER, 1)) } })
    const { captured } = await include(bench, { value: 5n }, false)
    expect(captured).toEqual({ logs: [at(0, emitted(TARGET, 1))], count: 1 })
  })
})

describe('traced transfers', () => {
  test('of a transaction that only pays', async () => {
    const bench = await createBench('prague')
    const { logs, captured } = await include(bench, { value: 7n })
    expect(logs).toEqual([])
    expect(captured).toEqual({ logs: [at(0, transferred(SENDER, TARGET, 7n))], count: 1 })
    expect((await include(bench, {})).captured).toEqual({ logs: [], count: 0 })
  })

  test("come before the frame's own logs, and stay out of the receipt", async () => {
    const bench = await createBench('prague', {
      [TARGET]: { code: hex(log(1) + call(OTHER, 3) + log(3) + call(EMPTY, 2) + call(EMPTY, 0)) },
      [OTHER]: { code: hex(log(2)) },
    })
    const { logs, captured } = await include(bench, { value: 9n })
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
    const { captured } = await include(bench, { value: 9n })
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
    const { contractAddress, captured } = await include(bench, {
      to: null,
      value: 9n,
      data: hexToBytes(hex(outer)),
    })
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
    const { captured } = await include(bench, { value: 3n })
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
    const { captured } = await include(bench, { value: 3n })
    expect(captured).toEqual({
      logs: [at(0, transferred(SENDER, TARGET, 3n)), at(5, transferred(TARGET, EMPTY, 1n))],
      count: 6,
    })
  })

  test('are removed, but counted, with a creation after the last nonce', async () => {
    const bench = await createBench('prague', { [SENDER]: { nonce: MAX_NONCE, balance: ETHER } })
    const { captured } = await include(bench, { to: null, value: 1n }, true, { ...ALL_CHECKS, nonce: false })
    expect(captured).toEqual({ logs: [], count: 1 })
  })
})

function toAddress(word: bigint): Address {
  return `0x${word.toString(16).padStart(40, '0')}`
}

function create2Address(from: Address, salt: number, init: Hex): Address {
  const packed: Hex = `0xff${from.slice(2)}${slotKey(salt).slice(2)}${keccak256(init).slice(2)}`
  return bytesToHex(hexToBytes(keccak256(packed)).slice(12))
}
