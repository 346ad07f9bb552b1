/**
 * Judges a change in some twenty minutes: the commands of the README, the checks, and the trials of the package that the
 * change can affect. The last line is the sum of the tests.
 *
 * The change is all that differs from the newest commit that is over a day old, or from `PRESEAL_BASE`.
 */
import { changesSince, git } from './git.ts'
import { Lane } from './lane.ts'
import { TRIALS, trialsOf } from './trials.ts'

/** The trials of the change; all of them if it is not known what has changed. */
function findTrials(): { readonly trials: readonly string[]; readonly reason: string } {
  const base = process.env['PRESEAL_BASE'] ?? git(['rev-list', '-1', '--before=1 day ago', 'HEAD']).trim()
  try {
    const changes = changesSince(base)
    return { trials: trialsOf(changes), reason: `${changes.length} files changed since ${base}` }
  } catch {
    return { trials: TRIALS, reason: `there is no commit ${base || 'over a day old'} to compare with` }
  }
}

const { trials, reason } = findTrials()
const lane = new Lane()
// The build that the others share.
await lane.step('npm', 'run', 'build')
await lane.step('npm', 'run', 'demo')
await lane.tests(['npm', 'test'])
await lane.step('npm', 'run', 'check')
const files = trials.map((trial) => `test/package/${trial}.trial.ts`)
await lane.tests(['npm', 'run', 'test:package', '--', ...files])
const left = TRIALS.filter((trial) => !trials.includes(trial))
lane.note(
  `trials that ran, as ${reason}: ${trials.join(', ')}`,
  `not run: npm run test:full${left.length > 0 ? `, and the trials ${left.join(', ')}` : ''}`,
)
lane.end()
