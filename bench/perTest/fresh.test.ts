import { createChainTest } from '../../dist/vitest.js'
import { deploy, TESTS, use } from './suite.ts'

const test = createChainTest()

test.for(TESTS)('%i', async (_, { chain, preconf, clock }) => {
  const fixtures = { chain, preconf, clock }
  await deploy(fixtures)
  await use(fixtures)
})
