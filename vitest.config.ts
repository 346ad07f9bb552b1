import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

export default defineConfig(({ mode }) => {
  const report = process.env['PRESEAL_TEST_REPORT']
  return {
    test: {
      globalSetup: 'test/node/serveVectors.ts',
      provide: { full: mode === 'full' },
      reporters: report === undefined ? ['default'] : ['default', ['json', { outputFile: report }]],
      projects: [
        {
          // The examples import the package by its name.
          resolve: {
            // The first that begins an import's name counts.
            alias: {
              'preseal/server': fileURLToPath(new URL('src/server/index.ts', import.meta.url)),
              'preseal/ethers': fileURLToPath(new URL('src/ethers/index.ts', import.meta.url)),
              'preseal/viem': fileURLToPath(new URL('src/viem/index.ts', import.meta.url)),
              preseal: fileURLToPath(new URL('test/checkedPreseal.ts', import.meta.url)),
            },
          },
          test: {
            name: 'node',
            include: ['test/**/*.test.ts'],
            testTimeout: 60_000,
            hookTimeout: 60_000,
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
