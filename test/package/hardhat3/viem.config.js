/** The toolbox for viem with Node's test runner. */
import toolbox from '@nomicfoundation/hardhat-toolbox-viem'
import { solidity } from './solidity.js'

export default {
  plugins: [toolbox],
  solidity,
  networks: { preseal: { type: 'http', url: process.env.PRESEAL_URL } },
  paths: { tests: 'test/viem' },
}
