/** Measures the coverage of Solidity in vitest's tests: Hardhat's build info is in `artifacts`. */
import { solidityCoverage } from 'preseal/coverage'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  plugins: [solidityCoverage({ artifacts: 'artifacts' })],
})
