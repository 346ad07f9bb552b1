import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { playwright } from '@vitest/browser-playwright'
import { defineConfig } from 'vitest/config'
import { buildWalletScript, WALLET_SCRIPT_MODULE } from './scripts/walletScript.ts'
import { LAUNCH_OPTIONS, SKIPS_CHROMIUM } from './test/tools/chromium.ts'
import { createReporters } from './test/tools/reporters.ts'
import { SlowFirst } from './test/tools/slowFirst.ts'

/** The package's entries. The first key that an import starts with applies, so `preseal` comes last. */
const alias = {
  'preseal/errors': fileURLToPath(new URL('src/kits/errors/index.ts', import.meta.url)),
  'preseal/server': fileURLToPath(new URL('src/kits/server/index.ts', import.meta.url)),
  'preseal/ethers': fileURLToPath(new URL('src/kits/ethers/index.ts', import.meta.url)),
  'preseal/gas': fileURLToPath(new URL('src/kits/gas/index.ts', import.meta.url)),
  'preseal/viem': fileURLToPath(new URL('src/kits/viem/index.ts', import.meta.url)),
  'preseal/worker': fileURLToPath(new URL('src/kits/worker/index.ts', import.meta.url)),
  'preseal/explain': fileURLToPath(new URL('src/inspect/explain/index.ts', import.meta.url)),
  'preseal/playwright': fileURLToPath(new URL('src/kits/playwright/index.ts', import.meta.url)),
  'preseal/prool': fileURLToPath(new URL('src/kits/prool/index.ts', import.meta.url)),
  'preseal/vitest': fileURLToPath(new URL('src/kits/vitest/index.ts', import.meta.url)),
  preseal: fileURLToPath(new URL('test/checkedPreseal.ts', import.meta.url)),
}

/**
 * The tests whose results can depend on the browser; `npm test` runs them in Chromium too.
 * `npm run test:full` runs all tests there, except those that need Node.
 */
const FOR_BROWSERS = [
  // Tests that need a page, and the announcement of providers to a page.
  'test/**/*.browser.test.ts',
  'test/chain/announceProvider.test.ts',
  // WebAssembly, and its fallback in JavaScript.
  'test/base/crypto/**/*.test.ts',
  // Bytes, text, time and events, which each engine implements itself; compression streams.
  'test/base/*.test.ts',
  'test/core/cheats/stateFile.test.ts',
  // Messages between threads, and clients with their own transports.
  'test/kits/worker/**/*.test.ts',
  'test/clients/**/*.test.ts',
  'test/kits/viem/**/*.test.ts',
  'test/kits/ethers/**/*.test.ts',
  // The official vectors, and hashes that are the same everywhere.
  'test/conformance/vectors.test.ts',
  'test/story.test.ts',
  'test/core/sequencer/determinism.test.ts',
  // The guide's examples of test runners.
  'examples/testRunners/*.test.ts',
]

/** Tests that need Node, and an example that reads a file. */
const FOR_NODE = ['test/**/*.node.test.ts', 'examples/testRunners/fork.test.ts']

/** Tests in Node that drive Chromium. */
const PLAYGROUND = 'test/docs/playground.node.test.ts'
const PLAYWRIGHT = 'test/kits/playwright/*.node.test.ts'

/** The tests of chains that run transactions. `npm run test:full` repeats them on the engine that is not the default. */
const FOR_ENGINES = [
  'test/*.test.ts',
  'test/{chain,rpc}/**/*.test.ts',
  'test/core/{accounts,cheats,open,sequencer,trace,view}/**/*.test.ts',
  'test/core/import/{importBlocks,executeAgain}.test.ts',
]

/**
 * Tests of examples, snippets and pages, of databases and forks in pages, of killed processes, of blocks of megabytes and of the
 * suite itself, which take minutes: `npm run test:full` alone runs them, and those that drive Chromium.
 */
const FULL_ONLY = [
  'test/database/database.browser.test.ts',
  'test/core/fork/fork.browser.test.ts',
  'test/kits/worker/worker.browser.test.ts',
  'test/tools/chromium.node.test.ts',
  'test/docs/snippets.node.test.ts',
  'test/docs/examples.node.test.ts',
  'test/inspect/explain/page.node.test.ts',
  'test/kits/gas/reporter.node.test.ts',
  'test/kill/kill.node.test.ts',
  'test/kits/server/web3.node.test.ts',
  'test/core/block/payload.test.ts',
]

const EVERYTHING = ['test/**/*.test.ts', 'examples/testRunners/*.test.ts', 'examples/starter/test/*.test.ts']

