import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { hexToBytes } from '../../../../src/base/bytes.ts'
import type { Address } from '../../../../src/base/types.ts'
import { mapResult, resumeToEnd, Suspended, whenLoaded, type Yielder } from '../../../../src/base/waiting.ts'
import type { Frame } from '../../../../src/ethereum/evm/engine/frame.ts'
import { Journal } from '../../../../src/ethereum/evm/engine/journal.ts'
import { Machine } from '../../../../src/ethereum/evm/engine/machine.ts'
import { precompilesByAddress } from '../../../../src/ethereum/evm/engine/precompiles/precompiles.ts'
import { createPresealEngine } from '../../../../src/ethereum/evm/engine/presealEngine.ts'
import { ALL_CHECKS, type Execution } from '../../../../src/ethereum/evm/executor.ts'
import type { StateReader } from '../../../../src/ethereum/state/account.ts'
import { WorldState } from '../../../../src/ethereum/state/worldState.ts'
import type { TxEnv } from '../../../../src/ethereum/transaction.ts'
import { rulesOf } from '../../../forks.ts'
import { runs } from '../../../full.ts'
import { ALWAYS_DUE } from '../../../suspending.ts'
import { createSlowSource } from '../../state/slowSource.ts'
import { compileEverything } from '../jit/compiling.ts'
import { type Bench, createBench, dump, SENDER, slotOf, TARGET } from '../setup.ts'
import { assemble, bytecode, call, create, gasOf, returning, skipIf, wordsIn } from './assembly.ts'
import { execute } from './execution.ts'

const OTHER: Address = `0x${'dd'.repeat(20)}`
const THIRD: Address = `0x${'ee'.repeat(20)}`
const ECRECOVER: Address = `0x${'1'.padStart(40, '0')}`

describe('the depth of frames', () => {
  const gasLimit = 2n ** 60n
  const EXCEEDED = 'max call depth exceeded'

  test.each([
    ['CALL', 20],
    ['CALLCODE', 20],
    ['DELEGATECALL', 17],
    ['STATICCALL', 17],
  ] as const)('is at most 1,024, and a %s beyond costs none of its gas', async (name, operands) => {
    const again = call(name, TARGET, { output: [0, 32] })
    const { words, endings, gasUsed } = await execute(`${again} POP 0 MLOAD 1 ADD 0 MSTORE 32 0 RETURN`, {
      tx: { gasLimit },
    })
    expect(words).toEqual([1025n])
    expect([endings.length, endings.indexOf(EXCEEDED), endings.lastIndexOf(EXCEEDED)]).toEqual([1026, 0, 0])
    // A warm account, a word of memory, and the other instructions.
    expect(gasUsed).toBe(21_000n + 1025n * BigInt(operands + 100 + 3 + 26))
  })

  test('is at most 1,024 for creations, which leave the nonce beyond', async () => {
    const again = 'CODESIZE 0 0 CODECOPY CODESIZE 0 0 CREATE'
    const created = await execute(again, { tx: { gasLimit } })
    expect([created.endings.length, created.endings.indexOf(EXCEEDED)]).toEqual([1026, 0])
    expect(created.endings.filter((error) => error !== undefined)).toEqual([EXCEEDED])
    // The innermost frame creates where it cannot call.
    const { endings, state } = await execute(skipIf(call('CALL', TARGET), '0 0 0 CREATE 7 ADD 0 SSTORE'), {
      tx: { gasLimit },
    })
    expect(endings.slice(0, 3)).toEqual([EXCEEDED, EXCEEDED, undefined])
    expect([slotOf(state, TARGET, 0), state.account(TARGET)?.nonce]).toEqual([7n, 1n])
  })
})

/** Programs that leave traces everywhere, and read accounts, slots and code in between. */
const DIRTY = {
  [TARGET]: {
    nonce: 1n,
    balance: 9n,
    storage: { 0: 1n, 1: 2n },
    code: bytecode(
      `0 NOT 0 MSTORE 0 NOT 2000 MSTORE 1 0 TSTORE 0 0 SSTORE 5 0 0 LOG1
       ${call('CALL', OTHER, { value: 2, input: [0, 32], output: [64, 32] })} POP 1 SLOAD POP
       ${call('DELEGATECALL', THIRD)} POP ${create('00', { value: 1 })} POP ${SENDER} BALANCE POP
       ${returning('MSIZE', '64 MLOAD', '96 MLOAD', '0 TLOAD', gasOf(`${THIRD} BALANCE`), 'GAS')}`,
    ),
  },
  [OTHER]: {
    storage: { 3: 4n },
    code: bytecode(
      `0 NOT 500 MSTORE 6 0 0 LOG1 3 SLOAD POP ${THIRD} EXTCODESIZE MSIZE ADD 0 MSTORE 32 0 RETURN`,
    ),
  },
  [THIRD]: { code: bytecode('2 0 TSTORE 1 1 SSTORE 0 MLOAD POP 9 SLOAD POP 0 0 REVERT') },
}

