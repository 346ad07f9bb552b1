/** Hardhat's own network, and one of the plugin. */
import toolbox from '@nomicfoundation/hardhat-toolbox-mocha-ethers'
import preseal from 'preseal/hardhat'
import { solidity } from './solidity.js'

export default {
  plugins: [preseal, toolbox],
  solidity,
  networks: { served: { type: 'edr-simulated', preseal: true } },
}
