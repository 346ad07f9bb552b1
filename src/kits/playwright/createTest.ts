/** Playwright fixtures: a chain for each test, and a wallet for each browser context. */

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

/** The options of a test, for `test.use`, and for `use` in Playwright's configuration. */
export interface PresealTestOptions {
  /** The options of the chain; by default `{}`. `chainClock` chooses the clock, and there can be no database. */
  readonly chainOptions: Omit<ChainOptions, 'clock' | 'database'>
  /**
   * The clock of the chain. Under `'system'` (the default), it runs in real time. Under `'manual'`, it stands still
   * until `await chain.advance(ms)`, which also advances `page.clock` of all pages. The pages' clocks start at the
   * chain's time. Unlike the chain's, they also run in real time unless the test pauses them.
   */
  readonly chainClock: 'system' | 'manual'
  /**
   * The URL at which the app expects its node. The chain answers what pages request there, from the view of
   * `chain.live`. A glob pattern as for `page.route`, or a regular expression. By default undefined: no requests are
   * answered.
   */
  readonly rpcUrl: string | RegExp | undefined
  /** The options of the wallets; by default `{}`. */
  readonly walletOptions: WalletOptions
}

/** The fixtures of a test. */
export interface PresealTestFixtures {
  /** A new chain for each test, in the test's process; closed when the test ends. */
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
 * Creates a `test` with the fixtures `chain` and `wallet`; `options` are the defaults of its options. Every page of
 * every browser context that a test opens has a wallet, by EIP-6963 and as `window.ethereum`. When the test ends,
 * however it ends, the wallets are removed and the chain is closed.
 *
 * A failed test also reports the first of these errors that applies:
 *
 * - `PromptsOpenError` if prompts are open.
 * - `PagesStuckError` if `chain.advance` waits for a page.
 * - `NonceGapsError` if transactions wait because earlier nonces are missing.
 * - `TransactionsLeftError` if the chain does not make blocks in real time and transactions wait: for a tick, or, if
 *   the test timed out, for the seal. It names the missing call.
 *
 * Without such an error, a test fails with a `RejectionsLeftError` if a call of `wallet.rejectNext` rejected no prompt.
 *
 * The result can be extended by `test.extend` and merged by `mergeTests`.
 *
 * @throws InvalidOptionError and the errors of `createChain`, in each test
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
      // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's dependencies from the pattern
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
      // Creates the wallet of a context that Playwright reuses: `newContext` was not called for it.
      await presealTest.wallets.inContext(context)
      await use(context)
      // Comes before Playwright closes the context: closing ends its prompts.
      await presealTest.noteFailure()
    },
    chain: ({ presealTest }, use) => use(presealTest.chain),
    wallet: async ({ presealTest, context }, use) => use(await presealTest.wallets.inContext(context)),
  })
  // The type hides the internal fixtures.
  return extended as unknown as PresealTest
}

interface RunningTest {
  readonly chain: TestChain
  readonly wallets: Wallets
  /** If the test has failed, looks for open prompts, stuck pages and waiting transactions; keeps the first error. */
  noteFailure(): Promise<void>
}

interface TestFixtures extends PresealTestOptions, PresealTestFixtures {
  readonly presealTest: RunningTest
}

interface WorkerFixtures {
  readonly presealContexts: { onNewContext: ((context: BrowserContext) => Promise<unknown>) | undefined }
}

async function startTest(options: PresealTestOptions): Promise<Pick<RunningTest, 'chain' | 'wallets'>> {
  const { chainOptions, chainClock, rpcUrl, walletOptions } = options
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

/** Calls `onContext` with each new context before its creator gets it. @returns a function that stops the calls */
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
  // `browser.newPage` calls `newContext` too.
  browser.newContext = watched
  return () => {
    if (browser.newContext === watched) Reflect.deleteProperty(browser, 'newContext')
  }
}

/** Returns the clock with an `advance` that first advances the chain, then the pages. */
export function linkPages(clock: ManualClock, advancePages: (ms: number) => Promise<void>): ManualClock {
  return withMembers(clock, {
    async advance(ms) {
      await clock.advance(ms)
      await advancePages(ms)
    },
  })
}
