import { fileURLToPath } from 'node:url'
import { playwright } from '@vitest/browser-playwright'
import { defineConfig } from 'vitest/config'
import { LAUNCH_OPTIONS, SKIPS_CHROMIUM } from './test/node/chromium.ts'
import { createReporters } from './test/node/reporters.ts'

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

const timeouts = { testTimeout: 60_000, hookTimeout: 60_000 }

/** What collects tests and skips them, if there is no Chromium to run them in. */
const skipping = SKIPS_CHROMIUM && { runner: 'test/node/skippingRunner.ts' }

export default defineConfig(({ mode }) => {
  return {
    test: {
      globalSetup: 'test/node/serveVectors.ts',
      provide: { full: mode === 'full' },
      reporters: createReporters(({ project }) => ['chromium', 'playground'].includes(project.name)),
      projects: [
        {
          resolve: { alias },
          test: {
            name: 'node',
            include: ['test/**/*.test.ts', 'examples/testRunners/*.test.ts'],
            exclude: ['test/browser/**', 'test/node/playground.test.ts'],
            // Loading the modules anew for each file takes three times as long as the tests.
            isolate: false,
            ...timeouts,
          },
        },
        {
          test: {
            name: 'playground',
            include: ['test/node/playground.test.ts'],
            globalSetup: 'test/node/chromium.ts',
            ...skipping,
            ...timeouts,
          },
        },
        {
          // In a worker there is no test, and so no end of one for the oracle.
          resolve: { alias: { ...alias, preseal: fileURLToPath(new URL('src/index.ts', import.meta.url)) } },
          test: {
            // `--project chromium` is the browser's instance, or this project if there is no browser.
            name: SKIPS_CHROMIUM ? 'chromium' : 'browser',
            include: ['test/**/*.test.ts', 'examples/testRunners/*.test.ts'],
            exclude: ['test/node/**'],
            globalSetup: 'test/node/chromium.ts',
            // One page for all files, so that each module is loaded once.
            isolate: false,
            ...skipping,
            browser: {
              enabled: !SKIPS_CHROMIUM,
              headless: true,
              screenshotFailures: false,
              provider: playwright({ launchOptions: LAUNCH_OPTIONS }),
              instances: [{ browser: 'chromium', name: 'chromium' }],
            },
            ...timeouts,
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
