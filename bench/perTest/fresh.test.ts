import { createChainTest } from '../../dist/vitest.js'
import { deploy, TESTS, use } from './suite.ts'

const test = createChainTest()

test.for(TESTS)('%i', async (_, { chain, standard, preconf, clock, preconfirm }) => {
  const fixtures = { chain, standard, preconf, clock, preconfirm }
  await deploy(fixtures)
  await use(fixtures)
})
