/** The toolbox for viem and its runner, Node's. */
import toolbox from '@nomicfoundation/hardhat-toolbox-viem'
import { solidity } from './solidity.js'

export default {
  plugins: [toolbox],
  solidity,
  networks: { preseal: { type: 'http', url: process.env.PRESEAL_URL } },
  paths: { tests: 'test/viem' },
}
