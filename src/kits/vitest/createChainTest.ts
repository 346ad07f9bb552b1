/** Fixtures: each file has a set of chains, and each test uses one of them. */

import { inject, type TestAPI, test } from 'vitest'
import type { Clock } from '../../base/clock.ts'
import { createManualClock, type ManualClock } from '../../base/manualClock.ts'
import { isManual } from '../../base/options/optionSchemas.ts'
import { findSolidityTrace, showSolidityTrace } from '../../base/solidityTrace.ts'
import { findLeft } from '../../chain/readMining.ts'
import { TransactionsWaitingError } from './errors.ts'
import {
  type ChainTestFixtures,
  type ChainTestOptions,
  createPreconfirm,
  type TestChainOptions,
} from './fixtures.ts'
import { type PreparedChain, prepareChain, type Recipe } from './preparedChain.ts'
import { loadGas, type TestTask, type WatchGas } from './testGas.ts'

/**
 * Creates a `test`, for one file or several, with the fixtures `chain`, `standard`, `preconf`, `live`, `clock`,
 * `preconfirm`, `deployed` and `chainOptions`. Each test has a chain to itself, even if tests run concurrently. When the
 * test ends, everything that it opened is closed.
 *
 * If transactions wait for a tick when a test fails, or for the seal when it times out, the test has a second error:
 * `TransactionsWaitingError`, with their number and by how much the manual clock was advanced, or `NonceGapsError`,
 * with the accounts and nonces of a nonce gap. Transactions that `deploy` left waiting do not count.
 *
 * Without `deploy`, each test starts a new chain. With `deploy`, or on a fork, the chain and its manual clock are rolled
 * back between tests to the state after `deploy` or the fork's start. Each test begins at the start of a slot, so that
 * no hash depends on earlier tests. If the chain cannot be rolled back, for example after `chain.close()`,
 * `anvil_reset` or a change of mining, the next test gets a new one.
 *
 * @throws InvalidOptionError in the tests, and the errors of `createChain` and `deploy`
 * @example
 * const test = createChainTest()
 *
 * test('makes a block every two seconds', async ({ standard, clock }) => {
 *   await clock.advance(2000)
 *   expect(await standard.request({ method: 'eth_blockNumber' })).toBe('0x1')
 * })
 */
export function createChainTest<Deployed = undefined, ChainClock extends Clock = ManualClock>(
  options: ChainTestOptions<Deployed, ChainClock> = {},
): TestAPI<ChainTestFixtures<Deployed, ChainClock>> {
  // Clock and deployment are only passed on, so their types do not matter.
  const {
    chainOptions = {},
    createClock = createManualClock,
    deploy,
  } = options as ChainTestOptions<unknown, Clock>
  const extended = test.extend<Fixtures>({
    chainOptions,
    presealChains: [
      // biome-ignore lint/correctness/noEmptyPattern: vitest reads a fixture's dependencies from the pattern
      async ({}, use) => {
        const chains = new FileChains({ createClock, deploy })
        await use(chains)
        await chains.close()
      },
      { scope: 'file' },
    ],
    presealTestChain: async ({ presealChains, chainOptions, signal, task, onTestFailed }, use) => {
      const gas = await loadGas(inject, task)
      const testChain = await presealChains.take(chainOptions, gas, task)
      let waiting: Error | undefined
      // An error thrown here is added to the test's errors, and the remaining fixtures are still torn down.
      onTestFailed(() => {
        if (waiting !== undefined) throw waiting
      })
      await use(testChain)
      // Comes before the chain is closed: closing drops its traces.
      for (const error of task.result?.errors ?? []) showFailure(error)
      try {
        if (task.result?.state === 'fail') waiting = await testChain.findPending(signal.aborted)
      } finally {
        // After a timeout, the test's function keeps running and may still use the chain.
        await testChain.end(!signal.aborted)
      }
    },
    chain: ({ presealTestChain }, use) => use(presealTestChain.chain),
    standard: ({ presealTestChain }, use) => use(presealTestChain.chain.standard),
    preconf: ({ presealTestChain }, use) => use(presealTestChain.chain.preconf),
    live: ({ presealTestChain }, use) => use(presealTestChain.chain.live),
    clock: ({ presealTestChain }, use) => use(presealTestChain.clock),
    preconfirm: ({ presealTestChain }, use) => use(presealTestChain.preconfirm),
    deployed: ({ presealTestChain }, use) => use(presealTestChain.deployed),
  })
  // The type hides the internal fixtures.
  return extended as unknown as TestAPI<ChainTestFixtures<Deployed, ChainClock>>
}

interface Fixtures extends ChainTestFixtures<unknown, Clock> {
  readonly presealChains: FileChains
  readonly presealTestChain: TestChain
}

/** Adds an error's Solidity stack trace to its message and stack: vitest prints only the message and the stack's frames. */
function showFailure(error: { message: string }): void {
  const trace = findSolidityTrace(error)
  if (trace === undefined) return
  showSolidityTrace(error)
  // If no frame has a line, the notes explain why.
  const isLocated = trace.frames.some(({ line }) => line !== undefined)
  const notes = isLocated ? [] : trace.notes.map((note) => `\n(${note})`)
  const reason = `Solidity: ${trace.message}${notes.join('')}`
  if (!error.message.includes(reason)) error.message += `\n${reason}`
}

/** A chain while a test uses it. */
type TestChain = Awaited<ReturnType<FileChains['take']>>

/** The chains of one test file. Owns: the idle chains; a {@link TestChain} owns the chain that its test uses. */
export class FileChains {
  readonly #recipe: Recipe
  #idle: { readonly prepared: PreparedChain; readonly options: TestChainOptions }[] = []

  constructor(recipe: Recipe) {
    this.#recipe = recipe
  }

  /** Takes an idle chain made with the same options object, or creates one. With `gas`, records the gas of `task`. */
  async take(options: TestChainOptions, gas?: WatchGas, task?: TestTask) {
    const idle = this.#idle.find((one) => one.options === options)
    this.#idle = this.#idle.filter((one) => one !== idle)
    const prepared = idle?.prepared ?? (await prepareChain(this.#recipe, options, gas))
    // Discards the gas that was recorded between tests.
    void prepared.gas?.take()
    const isolated = prepared.begin()
    const { chain } = isolated
    const { clock } = chain
    const start = clock.now()
    return {
      chain,
      clock,
      preconfirm: createPreconfirm(chain, { left: prepared.left }),
      deployed: prepared.deployed,
      /** Returns the error of {@link findLeft} for transactions of the test, not of `deploy`. */
      findPending: (isTimedOut: boolean) =>
        findLeft(chain, { except: prepared.left, isTimedOut }, (count, what) => {
          const elapsed = isManual(clock) ? clock.now() - start : undefined
          return new TransactionsWaitingError(count, what, elapsed)
        }),
      /** Rolls the chain back for the next test. Closes it if that fails or the test may still run (`isOver` is false). */
      end: async (isOver = true): Promise<void> => {
        let isRolledBack = false
        try {
          if (task !== undefined) await prepared.gas?.endTest(task)
          isRolledBack = isOver && (await prepared.rollBack(isolated))
        } finally {
          isolated.end()
          if (isRolledBack) this.#idle.push({ prepared, options })
          else await prepared.close()
        }
      },
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#idle.map(({ prepared }) => prepared.close()))
  }
}
