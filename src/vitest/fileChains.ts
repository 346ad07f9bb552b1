/**
 * The chains of one test file.
 *
 * Owns: those that no test has at the moment, and their end. A chain that is out is its loan's.
 */

import { isManual } from '../config/optionSchemas.ts'
import type { Clock } from '../primitives/clock.ts'
import { DisconnectedError } from '../sequencer/errors.ts'
import { TransactionsWaitingError } from './errors.ts'
import type { ChainFixtures, TestChainOptions } from './fixtures.ts'
import { countPreconfirmed, countWaiting } from './mining.ts'
import { createPreconfirm } from './preconfirm.ts'
import { type PreparedChain, prepareChain, type Recipe } from './preparedChain.ts'

/** A chain while a test has it. */
export interface ChainLoan extends Pick<ChainFixtures<Clock>, 'chain' | 'clock' | 'preconfirm'> {
  readonly deployed: unknown
  /**
   * What the test left waiting: transactions that the next tick can include, and if it timed out, those that are
   * pre-confirmed. Undefined if there are none, or the chain is closed.
   */
  findPending(isTimedOut: boolean): Promise<TransactionsWaitingError | undefined>
  /**
   * Takes it from the test: rolled back it waits for the next one, otherwise it is closed.
   *
   * @param isOver - false if the test goes on, as one that timed out does: its chain is closed then.
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

  /** A chain that was made with just these options, or else a new one. @throws what `prepareChain` does. */
  async take(options: TestChainOptions): Promise<ChainLoan> {
    const idle = this.#idle.find((one) => one.options === options)
    this.#idle = this.#idle.filter((one) => one !== idle)
    const prepared = idle?.prepared ?? (await prepareChain(this.#recipe, options))
    const loan = prepared.begin()
    const { chain, clock } = loan
    const start = clock.now()
    return {
      chain,
      clock,
      preconfirm: createPreconfirm(chain, clock, prepared.preconfInterval),
      async findPending(isTimedOut) {
        const elapsed = isManual(clock) ? clock.now() - start : undefined
        try {
          const waiting = await countWaiting(chain)
          if (waiting > 0) return new TransactionsWaitingError(waiting, 'a tick', elapsed)
          const preconfirmed = isTimedOut ? await countPreconfirmed(chain) : 0
          if (preconfirmed > 0) return new TransactionsWaitingError(preconfirmed, 'the seal', elapsed)
        } catch (error) {
          if (!(error instanceof DisconnectedError)) throw error
        }
        return undefined
      },
      deployed: prepared.deployed,
      end: async (isOver = true) => {
        let isBack = false
        try {
          isBack = isOver && (await prepared.rollBack(loan))
        } finally {
          loan.end()
          if (isBack) this.#idle.push({ prepared, options })
          else await prepared.close()
        }
      },
    }
  }

  /** Closes those that wait. */
  async close(): Promise<void> {
    await Promise.all(this.#idle.map(({ prepared }) => prepared.close()))
  }
}
