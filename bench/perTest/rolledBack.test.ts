import { createChainTest } from '../../dist/vitest.js'
import { deploy, TESTS, use } from './suite.ts'

const test = createChainTest({ deploy })

test.for(TESTS)('%i', (_, { chain, preconf, clock }) => use({ chain, preconf, clock }))
