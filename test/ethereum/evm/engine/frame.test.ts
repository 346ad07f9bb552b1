import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { NO_BYTES } from '../../../../src/base/bytes.ts'
import type { Address } from '../../../../src/base/types.ts'
import { memoryEnd, REVERTED, RUNNING, wordsOf } from '../../../../src/ethereum/evm/engine/frame.ts'
import { Halt, MAX_COUNTED_GAS, splitGas } from '../../../../src/ethereum/evm/engine/message.ts'
import { toEvmWord, type Word } from '../../../../src/ethereum/evm/engine/word.ts'
import { ALL_CHECKS } from '../../../../src/ethereum/evm/executor.ts'
import { runs } from '../../../full.ts'
import { createBench, TARGET } from '../setup.ts'
import { bytecode, call, returning, wordsIn } from './assembly.ts'
import { createFrame, startMessage } from './frames.ts'

const OTHER: Address = `0x${'dd'.repeat(20)}`
const DIRTY: Address = `0x${'d1'.repeat(20)}`
const CLEAN: Address = `0x${'c1'.repeat(20)}`

/** What a function returns; undefined if it runs out of gas. */
function attempt<Value>(run: () => Value): Value | undefined {
  try {
    return run()
  } catch (error) {
    expect(error).toEqual(new Halt('out of gas'))
    return undefined
  }
}

describe('memory', () => {
  test('costs what the Yellow Paper says (appendix H.1)', async () => {
    const frame = await createFrame('osaka', 0n)
    const price = (words: bigint) => 3n * words + words ** 2n / 512n
    const size = fc.oneof(fc.nat(100_000), fc.nat(2 ** 30))
    fc.assert(
      fc.property(size, size, (before, end) => {
        frame.memorySize = 32 * Math.floor(before / 32)
        const [from, to] = [BigInt(frame.memorySize) / 32n, (BigInt(end) + 31n) / 32n]
        expect(BigInt(frame.expansionGas(end))).toBe(to > from ? price(to) - price(from) : 0n)
      }),
      runs(300, 20_000),
    )
  })

  test('is extended by zeros to whole words, and keeps its bytes', async () => {
    const frame = await createFrame('osaka', 10n ** 9n)
    const sizes: number[] = []
    for (const end of [1, 31, 32, 33, 20, 1024, 1025, 5000, 10_001]) {
      const before = frame.memory.slice(0, frame.memorySize)
      frame.expand(end)
      const expected = new Uint8Array(frame.memorySize)
      expected.set(before)
      expect(frame.memory.subarray(0, frame.memorySize)).toEqual(expected)
      expect(frame.view.buffer).toBe(frame.memory.buffer)
      frame.memory.fill(end, before.length, frame.memorySize)
      sizes.push(frame.memorySize)
    }
    expect(sizes).toEqual([32, 32, 32, 64, 64, 1024, 1056, 5024, 10_016])
  })

  test('of more than a gibibyte is out of gas, even if it is paid', async () => {
    const frame = await createFrame('osaka', 2n ** 52n)
    expect(attempt(() => frame.expand(2 ** 30 + 1))).toBeUndefined()
    expect(frame.gasLeft()).toBeLessThan(2n ** 52n)
  })

  test('that cannot be paid is not extended', async () => {
    const frame = await createFrame('osaka', 97n)
    expect(attempt(() => frame.expand(32 * 32))).toBeUndefined()
    expect([frame.memorySize, frame.gasLeft()]).toEqual([0, 97n])
    frame.expand(32 * 31)
    expect([frame.memorySize, frame.gasLeft()]).toEqual([992, 3n])
  })

  const huge = 2n ** 256n - 1n
  test.each<[Word, Word, number | undefined]>([
    [0, 0, 0],
    [5, 3, 8],
    [2 ** 53 - 1, 0, 0],
    [huge, 0, 0],
    [2 ** 40 - 1, 1, 2 ** 40],
    [2 ** 40, 1, undefined],
    [2 ** 53 - 1, 2 ** 53 - 1, undefined],
    [huge, 1, undefined],
    [0, huge, undefined],
    [2n ** 53n, 2n ** 53n, undefined],
  ])('from %s on, %s bytes long, ends at %s', (offset, size, end) => {
    expect(attempt(() => memoryEnd(offset, size))).toBe(end)
  })

  test('is read as a copy, and written with zeros behind the bytes', async () => {
    const frame = await createFrame('osaka', 1000n)
    frame.expand(32)
    frame.memory.fill(9, 0, 8)
    const copy = frame.read(1, 4)
    frame.write(2, 4, Uint8Array.of(1, 2))
    expect(copy).toEqual(Uint8Array.of(9, 9, 9, 9))
    expect(frame.read(0, 8)).toEqual(Uint8Array.of(9, 9, 1, 2, 0, 0, 9, 9))
    frame.write(2n ** 200n, 0, Uint8Array.of(5))
    expect([frame.read(2n ** 200n, 0), frame.memorySize]).toEqual([NO_BYTES, 32])
  })

  test('takes the output of a message up to the size that it asked for', async () => {
    const frame = await createFrame('osaka', 1000n)
    frame.expand(32)
    frame.outputOffset = 2
    const left = [0, 3, 6].map((size) => {
      frame.memory.fill(9)
      frame.outputSize = size
      frame.writeOutput(Uint8Array.of(1, 2, 3, 4))
      return [...frame.read(0, 8)]
    })
    expect(left).toEqual([
      [9, 9, 9, 9, 9, 9, 9, 9],
      [9, 9, 1, 2, 3, 9, 9, 9],
      [9, 9, 1, 2, 3, 4, 9, 9],
    ])
  })

  test('has one word for up to 32 bytes', () => {
    expect([0, 1, 32, 33].map(wordsOf)).toEqual([0, 1, 1, 2])
  })
})

