/** The fixtures: one set of chains for a file, and of these one for each test. */
import { type TestAPI, test } from 'vitest'
import type { Clock } from '../primitives/clock.ts'
import { createManualClock, type ManualClock } from '../primitives/manualClock.ts'
import { type ChainLoan, FileChains } from './fileChains.ts'
import type { ChainTestFixtures, ChainTestOptions } from './fixtures.ts'

/**
 * Makes a `test`, at the top of a file or for several, whose tests have a chain each, also those that run at the same
 * time: by the fixtures `chain`, `standard`, `preconf`, `clock`, `preconfirm`, `deployed` and `chainOptions`. However a
 * test ends, nothing of it is left open. One that fails while transactions wait for a tick fails with a
 * `TransactionsWaitingError` as well, which says how many, and where the manual clock stands.
 *
 * Without `deploy` each test starts a chain. With it, a chain that was deployed to is rolled back for the next test,
 * with its manual clock, and each test begins with a slot: from its hashes none can tell whether another was before it.
 * If there is no way back, as after `chain.close()`, `anvil_reset` or a change of mining, the next test begins with
 * a new chain.
 *
 * @throws InvalidOptionError in the tests, and what else `createChain` and `deploy` throw
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
  // What clocks and deployments are is the caller's business; here they are passed on.
  const {
    chainOptions = {},
    createClock = createManualClock,
    deploy,
  } = options as ChainTestOptions<unknown, Clock>
  const extended = test.extend<Fixtures>({
    chainOptions,
    presealChains: [
      // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern what a fixture needs
      async ({}, use) => {
        const chains = new FileChains({ createClock, deploy })
        await use(chains)
        await chains.close()
      },
      { scope: 'file' },
    ],
    presealLoan: async ({ presealChains, chainOptions, signal, task, onTestFailed }, use) => {
      const loan = await presealChains.take(chainOptions)
      let waiting: Error | undefined
      // Thrown there it is one more error of the test, and no other fixture's end is skipped.
      onTestFailed(() => {
        if (waiting !== undefined) throw waiting
      })
      await use(loan)
      try {
        if (task.result?.state === 'fail') waiting = await loan.findPending(signal.aborted)
      } finally {
        // Aborted when the test times out: nothing stops its function then, which may also use what was deployed.
        await loan.end(!signal.aborted)
      }
    },
    chain: ({ presealLoan }, use) => use(presealLoan.chain),
    standard: ({ presealLoan }, use) => use(presealLoan.chain.standard),
    preconf: ({ presealLoan }, use) => use(presealLoan.chain.preconf),
    clock: ({ presealLoan }, use) => use(presealLoan.clock),
    preconfirm: ({ presealLoan }, use) => use(presealLoan.preconfirm),
    deployed: ({ presealLoan }, use) => use(presealLoan.deployed),
  })
  // How a test comes by its chain is not for it to use.
  return extended as unknown as TestAPI<ChainTestFixtures<Deployed, ChainClock>>
}

interface Fixtures extends ChainTestFixtures<unknown, Clock> {
  readonly presealChains: FileChains
  readonly presealLoan: ChainLoan
}
