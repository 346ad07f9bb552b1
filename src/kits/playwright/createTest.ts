/** Fixtures: each test has a chain, and each browser context a wallet. */

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
  /** The options of the chain; by default `{}`. `chainClock` sets the clock, and each chain has a separate database. */
  readonly chainOptions: Omit<ChainOptions, 'clock' | 'database'>
  /**
   * The clock of the chain. Under `'system'` (the default), the chain makes blocks in real time. Under `'manual'`, time
   * stands still until `await chain.advance(ms)`, which also advances `page.clock` of all pages. Pages start at the chain's
   * time, and their clocks also run in real time unless the test pauses them.
   */
  readonly chainClock: 'system' | 'manual'
  /**
   * The URL of the app's node: the chain answers pages' requests to it, from the preconf view for stock clients. A glob
   * pattern as for `page.route`, or a regular expression; by default undefined, for none.
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
 * Creates a `test` with the fixtures `chain` and `wallet`; `options` are the defaults of its options. Every page of every
 * browser context that a test opens has the wallet, by EIP-6963 and as `window.ethereum`. When the test ends, however it
 * ends, the wallets are removed and the chain is closed.
 *
 * A failed test also fails with a `PromptsOpenError` if prompts are open, or with a `PagesStuckError` if `chain.advance`
 * waits for a page. If there are none, and the chain does not make blocks in real time, a test that fails while
 * transactions wait for a tick, or times out while they wait for the seal, also fails with a `TransactionsLeftError`, which
 * names the missing call. A test fails with a `RejectionsLeftError` if no prompt used its `wallet.rejectNext`.
 *
 * The result can be extended by `test.extend` and merged by `mergeTests`.
 *
 * @throws InvalidOptionError in the tests, and the errors of `createChain`
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
      // If Playwright reuses a context, `newContext` was not called.
      await presealTest.wallets.inContext(context)
      await use(context)
      // Before Playwright closes the context, which ends its prompts.
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
  /** If the test has failed, finds the reason to report: open prompts, stuck pages or waiting transactions. */
  noteFailure(): Promise<void>
}

interface TestFixtures extends PresealTestOptions, PresealTestFixtures {
  readonly presealTest: RunningTest
}

interface WorkerFixtures {
  readonly presealContexts: { onNewContext: ((context: BrowserContext) => Promise<unknown>) | undefined }
}

/** If it throws, nothing is left open. @throws InvalidOptionError, and the errors of `createChain` */
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

/** Calls `onContext` with each new context before its creator gets it. @returns stops it */
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

/** Makes `advance` also advance the pages, after the chain. */
export function linkPages(clock: ManualClock, advancePages: (ms: number) => Promise<void>): ManualClock {
  return withMembers(clock, {
    async advance(ms) {
      await clock.advance(ms)
      await advancePages(ms)
    },
  })
}
