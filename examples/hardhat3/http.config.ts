/** Hardhat 3 on a chain that `npx preseal` serves. */
import toolbox from '@nomicfoundation/hardhat-toolbox-mocha-ethers'
import { defineConfig } from 'hardhat/config'

export default defineConfig({
  plugins: [toolbox],
  solidity: '0.8.37',
  networks: {
    preseal: { type: 'http', url: process.env.PRESEAL_URL ?? 'http://127.0.0.1:8545' },
  },
})
