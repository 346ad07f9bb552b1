import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { createReporters } from '../node/reporters.ts'

/** The trials of the packed package; apart from `npm test`, as they build it and install tools from the registry. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    reporters: createReporters(({ moduleId }) => moduleId.endsWith('/page.trial.ts')),
    include: ['test/package/**/*.trial.ts'],
    globalSetup: ['test/package/setup.ts'],
    // Each trial starts processes of its own, which is work enough for a machine.
    fileParallelism: false,
    testTimeout: 180_000,
    hookTimeout: 600_000,
  },
})
