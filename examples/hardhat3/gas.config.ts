/** A project whose tests fail if their gas differs from `.gas-snapshot` by more than one percent. */
import toolbox from '@nomicfoundation/hardhat-toolbox-mocha-ethers'
import { defineConfig } from 'hardhat/config'
import preseal from 'preseal/hardhat'

export default defineConfig({
  plugins: [preseal, toolbox],
  solidity: '0.8.37',
  networks: { default: { type: 'edr-simulated', preseal: true } },
  preseal: { gas: { snapshot: true, tolerance: 1 } },
})
