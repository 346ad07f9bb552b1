import { afterEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../../../src/base/clock.ts'
import { Suspended } from '../../../../src/base/waiting.ts'
import { compilation } from '../../../../src/ethereum/evm/engine/hotCode.ts'
import { ALL_CHECKS } from '../../../../src/ethereum/evm/executor.ts'
import type { TxEnv } from '../../../../src/ethereum/transaction.ts'
import { ALWAYS_DUE } from '../../../suspending.ts'
import { type Bench, createBench, SENDER, TARGET } from '../setup.ts'
import { bytecode, wordsIn } from './assembly.ts'

const own = { ...compilation }

afterEach(() => {
  Object.assign(compilation, own)
})

/** Counts compilations that have ended. */
function countCompilations() {
  const counts = { started: 0, ended: 0 }
  compilation.compile = async (...args) => {
    counts.started += 1
    try {
      return await own.compile(...args)
    } finally {
      counts.ended += 1
    }
  }
  return counts
}

/** Sums the numbers from 60,000 down, in as many basic blocks; `last` is in the code so that it is another one. */
const summing = (last: number, body = ''): string =>
  `${last} 60000 JUMPDEST ${body} DUP1 SWAP2 ADD SWAP1 1 SWAP1 SUB DUP1 5 JUMPI POP 0 MSTORE 32 0 RETURN`

const TX: TxEnv = {
  ...{ type: 2, from: SENDER, to: TARGET, nonce: 0n, gasLimit: 20_000_000n, value: 0n },
  ...{ data: new Uint8Array(0), maxFeePerGas: 0n, maxPriorityFeePerGas: 0n },
}

interface Outcome {
  readonly words: readonly bigint[]
  readonly gasUsed: bigint
  /** How often it was suspended, at each opportunity. */
  readonly parts: number
}

/** Executes, and lets the event loop turn until what is being compiled is ready, at the latest after the first 100 parts. */
async function execute({ executor, env, state }: Bench, isReady = () => true): Promise<Outcome> {
  let parts = 0
  let work = executor.execute({ tx: TX, env, state, checks: ALL_CHECKS }, ALWAYS_DUE)
  for (; work instanceof Suspended; work = work.resume()) {
    parts += 1
    while (parts === 100 && !isReady()) await systemClock.yield()
  }
  const { outcome } = work
  if (outcome.kind === 'rejected') throw outcome.error
  return { words: wordsIn(outcome.output), gasUsed: outcome.gasUsed, parts }
}

const SUM = 1_800_030_000n

describe('code that runs for long', () => {
  test('is compiled while it runs, and goes on in compiled code', async () => {
    const bench = await createBench('prague', { [TARGET]: { code: bytecode(summing(100)) } })
    compilation.threshold = Number.POSITIVE_INFINITY
    const expected = await execute(bench)
    expect(expected).toMatchObject({ words: [SUM + 100n], parts: 227 })
    compilation.threshold = own.threshold
    const counts = countCompilations()
    const first = await execute(bench, () => counts.ended === 1)
    expect([counts, first.parts < 110]).toEqual([{ started: 1, ended: 1 }, true])
    const second = await execute(bench)
    expect(second.parts).toBeLessThan(10)
    expect([first, second].map(({ words, gasUsed }) => ({ words, gasUsed }))).toEqual(
      [expected, expected].map(({ words, gasUsed }) => ({ words, gasUsed })),
    )
    expect(counts).toEqual({ started: 1, ended: 1 })
  })

  test('is compiled if it hashes, and returns after a while', async () => {
    const bench = await createBench('prague', {
      [TARGET]: { code: bytecode(summing(106, '32 0 KECCAK256 POP')) },
    })
    const counts = countCompilations()
    const first = await execute(bench, () => counts.ended === 1)
    const second = await execute(bench)
    const sum = [SUM + 106n]
    expect([first.words, second.words, second.gasUsed]).toEqual([sum, sum, first.gasUsed])
    expect(second.parts).toBeGreaterThan(20)
    expect(second.parts).toBeLessThan(50)
  })

  // The second program has a loop that is never repeated.
  test.each([
    [101, '0 SLOAD POP'],
    [105, '0 SLOAD POP JUMPDEST 0 10 JUMPI'],
  ])('goes on in the loop where compiled code would have to stop all the time (%i)', async (last, body) => {
    const bench = await createBench('prague', { [TARGET]: { code: bytecode(summing(last, body)) } })
    const counts = countCompilations()
    const first = await execute(bench, () => counts.ended === 1)
    const second = await execute(bench)
    const sum = [SUM + BigInt(last)]
    expect([first.words, second.words, second.gasUsed]).toEqual([sum, sum, first.gasUsed])
    // As many parts as without compiled code, but for the few that it has tried.
    expect(second.parts).toBeGreaterThan(0.9 * first.parts)
    while (counts.ended < counts.started) await systemClock.yield()
    // It is tried again for parts that were not executed before, but no more often than that.
    expect(counts.started).toBeLessThanOrEqual(4)
  })

  test('goes on in the loop if the host refuses WebAssembly, which is asked once', async () => {
    const host = globalThis as unknown as { WebAssembly: object }
    const { WebAssembly } = host
    const counts = countCompilations()
    try {
      host.WebAssembly = Object.assign(Object.create(WebAssembly) as object, {
        instantiate: () => Promise.reject(new Error('refused')),
      })
      for (const last of [102, 103]) {
        const bench = await createBench('prague', { [TARGET]: { code: bytecode(summing(last)) } })
        const { words, parts } = await execute(bench, () => compilation.isRefused)
        expect([words, parts]).toEqual([[SUM + BigInt(last)], 227])
      }
    } finally {
      host.WebAssembly = WebAssembly
    }
    expect([compilation.isRefused, counts]).toEqual([true, { started: 1, ended: 1 }])
  })

  test('is compiled again if it runs long in other parts', async () => {
    // The second loop is reached by an offset that no instruction before it pushes.
    const code = `${summing(104).replace('POP 0 MSTORE 32 0 RETURN', 'CALLDATASIZE 39 ADD JUMP')}`
    const start = bytecode(code).length / 2 - 1
    const rest = 'JUMPDEST 30000 JUMPDEST 1 SWAP1 SUB DUP1'
    const again = `0x${(start + 4).toString(16).padStart(4, '0')} JUMPI POP POP 0 MSTORE 32 0 RETURN`
    const bench = await createBench('prague', {
      [TARGET]: { code: bytecode(`${code.replace(' 39 ', ` ${start} `)} ${rest} ${again}`) },
    })
    const counts = countCompilations()
    const first = await execute(bench, () => counts.ended === 1)
    while (counts.ended < counts.started) await systemClock.yield()
    const second = await execute(bench)
    expect([first.words, first.words]).toEqual([second.words, [SUM + 104n]])
    expect([counts, second.parts < 20]).toEqual([{ started: 2, ended: 2 }, true])
  })
})
