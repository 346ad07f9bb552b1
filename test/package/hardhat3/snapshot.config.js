/** A suite whose gas is compared with a snapshot, by the options in `GAS`, in parallel if `PARALLEL` is true. */
import toolbox from '@nomicfoundation/hardhat-toolbox-mocha-ethers'
import preseal from 'preseal/hardhat'
import { solidity } from './solidity.js'

export default {
  plugins: [preseal, toolbox],
  solidity,
  networks: { default: { type: 'edr-simulated', preseal: true } },
  preseal: { gas: JSON.parse(process.env.GAS ?? '{"snapshot":true}') },
  paths: { tests: process.env.TESTS },
  test: { mocha: { parallel: process.env.PARALLEL === 'true', jobs: 2 } },
}
