/**
 * A suite whose gas is compared with a snapshot, by the options in `GAS`: with mocha, in parallel if `PARALLEL` is true, or with
 * Node's test runner if `RUNNER` is `nodejs`.
 */
import ethers from '@nomicfoundation/hardhat-toolbox-mocha-ethers'
import viem from '@nomicfoundation/hardhat-toolbox-viem'
import preseal from 'preseal/hardhat'
import { solidity } from './solidity.js'

export default {
  plugins: [preseal, process.env.RUNNER === 'nodejs' ? viem : ethers],
  solidity,
  networks: { default: { type: 'edr-simulated', preseal: true } },
  preseal: { gas: JSON.parse(process.env.GAS ?? '{"snapshot":true}') },
  paths: { tests: process.env.TESTS },
  test: { mocha: { parallel: process.env.PARALLEL === 'true', jobs: 2 } },
}
