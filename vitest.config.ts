import { fileURLToPath } from 'node:url'
import { playwright } from '@vitest/browser-playwright'
import { defineConfig } from 'vitest/config'
import { LAUNCH_OPTIONS } from './test/node/chromium.ts'

const path = (file: string) => fileURLToPath(new URL(file, import.meta.url))

/** The package by its name. The first that begins an import's name counts. */
const alias = {
  'preseal/server': path('src/server/index.ts'),
  'preseal/ethers': path('src/ethers/index.ts'),
  'preseal/viem': path('src/viem/index.ts'),
  'preseal/worker': path('src/worker/index.ts'),
  preseal: path('test/checkedPreseal.ts'),
}

const timeouts = { testTimeout: 60_000, hookTimeout: 60_000 }

export default defineConfig(({ mode }) => {
  const report = process.env['PRESEAL_TEST_REPORT']
  return {
    test: {
      globalSetup: 'test/node/serveVectors.ts',
      provide: { full: mode === 'full' },
      reporters: report === undefined ? ['default'] : ['default', ['json', { outputFile: report }]],
      projects: [
        {
          resolve: { alias },
          test: {
            name: 'node',
            include: ['test/**/*.test.ts'],
            exclude: ['test/browser/**', 'test/node/playground.test.ts'],
            ...timeouts,
          },
        },
        {
          test: {
            name: 'playground',
            include: ['test/node/playground.test.ts'],
            globalSetup: 'test/node/chromium.ts',
            ...timeouts,
          },
        },
        {
          // In a worker there is no test, and so no end of one for the oracle.
          resolve: { alias: { ...alias, preseal: path('src/index.ts') } },
          test: {
            name: 'browser',
            include: ['test/**/*.test.ts'],
            exclude: ['test/node/**'],
            globalSetup: 'test/node/chromium.ts',
            isolate: false,
            browser: {
              enabled: true,
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
