/** A suite whose gas `test/kits/gas/reporter.node.test.ts` has reported. */

import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { createGasReporter, type GasReporterOptions } from '../../../../src/kits/gas/index.ts'
import { Token } from '../../../contracts/artifacts.ts'

const sourceOf = (path: string) => fileURLToPath(new URL(`../../../../src/${path}`, import.meta.url))
const options: GasReporterOptions = JSON.parse(process.env['GAS_REPORTER'] ?? '{}')

export default defineConfig({
  resolve: {
    alias: {
      'preseal/viem': sourceOf('kits/viem/index.ts'),
      'preseal/vitest': sourceOf('kits/vitest/index.ts'),
    },
  },
  test: {
    root: import.meta.dirname,
    include: ['*.spec.ts'],
    reporters: ['default', createGasReporter({ artifacts: { Token }, ...options })],
  },
})