const TX: TxEnv = {
  ...{ type: 2, from: SENDER, to: TARGET, nonce: 0n, gasLimit: 1_000_000n, value: 3n },
  ...{ data: new Uint8Array(0), maxFeePerGas: 0n, maxPriorityFeePerGas: 0n },
}

const executionOf = ({ env, state }: Bench, from: StateReader = state): Execution => ({
  ...{ tx: TX, env, checks: ALL_CHECKS },
  state: from,
})

/** The outcome of an execution and all that it writes. */
async function effectsOf({ executor }: Bench, execution: Execution, pause?: Yielder): Promise<unknown> {
  const { outcome, overlay } = await whenLoaded(() => executor.execute(execution, pause), pause)
  return { outcome, effects: dump(overlay) }
}

describe('an execution whose state is loaded while it runs', () => {
  test('has the same effects as one on a state that is there', async () => {
    const bench = await createBench('osaka', DIRTY)
    const { source, loaded } = createSlowSource(bench.state.changes())
    const expected = await effectsOf(bench, executionOf(bench))
    expect(await effectsOf(bench, executionOf(bench, new WorldState(source).head))).toEqual(expected)
    // All of it was missing at first.
    const kinds = [...loaded].map((key) => key.split(' ')[0])
    const counts = ['account', 'code', 'slot'].map((kind) => kinds.filter((one) => one === kind).length)
    expect(counts).toEqual([6, 3, 4])
    expect(await effectsOf(bench, executionOf(bench))).toEqual(expected)
  })

  test('leaves nothing in its machine, which can be started again', async () => {
    const bench = await createBench('osaka', DIRTY)
    const { crypto, env } = bench
    const message = { caller: SENDER, to: TARGET, value: 3n, data: TX.data, gasLimit: 900_000n, gasPrice: 0n }
    let runs = 0
    const runOn = (machine: Machine, state: StateReader) =>
      whenLoaded(() => {
        runs += 1
        const journal = new Journal(state, undefined)
        machine.start(message, env, journal, precompilesByAddress(env.rules.fork, crypto), undefined)
        const { error, output, gas } = machine.run(undefined)!
        return { error, words: wordsIn(output), gas, logs: journal.logs, refund: journal.refund }
      })
    const expected = await runOn(new Machine(crypto), bench.state)
    expect([runs, expected.error, expected.words.length]).toEqual([1, undefined, 6])
    const { source } = createSlowSource(bench.state.changes())
    expect(await runOn(new Machine(crypto), new WorldState(source).head)).toEqual(expected)
    expect(runs).toBeGreaterThan(10)
  })
})

describe('a precompile that takes long', () => {
  /** 3^(2^40000 - 1) modulo 1009, in three parts. */
  const POWER = `${[1, 5000, 2].map((length) => length.toString(16).padStart(64, '0')).join('')}03${'ff'.repeat(5000)}03f1`
  const PAIR = '00'.repeat(192)
  const INVALID = `${PAIR}${PAIR}${'00'.repeat(191)}01`
  /** The first word of 196,608 rounds on zeros. */
  const BLAKE = 0xb773b5bf69f70aaaade0d313808e28a34ca879758d0d35719223ed827d31a50bn
  const VALUE = 3n

  test.each([
    ['MODEXP', 5, POWER, [1n, (927n << 240n) + 1n, 2n, VALUE]],
    ['a pairing on bn254', 8, PAIR.repeat(3), [1n, 1n, 32n, VALUE]],
    ['BLAKE2F', 9, `00030000${'00'.repeat(209)}`, [1n, BLAKE, 64n, VALUE]],
    // The third pair is invalid: what the call did is undone, and its gas is lost.
    ['a pairing on bn254 that fails', 8, INVALID, [0n, 0n, 0n, 0n]],
    ['a sum of products on BLS12-381', 0x0c, '00'.repeat(2 * 160), [1n, 0n, 128n, VALUE]],
    ['a pairing on BLS12-381', 0x0f, '00'.repeat(2 * 384), [1n, 1n, 32n, VALUE]],
  ] as const)('is suspended within %s, with the same effects', async (_, at, input, expected) => {
    const to: Address = `0x${at.toString(16).padStart(40, '0')}`
    const data = hexToBytes(`0x${input}`)
    const options = { value: Number(VALUE), input: [0, data.length], output: [0, 32], gas: 500_000 } as const
    // The output is written over the input.
    const code = bytecode(
      `CALLDATASIZE 0 0 CALLDATACOPY
       ${returning(call('CALL', to, options), 'RETURNDATASIZE', `${to} BALANCE`, '0 MLOAD', 'GAS')}`,
    )
    const bench = await createBench('prague', { [TARGET]: { balance: 9n, code } })
    const direct = { ...TX, to, data, gasLimit: 900_000n }
    for (const tx of [direct, { ...direct, to: TARGET }]) {
      const execution = { ...executionOf(bench), tx }
      const unpaused = await effectsOf(bench, execution)
      let looks = 0
      const pause: Yielder = Object.assign(() => ALWAYS_DUE(), {
        isDue() {
          looks += 1
          return true
        },
      })
      expect(await effectsOf(bench, execution, pause)).toEqual(unpaused)
      expect(looks).toBeGreaterThan(1)
    }
    const execution = { ...executionOf(bench), tx: { ...direct, to: TARGET } }
    const { outcome } = await whenLoaded(() => bench.executor.execute(execution))
    const [success, size, balance, first] = outcome.kind === 'included' ? wordsIn(outcome.output) : []
    expect([success, first, size, balance]).toEqual(expected)
  })
})

