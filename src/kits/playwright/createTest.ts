/** The fixtures: each test has a chain, and each browser context a wallet. */

import {
  type Browser,
  type BrowserContext,
  test as base,
  type PlaywrightTestArgs,
  type PlaywrightTestOptions,
  type PlaywrightWorkerArgs,
  type PlaywrightWorkerOptions,
  type TestType,
} from '@playwright/test'
import { systemClock } from '../../base/clock.ts'
import { createManualClock, type ManualClock } from '../../base/manualClock.ts'
import { check } from '../../base/options/option.ts'
import { withMembers } from '../../base/withMembers.ts'
import { createChain } from '../../chain/chain.ts'
import type { PresealChain } from '../../chain/handle.ts'
import type { ChainOptions } from '../../core/options.ts'
import { findLeftTransactions } from './leftTransactions.ts'
import type { Wallet } from './wallet.ts'
import { resolveWalletOptions, type WalletOptions } from './walletOptions.ts'
import { Wallets } from './wallets.ts'

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

/** Playwright's `test` with the fixtures `chain` and `wallet`. */
export type PresealTest = TestType<
  PlaywrightTestArgs & PlaywrightTestOptions & PresealTestOptions & PresealTestFixtures,
  PlaywrightWorkerArgs & PlaywrightWorkerOptions
>

/**
 * Creates a `test` with the fixtures `chain` and `wallet`, whose options have these defaults. Every page of every browser
 * context that a test opens has the wallet, by EIP-6963 and as `window.ethereum`. When the test ends, the wallets are
 * removed and the chain is closed, however it ends; a test that fails while prompts are open also fails with a
 * `PromptsOpenError`, and one that fails while `chain.advance` waits for a page with a `PagesStuckError`. If there are none, and
 * the chain makes no blocks in real time, a test that fails while transactions wait for a tick, or waits in vain while they
 * wait for the seal, also fails with a `TransactionsLeftError`, which says what was expected of it. A test that has called
 * `wallet.rejectNext` in vain fails with a `RejectionsLeftError`.
 *
 * The result can be extended by `test.extend`, and merged with others by `mergeTests`.
 *
 * @throws InvalidOptionError in the tests, and whatever else `createChain` throws
 * @example
 * const test = createTest({ chainOptions: { mining: 'manual' }, walletOptions: { connected: true } })
 *
 * test('shows the balance', async ({ page, chain }) => {
 *   await page.goto('/')
 *   await chain.setBalance(chain.accounts[0].address, 10n ** 18n)
 *   await expect(page.getByText('1 ETH')).toBeVisible()
 * })
 */
export function createTest(options: Partial<PresealTestOptions> = {}): PresealTest {
  const { chainOptions = {}, chainClock = 'system', rpcUrl, walletOptions = {} } = options
  const extended = base.extend<TestFixtures, WorkerFixtures>({
    chainOptions: [chainOptions, { option: true }],
    chainClock: [chainClock, { option: true }],
    rpcUrl: [rpcUrl, { option: true }],
    walletOptions: [walletOptions, { option: true }],
    presealContexts: [
      // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from the pattern what a fixture needs
      async ({}, use) => use({ onNewContext: undefined }),
      { scope: 'worker' },
    ],
    browser: [
      async ({ browser, presealContexts }, use) => {
        const restore = watchNewContexts(browser, (context) => presealContexts.onNewContext?.(context))
        await use(browser)
        restore()
      },
      { scope: 'worker' },
    ],
    presealTest: [
      async ({ chainOptions, chainClock, rpcUrl, walletOptions, presealContexts }, use, testInfo) => {
        const { chain, wallets } = await startTest({ chainOptions, chainClock, rpcUrl, walletOptions })
        let cause: Error | undefined
        const noteFailure = async (): Promise<void> => {
          if (testInfo.status === testInfo.expectedStatus) return
          cause ??=
            (await wallets.findOpenPrompts()) ??
            wallets.findStuckPages() ??
            (await findLeftTransactions(chain, testInfo))
        }
        presealContexts.onNewContext = (context) => wallets.inContext(context)
        try {
          await use({ chain, wallets, noteFailure })
        } finally {
          presealContexts.onNewContext = undefined
          await noteFailure()
          cause ??= await wallets.findUnusedRejections()
          try {
            await wallets.end()
          } finally {
            await chain.close()
          }
          // biome-ignore lint/correctness/noUnsafeFinally: nothing else was thrown by then
          if (cause !== undefined) throw cause
        }
      },
      { auto: true },
    ],
    context: async ({ context, presealTest }, use) => {
      // A context that Playwright reuses was not made by `newContext`.
      await presealTest.wallets.inContext(context)
      await use(context)
      // Playwright closes it next, which ends its prompts.
      await presealTest.noteFailure()
    },
    chain: ({ presealTest }, use) => use(presealTest.chain),
    wallet: async ({ presealTest, context }, use) => use(await presealTest.wallets.inContext(context)),
  })
  // The type hides the internal fixtures from tests.
  return extended as unknown as PresealTest
}

interface RunningTest {
  readonly chain: TestChain
  readonly wallets: Wallets
  /** If the test has failed, finds the prompts that are open or the transactions that wait, which an error then reports. */
  noteFailure(): Promise<void>
}

interface TestFixtures extends PresealTestOptions, PresealTestFixtures {
  readonly presealTest: RunningTest
}

interface WorkerFixtures {
  readonly presealContexts: { onNewContext: ((context: BrowserContext) => Promise<unknown>) | undefined }
}

/** @throws InvalidOptionError, and what `createChain` throws; nothing is left open then. */
async function startTest({
  chainOptions,
  chainClock,
  rpcUrl,
  walletOptions,
}: PresealTestOptions): Promise<Pick<RunningTest, 'chain' | 'wallets'>> {
  check(chainClock === 'system' || chainClock === 'manual', 'chainClock', "'system' or 'manual'")
  const { clock: given, database }: ChainOptions = chainOptions
  check(given === undefined, 'chainOptions.clock', 'no value: the option chainClock chooses the clock')
  check(database === undefined, 'chainOptions.database', 'no value: each chain has its own database')
  const resolved = resolveWalletOptions(walletOptions)
  const manual = chainClock === 'manual' ? createManualClock() : undefined
  const clock = manual === undefined ? systemClock : linkPages(manual, (ms) => wallets.advancePages(ms))
  const chain = (await createChain({ ...chainOptions, clock })) as TestChain
  const wallets = new Wallets(chain, resolved, { rpcUrl, readTime: manual && (() => manual.now()) })
  return { chain, wallets }
}

/** Calls `onContext` with each new context before its creator gets it. @returns a function that ends this. */
function watchNewContexts(
  browser: Browser,
  onContext: (context: BrowserContext) => Promise<unknown> | undefined,
): () => void {
  const newContext = browser.newContext.bind(browser)
  const watched: Browser['newContext'] = async (options) => {
    const context = await newContext(options)
    try {
      await onContext(context)
    } catch (error) {
      await context.close()
      throw error
    }
    return context
  }
  // `browser.newPage` calls it too.
  browser.newContext = watched
  return () => {
    if (browser.newContext === watched) Reflect.deleteProperty(browser, 'newContext')
  }
}

/** The clock itself, except that `advance` also calls `advancePages` with the same time once the chain has advanced. */
export function linkPages(clock: ManualClock, advancePages: (ms: number) => Promise<void>): ManualClock {
  return withMembers(clock, {
    async advance(ms) {
      await clock.advance(ms)
      await advancePages(ms)
    },
  })
}
