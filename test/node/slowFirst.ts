/** The order in which test files run. */
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Slow files, the slowest first, so that none of them is left for a single worker at the end. */
const SLOW: readonly string[] = [
  'node/playground',
  'node/examples',
  'evm/preseal/randomPrograms',
  'node/cli/database',
  'node/cli',
  'import/executeBlock',
  'sequencer/longAdvance',
  'conformance/state',
  'conformance/blocks',
  'node/server/clients',
  'conformance/junk',
  'import/importBlocks',
  // Also the first that opens a database, after which Chromium would not read the quota anew.
  'browser/database',
  'browser/worker',
]

export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = SLOW.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`))
      return at < 0 ? SLOW.length : at
    }
    // Files of equal rank stay in vitest's order.
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}