describe('the looks at the clock', () => {
  /** The gas that one execution uses between two looks, on average; all of it if there is none. */
  async function gasPerLook(source: string, accounts: Record<Address, string> = {}): Promise<number> {
    const codes: [string, string][] = Object.entries({ ...accounts, [TARGET]: source })
    const bench = await createBench(
      'osaka',
      Object.fromEntries(codes.map(([address, code]) => [address, { code: bytecode(code) }])),
    )
    let looks = 1
    const pause: Yielder = Object.assign(() => undefined, {
      isDue() {
        looks += 1
        return false
      },
    })
    const execution = { ...executionOf(bench), tx: { ...TX, gasLimit: 10_000_000n } }
    const { outcome } = await whenLoaded(() => bench.executor.execute(execution, pause), pause)
    if (outcome.kind === 'rejected') throw outcome.error
    return Number(outcome.gasUsed) / looks
  }

  const WORD = `0x${'f3'.repeat(32)}`
  /** A basic block of 24,003 instructions, which takes 91,000 gas, and repeats itself. */
  const LONG_BLOCK = `${WORD} ${WORD} ${WORD} JUMPDEST ${'DUP3 DUP3 DUP3 MULMOD POP '.repeat(4800)} 99 JUMP`
  /** Half of it, without an end, in a callee. */
  const LONG_CALLEE = `${WORD} ${WORD} ${WORD} ${'DUP3 DUP3 DUP3 MULMOD POP '.repeat(2400)}`
  const CALLER = `JUMPDEST ${call('CALL', OTHER)} POP 0 JUMP`
  const FAILING_CALLER = `JUMPDEST ${call('CALL', OTHER, { gas: 100 })} POP 0 JUMP`

  test.each([
    ['in a long basic block', LONG_BLOCK, {}, 100_000],
    ['in short ones', 'JUMPDEST 0 JUMP', {}, 10_100],
    ['in calls that are long', CALLER, { [OTHER]: LONG_CALLEE }, 50_000],
    ['in calls that are short', CALLER, { [OTHER]: 'STOP' }, 2_000],
    ['in calls that fail', FAILING_CALLER, { [OTHER]: 'DUP1' }, 500],
  ])('come after an amount of work %s', async (_, source, accounts, most) => {
    expect(await gasPerLook(source, accounts)).toBeLessThan(most)
  })
})

describe('idle machines', () => {
  /** A machine that remembers its frames. */
  class Remembering extends Machine {
    entered: Frame[] = []

    override enter(...message: Parameters<Machine['enter']>): Frame {
      const frame = super.enter(...message)
      this.entered.push(frame)
      return frame
    }
  }

  const message = { caller: SENDER, to: TARGET, value: 0n, data: TX.data, gasLimit: 2n ** 40n, gasPrice: 0n }
  const NESTED = { [TARGET]: { code: bytecode(`0 NOT 65536 MSTORE ${call('CALL', TARGET)}`) } }

  test('keep a few frames without their memory, however deep they have been', async () => {
    const { crypto, env, state } = await createBench('osaka', NESTED)
    const machine = new Remembering(crypto)
    const run = () => {
      machine.entered = []
      const journal = new Journal(state, undefined)
      machine.start(message, env, journal, precompilesByAddress(env.rules.fork, crypto), undefined)
      expect(machine.run(undefined)!.error).toBeUndefined()
      machine.release()
      return machine.entered
    }
    const [first, second] = [run(), run()]
    expect([first.length > 500, second.length]).toEqual([true, first.length])
    expect(second.filter((frame, depth) => frame === first[depth]).length).toBe(16)
    expect(Math.max(...second.slice(0, 16).map((frame) => frame.memory.length))).toBe(1024)
  })

  test('are a few, however many executions were suspended at the same time', async () => {
    const { crypto, env, state } = await createBench('osaka', NESTED)
    const idle: Machine[] = []
    const engine = createPresealEngine(crypto, idle)
    const started = Array.from({ length: 10 }, () => engine.run(message, env, state, undefined, ALWAYS_DUE))
    expect([started.every((work) => work instanceof Suspended), idle.length]).toEqual([true, 0])
    await Promise.all(started.map((work) => resumeToEnd(work)))
    expect(idle.length).toBe(4)
  })
})

