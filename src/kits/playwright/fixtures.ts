/** The types of `preseal/playwright`: its options and its fixtures. */

import type { ManualClock } from '../../base/manualClock.ts'
import type { ChainOptions } from '../../base/options/options.ts'
import type { PresealChain } from '../../chain/handle.ts'
import type { Wallet } from './wallet.ts'
import type { WalletOptions } from './walletOptions.ts'

/** The chain of a test; `advance` rejects with a ClockNotManualError unless `chainClock` is `'manual'`. */
export type TestChain = PresealChain & Pick<ManualClock, 'advance'>

/** The options of a test, for `test.use` and for `use` in Playwright's configuration. */
export interface PresealTestOptions {
  /** The options of the chain; by default `{}`. The clock is `chainClock`, and each chain has its own database. */
  readonly chainOptions: Omit<ChainOptions, 'clock' | 'database'>
  /**
   * The clock of the chain. Under `'system'`, the default, the chain makes its blocks in real time. Under `'manual'` its
   * time stands still until `await chain.advance(ms)`, which advances `page.clock` of all pages by as much: pages begin
   * at the time of the chain, and their clocks also run in real time unless the test pauses them.
   */
  readonly chainClock: 'system' | 'manual'
  /**
   * Where the app expects its node: requests of pages at this URL are answered by the chain, from the preconf view for
   * stock clients. A glob pattern as of `page.route`, or a regular expression; by default undefined, and none is answered.
   */
  readonly rpcUrl: string | RegExp | undefined
  /** The settings of the wallets; by default `{}`. */
  readonly walletOptions: WalletOptions
}

/** The fixtures of a test. */
export interface PresealTestFixtures {
  /** The chain, in the test's own process: a new one for each test, which is closed when the test ends. */
  readonly chain: TestChain
  /** The wallet in the pages of the fixtures `page` and `context`. */
  readonly wallet: Wallet
}
