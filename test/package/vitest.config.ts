import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { HOW_TO_INSTALL_FIREFOX, SKIPS_FIREFOX } from '../tools/firefox.ts'
import { createReporters } from '../tools/reporters.ts'

/** The trials of the packed package; not part of `npm test`, as they build it and install tools from the registry. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    reporters: createReporters(
      ({ moduleId }) => /\/(page|playwright|smoke|web)\.trial\.ts$/.test(moduleId),
      undefined,
      SKIPS_FIREFOX
        ? `The trials in Firefox are skipped, as there is none. ${HOW_TO_INSTALL_FIREFOX}`
        : undefined,
    ),
    include: ['test/package/**/*.trial.ts'],
    globalSetup: ['test/package/setup.ts'],
    // Each trial starts processes of its own, and waits for them most of the time.
    maxWorkers: 2,
    testTimeout: 180_000,
    hookTimeout: 600_000,
  },
})
