import { getContractAddress } from 'viem'
import { describe, expect, test } from 'vitest'
import { hexToBytes } from '../../../../src/base/bytes.ts'
import type { Address } from '../../../../src/base/types.ts'
import { resumeToEnd } from '../../../../src/base/waiting.ts'
import { createPresealEngine } from '../../../../src/ethereum/evm/engine/presealEngine.ts'
import type { Message, MessageResult } from '../../../../src/ethereum/evm/engine.ts'
import { createBench, SENDER, slotKey, slotOf, TARGET } from '../setup.ts'
import { bytecode, call, create, gasOf, returning, wordsIn } from './assembly.ts'

const OTHER: Address = `0x${'dd'.repeat(20)}`
/** What the sender, whose nonce the transition would have raised to 1, creates. */
const CREATED = getContractAddress({ from: SENDER, nonce: 0n }).toLowerCase() as Address

/** Runs a message on a state in which it calls a program. */
async function run(source: string, message: Partial<Message> = {}) {
  const bench = await createBench('osaka', {
    [SENDER]: { nonce: 1n, balance: 9n },
    [TARGET]: { nonce: 1n, code: bytecode(source), storage: { 0: 1n } },
  })
  const { crypto, env, state } = bench
  const full = {
    caller: SENDER,
    to: TARGET,
    value: 0n,
    data: new Uint8Array(0),
    gasLimit: 200_000n,
    gasPrice: 0n,
  }
  const result = await resumeToEnd(createPresealEngine(crypto).run({ ...full, ...message }, env, state))
  return { state, result: { ...result, destroyed: [...result.destroyed], created: [...result.created] } }
}

const NOTHING: MessageResult = {
  error: undefined,
  output: new Uint8Array(0),
  gasUsed: 0n,
  refund: 0n,
  logs: [],
  contractAddress: undefined,
  destroyed: [],
  created: [] as never,
}

describe('the result of a message', () => {
  test('has its output, gas, refund and logs', async () => {
    const { result, state } = await run('0 0 SSTORE 7 0 0 LOG1 3 0 RETURN', { value: 2n })
    expect(result).toEqual({
      ...NOTHING,
      dependsOnGas: false,
      output: new Uint8Array(3),
      gasUsed: 6n + 5_000n + 9n + 750n + 6n + 3n,
      refund: 4_800n,
      logs: [{ address: TARGET, topics: [slotKey(7)], data: '0x' }],
    })
    expect([SENDER, TARGET].map((address) => state.account(address))).toMatchObject([
      { nonce: 1n, balance: 7n },
      { nonce: 1n, balance: 2n, slotCount: 0 },
    ])
  })

  test('that fails has neither refund nor logs nor changes', async () => {
    const { result, state } = await run('0 0 SSTORE 7 0 0 LOG1 #0c', { value: 2n })
    // Traces name the opcode too.
    expect(result).toEqual({ ...NOTHING, error: 'invalid opcode', gasUsed: 200_000n })
    expect([state.account(SENDER)?.balance, slotOf(state, TARGET, 0)]).toEqual([9n, 1n])
  })

  test('that creates has the contract and its code, and all contracts that it created', async () => {
    const data = hexToBytes(bytecode(`${create('00')} POP 0 0 MSTORE 2 0 RETURN`))
    const { result, state } = await run('STOP', { to: undefined, data, value: 2n })
    const inner = getContractAddress({ from: CREATED, nonce: 1n }).toLowerCase()
    expect(result).toEqual({
      ...NOTHING,
      // The inner creation takes a part of what is left.
      dependsOnGas: true,
      output: new Uint8Array(2),
      // Initcode to memory, the inner creation, what is returned, and its price.
      gasUsed: 12n + 9n + 32_002n + 2n + 9n + 6n + 400n,
      contractAddress: CREATED,
      created: [CREATED, inner],
    })
    expect(state.account(CREATED)).toMatchObject({ nonce: 2n, balance: 2n })
  })

  test('that fails to create has the address nevertheless', async () => {
    const { result } = await run('STOP', { to: undefined, data: Uint8Array.of(0xfe) })
    expect(result).toEqual({
      ...NOTHING,
      error: 'invalid opcode',
      gasUsed: 200_000n,
      contractAddress: CREATED,
    })
  })

  test('names the accounts that destroyed themselves, which are still there', async () => {
    const { result, state } = await run(`${OTHER} SELFDESTRUCT`, { value: 2n })
    expect(result).toEqual({
      ...NOTHING,
      dependsOnGas: false,
      gasUsed: 3n + 5_000n + 2_600n + 25_000n,
      destroyed: [TARGET],
    })
    expect([TARGET, OTHER].map((address) => state.account(address)?.balance)).toEqual([0n, 2n])
  })
})

describe('accounts and slots', () => {
  const source = returning(
    ...[SENDER, `0x${'04'.padStart(40, '0')}`, OTHER].map((address) => gasOf(`${address} BALANCE`)),
    ...[0, 1].map((slot) => gasOf(`${slot} SLOAD`)),
  )

  test('are warm from the start if the message says so, and precompiles then too', async () => {
    const accessList = [{ address: TARGET, storageKeys: [slotKey(1)] }]
    const { result } = await run(source, { warm: { addresses: [OTHER], accessList } })
    expect(wordsIn(result.output)).toEqual([2_603n, 103n, 103n, 2_103n, 103n])
  })

  test('are all cold, even precompiles, in a message without a list of what is warm', async () => {
    const { result } = await run(source)
    expect(wordsIn(result.output)).toEqual([2_603n, 2_603n, 2_603n, 2_103n, 2_103n])
  })
})

test('a message to an account without code transfers its value', async () => {
  const { result, state } = await run('STOP', { to: OTHER, value: 4n })
  expect(result).toEqual({ ...NOTHING, dependsOnGas: false })
  expect([SENDER, OTHER].map((address) => state.account(address)?.balance)).toEqual([5n, 4n])
})

test('a message calls with its own gas price and value', async () => {
  const { result } = await run(returning('GASPRICE', 'CALLVALUE', call('CALL', OTHER)), {
    gasPrice: 2n ** 60n,
    value: 3n,
  })
  expect(wordsIn(result.output)).toEqual([2n ** 60n, 3n, 1n])
})
