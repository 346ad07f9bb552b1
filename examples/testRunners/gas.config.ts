/** vitest with a gas report that is compared with `.gas-snapshot`: npx vitest run --config gas.config.ts */
import { createGasReporter } from 'preseal/gas'
import { defineConfig } from 'vitest/config'
import { Token } from '../contracts/token.ts'

export default defineConfig({
  test: {
    reporters: [
      'default',
      // Or the artifacts folder of Hardhat ('artifacts') or Foundry ('out').
      createGasReporter({ artifacts: { Token }, snapshot: true, tolerance: 1 }),
    ],
  },
})
