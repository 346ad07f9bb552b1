/** In which order test files run. */
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take long, the longest first: begun last, one of them would keep a single worker busy at the end. */
const SLOW: readonly string[] = [
  'node/playground',
  'node/examples',
  'node/cli',
  'payload/payload',
  'sequencer/longAdvance',
  'conformance/state',
  'node/server/clients',
  'conformance/junk',
  'import/importBlocks',
  'browser/worker',
]

export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = SLOW.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`))
      return at < 0 ? SLOW.length : at
    }
    // What is equal stays in vitest's own order.
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}
