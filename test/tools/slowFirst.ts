/** The order in which test files run. */
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Slow files, the slowest first, so that none of them is left for a single worker at the end. */
const SLOW: readonly string[] = [
  'docs/playground.node',
  'docs/examples.node',
  'ethereum/evm/engine/randomPrograms',
  'kits/cli/database.node',
  'kits/cli/cli.node',
  'core/import/executeBlock',
  'core/sequencer/longAdvance',
  'conformance/state',
  'conformance/blocks',
  'kits/server/clients.node',
  'conformance/junk',
  'core/import/importBlocks',
  // Also the first that opens a database, after which Chromium would not read the quota anew.
  'database/database.browser',
  'kits/worker/worker.browser',
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
