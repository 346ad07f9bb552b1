import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { playwright } from '@vitest/browser-playwright'
import { defineConfig } from 'vitest/config'
import { LAUNCH_OPTIONS, SKIPS_CHROMIUM } from './test/node/chromium.ts'
import { createReporters } from './test/node/reporters.ts'
import { SlowFirst } from './test/node/slowFirst.ts'

/** The package by its name. The first that begins an import's name counts. */
const alias = {
  'preseal/errors': fileURLToPath(new URL('src/errors/index.ts', import.meta.url)),
  'preseal/server': fileURLToPath(new URL('src/server/index.ts', import.meta.url)),
  'preseal/ethers': fileURLToPath(new URL('src/ethers/index.ts', import.meta.url)),
  'preseal/viem': fileURLToPath(new URL('src/viem/index.ts', import.meta.url)),
  'preseal/worker': fileURLToPath(new URL('src/worker/index.ts', import.meta.url)),
  'preseal/vitest': fileURLToPath(new URL('src/vitest/index.ts', import.meta.url)),
  preseal: fileURLToPath(new URL('test/checkedPreseal.ts', import.meta.url)),
}

/**
 * What a browser could change, which `npm test` runs in Chromium too. `npm run test:full` runs there all that runs in Node,
 * but for `test/node/`.
 */
const FOR_BROWSERS = [
  // What needs a page, and providers that announce themselves to one.
  'test/browser/**/*.test.ts',
  'test/chain/announceProvider.test.ts',
  // WebAssembly, and JavaScript in its place.
  'test/crypto/**/*.test.ts',
  'test/protocol/kzg.test.ts',
  'test/evm/blobs.test.ts',
  // Bytes, text, time and events, by what each engine has of its own; streams that compress.
  'test/primitives/**/*.test.ts',
  'test/cheats/stateFile.test.ts',
  // Messages between threads, and clients with transports of theirs.
  'test/worker/**/*.test.ts',
  'test/clients/**/*.test.ts',
  'test/viem/**/*.test.ts',
  'test/ethers/**/*.test.ts',
  // One call of each method, the official vectors, and hashes that are the same everywhere.
  'test/rpc/everyMethod.test.ts',
  'test/conformance/vectors.test.ts',
  'test/story.test.ts',
  'test/sequencer/determinism.test.ts',
  // What the README shows of test runners.
  'examples/testRunners/*.test.ts',
]

const EVERYTHING = ['test/**/*.test.ts', 'examples/testRunners/*.test.ts']

/** Where random runs begin: always the same, or in a full run at random, unless it is told where. */
function randomOf(full: boolean) {
  const { PRESEAL_SEED: seed, PRESEAL_RUNS: factor } = process.env
  const fixed = full ? Math.floor(Math.random() * 2 ** 31) : 1
  return { full, seed: seed === undefined ? fixed : Number(seed), factor: Number(factor ?? 1) }
}

/** What collects tests and skips them, if there is no Chromium to run them in. */
const skipping = SKIPS_CHROMIUM && { runner: 'test/node/skippingRunner.ts' }

export default defineConfig(({ mode }) => {
  const random = randomOf(mode === 'full')
  const timeout = random.full ? 3_600_000 : 60_000
  // A test without an assertion cannot fail.
  const common = { testTimeout: timeout, hookTimeout: timeout, expect: { requireAssertions: true } }
  return {
    test: {
      globalSetup: 'test/node/serveVectors.ts',
      provide: { random },
      reporters: createReporters(({ project }) => ['chromium', 'playground'].includes(project.name), random),
      // Each worker waits at times: for a socket, a process, the clock.
      maxWorkers: Math.max(2, availableParallelism() - 1),
      sequence: { sequencer: SlowFirst },
      projects: [
        {
          resolve: { alias },
          test: {
            name: 'node',
            include: EVERYTHING,
            setupFiles: 'test/setup.ts',
            exclude: ['test/browser/**', 'test/node/playground.test.ts'],
            // Loading the modules anew for each file takes three times as long as the tests.
            isolate: false,
            ...common,
          },
        },
        {
          test: {
            name: 'playground',
            include: ['test/node/playground.test.ts'],
            globalSetup: 'test/node/chromium.ts',
            ...skipping,
            ...common,
          },
        },
        {
          // In a worker there is no test, and so no end of one for the oracle.
          resolve: { alias: { ...alias, preseal: fileURLToPath(new URL('src/index.ts', import.meta.url)) } },
          test: {
            // `--project chromium` is the browser's instance, or this project if there is no browser.
            name: SKIPS_CHROMIUM ? 'chromium' : 'browser',
            include: random.full ? EVERYTHING : FOR_BROWSERS,
            // One page makes a fifth of the random runs in the time that Node's workers take for theirs.
            provide: { random: { ...random, factor: random.factor / 5 } },
            exclude: ['test/node/**'],
            setupFiles: 'test/setup.ts',
            globalSetup: 'test/node/chromium.ts',
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
      ],
    },
  }
})
