/** The reporters of a test run. */
import type { InlineConfig, TestModule } from 'vitest/node'
import { HOW_TO_INSTALL, SKIPS_CHROMIUM } from './chromium.ts'

/**
 * Vitest's own report, JSON in the file that `PRESEAL_TEST_REPORT` names, the count of tests skipped without Chromium,
 * the seed of a full run, and a note at the end, if there is one.
 */
export function createReporters(
  needsChromium: (module: TestModule) => boolean,
  { full, seed }: { readonly full: boolean; readonly seed: number } = { full: false, seed: 0 },
  note?: string,
): NonNullable<InlineConfig['reporters']> {
  const file = process.env['PRESEAL_TEST_REPORT']
  return [
    'default',
    ...(file === undefined ? [] : [['json', { outputFile: file }] satisfies [string, unknown]]),
    {
      onTestRunStart() {
        if (full)
          process.stdout.write(`random runs begin at seed ${seed}: PRESEAL_SEED=${seed} repeats them\n\n`)
      },
      onTestRunEnd(modules) {
        if (note !== undefined) process.stdout.write(`${note}\n\n`)
        if (!SKIPS_CHROMIUM) return
        const skipped = modules.filter(needsChromium).flatMap(({ children }) => [...children.allTests()])
        if (skipped.length === 0) return
        process.stdout.write(
          `${skipped.length} tests skipped, as there is no Chromium. ${HOW_TO_INSTALL}\n\n`,
        )
      },
    },
  ]
}