describe('a frame that is used again', () => {
  test.each([100, 2 ** 16, 2 ** 16 + 1, 200_000])('has no trace of a message with %i bytes', async (size) => {
    const frame = await createFrame('osaka', 10n ** 6n)
    frame.expand(size)
    frame.memory.fill(0xff, 0, frame.memorySize)
    frame.push(1)
    frame.pc = 5
    frame.returnData = Uint8Array.of(1)
    frame.created = frame.machine.journal.account(1)
    frame.end(REVERTED, Uint8Array.of(2))
    startMessage(frame, 7n)
    const { pc, height, memorySize, returnData, output, created, state } = frame
    expect({ pc, height, memorySize, returnData, output, created, state }).toEqual({
      ...{ pc: 0, height: 0, memorySize: 0, returnData: NO_BYTES, output: NO_BYTES },
      ...{ created: undefined, state: RUNNING },
    })
    startMessage(frame, 10n ** 6n)
    frame.expand(size)
    expect(frame.memory.every((byte) => byte === 0)).toBe(true)
  })

  test.each(['STOP', '#fe', '0 0 REVERT'])(
    'has no memory of an earlier call that ended with %s',
    async (end) => {
      const bench = await createBench('osaka', {
        [TARGET]: {
          code: bytecode(
            `${call('CALL', DIRTY)} POP ${call('CALL', CLEAN, { output: [0, 96] })} 96 0 RETURN`,
          ),
        },
        [DIRTY]: { code: bytecode(`0 NOT 0 MSTORE 0 NOT 3000 MSTORE ${end}`) },
        [CLEAN]: { code: bytecode(returning('MSIZE', '0 MLOAD', '3000 MLOAD')) },
      })
      expect(wordsIn((await bench.include()).output)).toEqual([0n, 0n, 0n])
    },
  )
})

test('an idle frame retains no account', async () => {
  const frame = await createFrame('osaka', 7n)
  const { journal } = frame.machine
  const [used, unused] = [journal.account(0xcc), journal.account(0)]
  Object.assign(frame, { account: used, caller: used, created: used, input: Uint8Array.of(1) })
  frame.release(unused)
  const { machine: _, ...retained } = frame
  const objects = Object.values(retained).filter((value) => typeof value === 'object')
  expect(objects.flatMap((value) => [value, ...Object.values(value)])).not.toContain(used)
})

