import { createChainTest } from '../../dist/vitest.js'
import { deploy, TESTS, use } from './suite.ts'

const test = createChainTest({ deploy })

test.for(TESTS)('%i', (_, { chain, standard, preconf, clock, preconfirm }) =>
  use({ chain, standard, preconf, clock, preconfirm }),
)
