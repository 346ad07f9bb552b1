/** preseal/vitest: a chain for every test, as fixtures; vitest is the user's own. */
export { createChainTest } from './createChainTest.ts'
export type {
  ChainFixtures,
  ChainTestFixtures,
  ChainTestOptions,
  TestChainOptions,
} from './fixtures.ts'