describe('executions at the same time', () => {
  /** Executes in parts of a few instructions. */
  async function paused(bench: Bench): Promise<unknown> {
    let steps = 0
    const onStep = () => {
      steps += 1
    }
    const execution = { ...executionOf(bench), hooks: { onStep } }
    const effects = await effectsOf(bench, execution, ALWAYS_DUE)
    return { effects, steps }
  }

  test('share nothing, on one engine or on several', async () => {
    const one = await createBench('osaka', DIRTY)
    const two = await createBench('prague', { ...DIRTY, [THIRD]: { code: bytecode('8 2000 MSTORE') } })
    const [ofOne, ofTwo] = [await paused(one), await paused(two)]
    expect(ofOne).not.toEqual(ofTwo)
    const plain = await effectsOf(one, executionOf(one))
    const together = [paused(one), paused(two), paused(one), effectsOf(one, executionOf(one)), paused(two)]
    expect(await Promise.all(together)).toEqual([ofOne, ofTwo, ofOne, plain, ofTwo])
  })

  const CALLS = `${call('CALL', OTHER, { value: 1, input: [0, 64] })} 0 SLOAD ADD 0 SSTORE
    ${call('STATICCALL', ECRECOVER, { input: [0, 32] })} POP`
  /** The offset of the inner loop: after the numbers of rounds, of which PUSH1 takes 2 bytes and PUSH2 3. */
  const INNER = `0x${(6 + assemble(CALLS).length / 2).toString(16).padStart(4, '0')}`
  /** Ten times two calls, and 300 rounds of a loop. */
  const LONG = bytecode(
    `10 JUMPDEST ${CALLS} 300 JUMPDEST 1 SWAP1 SUB DUP1 ${INNER} JUMPI POP 1 SWAP1 SUB DUP1 2 JUMPI
     ${returning('MSIZE', '0 SLOAD', '500 MLOAD', 'GAS')}`,
  )

  test.each([
    ['in the loops', () => () => {}],
    ['in compiled code', compileEverything],
  ])('have the same results however their parts alternate %s', async (_, setUp) => {
    onTestFinished(setUp())
    const one = await createBench('osaka', { ...DIRTY, [TARGET]: { balance: 99n, code: LONG } })
    const two = await createBench('prague', DIRTY)
    const starts = [one, two, one].map((bench, i) => () => {
      const to = i === 2 ? OTHER : TARGET
      return mapResult(
        one.executor.execute({ ...executionOf(bench), tx: { ...TX, to } }, ALWAYS_DUE),
        ({ outcome, overlay }) => ({ outcome, effects: dump(overlay) }),
      )
    })
    const inSequence: unknown[] = []
    for (const start of starts) inSequence.push(await resumeToEnd(start()))
    let parts = 0
    fc.assert(
      fc.property(fc.array(fc.nat(2), { maxLength: 60 }), (order) => {
        const results: unknown[] = [undefined, undefined, undefined]
        for (const i of [...order, ...[0, 1, 2].flatMap((one) => new Array<number>(100).fill(one))]) {
          const work = results[i]
          if (work === undefined) results[i] = starts[i]!()
          else if (work instanceof Suspended) results[i] = work.resume()
          if (results[i] instanceof Suspended) parts += 1
        }
        expect(results).toEqual(inSequence)
      }),
      runs(30, 1000),
    )
    expect(parts).toBeGreaterThan(100)
  })

  test('have the prices of their hardfork, although they share the code', async () => {
    const bench = await createBench('osaka', {
      [TARGET]: { code: bytecode(returning(gasOf('CALLER BALANCE'))) },
    })
    const forks = ['osaka', 'frontier', 'istanbul', 'osaka', 'frontier'] as const
    const prices = forks.map(async (fork) => {
      const execution = executionOf(bench)
      const env = { ...bench.env, rules: rulesOf(fork) }
      const { outcome } = await whenLoaded(() => bench.executor.execute({ ...execution, env }))
      return outcome.kind === 'included' ? wordsIn(outcome.output)[0] : outcome.error
    })
    expect(await Promise.all(prices)).toEqual([102n, 22n, 702n, 102n, 22n])
  })
})
