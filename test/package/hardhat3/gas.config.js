/** A suite whose gas is measured on preseal, and on Hardhat's own network if `OWN` is true. */
import toolbox from '@nomicfoundation/hardhat-toolbox-mocha-ethers'
import preseal from 'preseal/hardhat'
import { solidity } from './solidity.js'

export default {
  plugins: [preseal, toolbox],
  solidity,
  networks: { default: { type: 'edr-simulated', preseal: process.env.OWN !== 'true' } },
  paths: { tests: process.env.TESTS },
}
