/** preseal/vitest: a chain for every test, as fixtures; vitest is a peer dependency. */
export { createChainTest } from './createChainTest.ts'
export type {
  ChainFixtures,
  ChainTestFixtures,
  ChainTestOptions,
  TestChainOptions,
} from './fixtures.ts'
