/** The example of a served chain with its compiler by path. */
import example from './example/http.config.ts'
import { solidity } from './solidity.js'

export default { ...example, solidity, paths: { tests: 'test/ethers' } }
