import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const pathOf = (file: string) => fileURLToPath(new URL(file, import.meta.url))

export default defineConfig(({ mode }) => {
  const report = process.env['PRESEAL_TEST_REPORT']
  return {
    test: {
      reporters: report === undefined ? ['default'] : ['default', ['json', { outputFile: report }]],
      projects: [
        {
          // The examples import the package by its name.
          resolve: {
            alias: [
              { find: /^preseal$/, replacement: pathOf('test/checkedPreseal.ts') },
              { find: /^preseal\/server$/, replacement: pathOf('src/server/index.ts') },
            ],
          },
          test: {
            name: 'node',
            include: ['test/**/*.test.ts'],
            testTimeout: 60_000,
            hookTimeout: 60_000,
            env: mode === 'full' ? { PRESEAL_FULL: '1' } : {},
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
