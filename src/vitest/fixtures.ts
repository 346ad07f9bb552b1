/** What `preseal/vitest` takes and what tests are given, as types. */
import type { Chain } from '../chain/chain.ts'
import type { ChainOptions } from '../config/options.ts'
import type { Clock } from '../primitives/clock.ts'
import type { ManualClock } from '../primitives/manualClock.ts'
import type { Provider } from '../rpc/provider.ts'

/**
 * What chains of tests are made with: the options of `createChain`, but that clock and database are each chain's own.
 */
export type TestChainOptions = Omit<ChainOptions, 'clock' | 'database'>

/** A test's chain. */
export interface ChainFixtures<ChainClock extends Clock = ManualClock> {
  /** As new for each test; what the test opens on it ends with the test. */
  readonly chain: Chain<ChainClock>
  /** `chain.standard`: answers from sealed blocks. */
  readonly standard: Provider
  /** `chain.preconf`: answers `pending` from the block under construction. */
  readonly preconf: Provider
  /** The chain's clock: `await clock.advance(200)` lets 200 ms pass. */
  readonly clock: ChainClock
  /**
   * Waits for a promise that sends, such as `client.sendTransactionSync(…)`, and lets the chain pre-confirm what
   * arrives meanwhile: by advancing a manual clock tick by tick, or by `chain.tick()` in `manual` mining.
   *
   * @returns what the promise resolves to, once no transaction waits for a tick any more.
   */
  preconfirm<T>(sending: PromiseLike<T>): Promise<T>
}

/** The fixtures of `createChainTest`. */
export interface ChainTestFixtures<Deployed = undefined, ChainClock extends Clock = ManualClock>
  extends ChainFixtures<ChainClock> {
  /** What `deploy` returned for this chain. */
  readonly deployed: Deployed
  /** What the chain is made with; override it with a value for the tests of a `describe`. */
  readonly chainOptions: TestChainOptions
}

/** How `createChainTest` makes the chains of its tests. */
export interface ChainTestOptions<Deployed = undefined, ChainClock extends Clock = ManualClock> {
  /** What each chain is made with; `{}`. */
  readonly chainOptions?: TestChainOptions | undefined
  /** Makes the clock of a chain; `createManualClock`. */
  createClock?(): ChainClock
  /**
   * Prepares a chain: contracts, balances, whatever tests begin with. Runs once per file and `chainOptions`; where
   * tests run at the same time, once for each chain they need. Connections it opens stay open from test to test.
   */
  deploy?(fixtures: ChainFixtures<ChainClock>): Deployed | Promise<Deployed>
}
