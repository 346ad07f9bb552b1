/**
 * The chains of one test file.
 *
 * Owns: the idle chains. Does not own: a chain that a test uses, which belongs to its {@link TestChain}.
 */

import type { Clock } from '../../base/clock.ts'
import { isManual } from '../../base/options/optionSchemas.ts'
import { findNonceGaps, readUnsealed } from '../../chain/readMining.ts'
import { NonceGapsError } from '../../core/open/errors.ts'
import { DisconnectedError } from '../../core/sequencer/errors.ts'
import { TransactionsWaitingError } from './errors.ts'
import type { ChainFixtures, TestChainOptions } from './fixtures.ts'
import { createPreconfirm } from './preconfirm.ts'
import { type PreparedChain, prepareChain, type Recipe } from './preparedChain.ts'
import type { FileGas, TestTask } from './testGas.ts'

/** A chain while a test uses it. */
export interface TestChain extends Pick<ChainFixtures<Clock>, 'chain' | 'clock' | 'preconfirm'> {
  readonly deployed: unknown
  /**
   * The error for transactions that the test left waiting: those behind a nonce gap, those that the next tick can include or,
   * after a timeout, those that are pre-confirmed. Undefined if there are none but those of `deploy`, or the chain is closed.
   */
  findPending(isTimedOut: boolean): Promise<TransactionsWaitingError | NonceGapsError | undefined>
  /**
   * Ends the test's use of the chain, which is rolled back for the next test or, if that is not possible, closed.
   *
   * @param isOver - false if the test's function still runs, as after a timeout: the chain is closed then.
   */
  end(isOver?: boolean): Promise<void>
}

interface IdleChain {
  readonly prepared: PreparedChain
  readonly options: TestChainOptions
}

/** See the file's header. */
export class FileChains {
  readonly #recipe: Recipe
  #idle: IdleChain[] = []

  constructor(recipe: Recipe) {
    this.#recipe = recipe
  }

  /**
   * An idle chain made with the same options object, or a new one.
   *
   * @param gas - records the gas of the file.
   * @param task - the test that the gas is recorded for.
   * @throws what `prepareChain` throws.
   */
  async take(options: TestChainOptions, gas?: FileGas, task?: TestTask): Promise<TestChain> {
    const idle = this.#idle.find((one) => one.options === options)
    this.#idle = this.#idle.filter((one) => one !== idle)
    const prepared = idle?.prepared ?? (await prepareChain(this.#recipe, options, gas))
    prepared.gas?.begin()
    const isolated = prepared.begin()
    const { chain, clock } = isolated
    const start = clock.now()
    return {
      chain,
      clock,
      preconfirm: createPreconfirm(chain, clock, { left: prepared.left }),
      async findPending(isTimedOut) {
        const elapsed = isManual(clock) ? clock.now() - start : undefined
        try {
          const gaps = await findNonceGaps(chain, prepared.left)
          if (gaps.length > 0) return new NonceGapsError(gaps)
          const { waiting, preconfirmed } = await readUnsealed(chain, prepared.left)
          if (waiting.length > 0) return new TransactionsWaitingError(waiting.length, 'a tick', elapsed)
          if (isTimedOut && preconfirmed.length > 0)
            return new TransactionsWaitingError(preconfirmed.length, 'the seal', elapsed)
        } catch (error) {
          if (!(error instanceof DisconnectedError)) throw error
        }
        return undefined
      },
      deployed: prepared.deployed,
      end: async (isOver = true) => {
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

  /** Closes the idle chains. */
  async close(): Promise<void> {
    await Promise.all(this.#idle.map(({ prepared }) => prepared.close()))
  }
}