/** The settings of random runs. By default the seed is 1, or random in a full run. */
function randomOf(full: boolean) {
  const { PRESEAL_SEED: seed, PRESEAL_RUNS: factor } = process.env
  const fixed = full ? Math.floor(Math.random() * 2 ** 31) : 1
  return { full, seed: seed === undefined ? fixed : Number(seed), factor: Number(factor ?? 1) }
}

/** Replaces the module that stands for the script of pages, as the build does. */
const embedWalletScript = {
  name: 'embed-wallet-script',
  load: (id: string) => (WALLET_SCRIPT_MODULE.test(id) ? buildWalletScript() : undefined),
}

/** Skips all tests of the projects that need Chromium, if there is none. */
const skipping = SKIPS_CHROMIUM && { runner: 'test/tools/skippingRunner.ts' }

export default defineConfig(({ mode }) => {
  const random = randomOf(mode === 'full')
  const timeout = random.full ? 3_600_000 : 60_000
  // A test without an assertion cannot fail.
  const common = { testTimeout: timeout, hookTimeout: timeout, expect: { requireAssertions: true } }
  return {
    test: {
      globalSetup: 'test/tools/serveVectors.ts',
      provide: { random, engine: 'preseal' as const },
      reporters: createReporters(
        ({ project }) => ['chromium', 'playground', 'playwright'].includes(project.name),
        random,
      ),
      // At least two, since a worker is sometimes idle: it waits for a socket, a process or the clock.
      maxWorkers: Math.max(2, availableParallelism() - 1),
      sequence: { sequencer: SlowFirst },
      projects: [
        {
          resolve: { alias },
          test: {
            name: 'node',
            include: EVERYTHING,
            setupFiles: 'test/setup.ts',
            exclude: ['test/**/*.browser.test.ts', PLAYGROUND, PLAYWRIGHT, ...(random.full ? [] : FULL_ONLY)],
            // Loading the modules again for each file would take three times as long as the tests.
            isolate: false,
            ...common,
          },
        },
        ...(random.full
          ? [
              {
                resolve: { alias },
                test: {
                  name: 'ethereumjs',
                  include: FOR_ENGINES,
                  setupFiles: 'test/setup.ts',
                  provide: {
                    engine: 'ethereumjs' as const,
                    random: { ...random, factor: random.factor / 5 },
                  },
                  // That engine does not pause within an execution; and the time that a chain skips has no transactions.
                  exclude: [...FOR_NODE, 'test/limits.test.ts', 'test/core/sequencer/longAdvance.test.ts'],
                  isolate: false,
                  ...common,
                },
              },
              {
                test: {
                  name: 'playground',
                  include: [PLAYGROUND],
                  globalSetup: 'test/tools/chromium.ts',
                  ...skipping,
                  ...common,
                },
              },
              {
                plugins: [embedWalletScript],
                resolve: { alias },
                test: {
                  name: 'playwright',
                  include: [PLAYWRIGHT],
                  setupFiles: 'test/setup.ts',
                  globalSetup: 'test/tools/chromium.ts',
                  // The files share a browser.
                  isolate: false,
                  ...skipping,
                  ...common,
                },
              },
            ]
          : []),
        {
          // Web workers import `preseal` too, and the oracle's harness is for tests only.
          resolve: { alias: { ...alias, preseal: fileURLToPath(new URL('src/index.ts', import.meta.url)) } },
          test: {
            // `--project chromium` is the browser's instance, or this project if there is no browser.
            name: SKIPS_CHROMIUM ? 'chromium' : 'browser',
            include: random.full ? EVERYTHING : FOR_BROWSERS,
            // One page takes as long for a fifth of the random runs as Node's workers take for all of them.
            provide: { random: { ...random, factor: random.factor / 5 } },
            exclude: [...FOR_NODE, ...(random.full ? [] : FULL_ONLY)],
            setupFiles: 'test/setup.ts',
            globalSetup: ['test/tools/chromium.ts', ...(SKIPS_CHROMIUM ? [] : ['test/tools/serveChains.ts'])],
            // One page for all files, so that each module is loaded once.
            isolate: false,
            ...skipping,
            browser: {
              enabled: !SKIPS_CHROMIUM,
              headless: true,
              fileParallelism: false,
              screenshotFailures: false,
              provider: playwright({ launchOptions: LAUNCH_OPTIONS }),
              instances: [{ browser: 'chromium', name: 'chromium' }],
            },
            ...common,
          },
        },
        // `npm run types` compiles them too.
        ...(random.full
          ? [
              {
                test: {
                  name: 'types',
                  include: [],
                  typecheck: {
                    enabled: true,
                    only: true,
                    include: ['test/types/**/*.test-d.ts'],
                    tsconfig: 'test/types/tsconfig.json',
                  },
                },
              },
            ]
          : []),
      ],
    },
  }
})
