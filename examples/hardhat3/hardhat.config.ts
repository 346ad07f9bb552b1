/** Hardhat 3 on chains in its process. */
import toolbox from '@nomicfoundation/hardhat-toolbox-mocha-ethers'
import { defineConfig } from 'hardhat/config'
import preseal from 'preseal/hardhat'

export default defineConfig({
  plugins: [preseal, toolbox],
  solidity: '0.8.37',
  networks: {
    // A block for each transaction, as on Hardhat's own network.
    default: { type: 'edr-simulated', preseal: true },
    // The network of `npx hardhat node`.
    node: { type: 'edr-simulated', preseal: true },
    // A preconf block every 200 ms and a block every 2 s, on a clock that tests advance.
    live: {
      type: 'edr-simulated',
      mining: { auto: false, interval: 2000 },
      preseal: { view: 'live', clock: 'manual' },
    },
  },
})
