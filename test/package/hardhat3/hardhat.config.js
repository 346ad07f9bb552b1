/** The example with its compiler by path. */
import example from './example.config.ts'
import { solidity } from './solidity.js'

export default { ...example, solidity, paths: { tests: 'test/ethers' } }