test('an idle frame keeps neither large memory nor a high stack', async () => {
  const frame = await createFrame('osaka', 7n)
  frame.grow(2 ** 16 + 1)
  for (let i = 0n; i < 1024n; i++) frame.push(2n ** 255n + i)
  frame.release(frame.machine.journal.account(0))
  expect([frame.memory.length, frame.view.byteLength, frame.memorySize]).toEqual([1024, 1024, 0])
  expect(frame.stack.length).toBe(64)
})

describe('gas', () => {
  const total = fc.oneof(
    fc.bigInt(0n, 10n ** 6n),
    fc
      .tuple(fc.constantFrom(2n ** 52n, 2n ** 53n, 64n * 2n ** 52n, 2n ** 64n), fc.bigInt(-3n, 10n ** 6n))
      .map(([around, by]) => around + by),
  )
  const requested = fc.oneof(total, fc.constantFrom(0n, 2n ** 256n - 1n))
  const step = fc.record({
    charged: fc.nat(30_000),
    cost: fc.nat(3000),
    requested,
    /** What of the gas passed on is left, in percent. */
    left: fc.constantFrom(0n, 1n, 50n, 99n, 100n),
  })

  /** Whether a pair is how {@link splitGas} splits a total. */
  const isSplit = (gas: number, reserve: bigint) =>
    reserve === 0n || (reserve > 0n && gas === MAX_COUNTED_GAS)

  test.each(['frontier', 'osaka'] as const)('is neither lost nor gained on %s', async (fork) => {
    const frame = await createFrame(fork, 0n)
    fc.assert(
      fc.property(total, fc.array(step, { maxLength: 10 }), (initial, steps) => {
        startMessage(frame, initial)
        let model = initial
        for (const { charged, cost, requested, left } of steps) {
          const isPaid = BigInt(charged) <= model
          expect(attempt(() => frame.charge(charged) ?? true)).toBe(isPaid ? true : undefined)
          if (isPaid) model -= BigInt(charged)
          expect(frame.gasLeft()).toBe(model)

          const most = model - BigInt(cost)
          const capped = fork === 'frontier' ? requested : most - most / 64n
          const expected = requested < capped ? requested : capped
          const passed = attempt(() => frame.pass(cost, toEvmWord(requested)))
          if (most < 0n || expected > most) {
            expect(passed).toBeUndefined()
            continue
          }
          expect([BigInt(passed![0]) + passed![1], isSplit(...passed!)]).toEqual([expected, true])
          model = most - expected
          expect(frame.gasLeft()).toBe(model)

          const unused = (expected * left) / 100n
          frame.takeBack(...splitGas(unused))
          model += unused
          expect(frame.gasLeft()).toBe(model)
          if (unused > 0n) expect(frame.gas).toBeLessThanOrEqual(MAX_COUNTED_GAS)
        }
      }),
      runs(300, 20_000),
    )
  })

  test('beyond 2^53 is seen exactly, and passed on but for a 64th', async () => {
    const bench = await createBench('osaka', {
      [TARGET]: {
        code: bytecode(`${call('STATICCALL', OTHER, { output: [0, 32] })} POP GAS 32 MSTORE 64 0 RETURN`),
      },
      [OTHER]: { code: bytecode('GAS 0 MSTORE 32 0 RETURN') },
    })
    const gasLimit = 2n ** 60n + 12_345n
    const { output, gasUsed } = await bench.include({ gasLimit }, { ...ALL_CHECKS, gasLimit: false })
    // The operands, the call of a cold account, and a word of memory.
    const atCall = gasLimit - 21_000n - 17n - 2_600n - 3n
    const passed = atCall - atCall / 64n
    const [inner, outer] = wordsIn(output)
    expect(inner).toBe(passed - 2n)
    // GAS, PUSH1, MSTORE with a word of memory, PUSH1 twice.
    expect(outer).toBe(atCall - 17n - 4n)
    expect(gasUsed).toBe(gasLimit - outer! + 3n + 3n + 3n + 6n)
  })
})
