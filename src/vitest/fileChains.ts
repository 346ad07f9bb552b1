/**
 * The chains of one test file.
 *
 * Owns: those that no test has at the moment, and their end. A chain that is out is its loan's.
 */
import type { Clock } from '../clock.ts'
import type { ChainFixtures, TestChainOptions } from './fixtures.ts'
import { type PreparedChain, prepareChain, type Recipe } from './preparedChain.ts'

/** A chain while a test has it. */
export interface ChainLoan extends Pick<ChainFixtures<Clock>, 'chain' | 'clock'> {
  readonly deployed: unknown
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
    return {
      chain: loan.chain,
      clock: loan.clock,
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
