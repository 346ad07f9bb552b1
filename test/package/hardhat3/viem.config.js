/** The toolbox for viem with Node's test runner, on a chain in the process or on a served one. */
import toolbox from '@nomicfoundation/hardhat-toolbox-viem'
import preseal from 'preseal/hardhat'
import { solidity } from './solidity.js'

export default {
  // The order makes no difference.
  plugins: [toolbox, preseal],
  solidity,
  networks: {
    default: { type: 'edr-simulated', preseal: true },
    preseal: { type: 'http', url: process.env.PRESEAL_URL ?? 'http://localhost' },
  },
  paths: { tests: 'test/viem' },
}
