/** Options that users set: every property of a default chain must hold for each of these. */
import { ALL_CONFIGURATIONS, type Configuration } from './allConfigurations.ts'
import { FULL, runs as randomRuns } from './full.ts'

export type { Configuration }

/** The configurations of this run: all of them, or those of `npm test`. */
export const CONFIGURATIONS = ALL_CONFIGURATIONS.filter(({ runs }) => FULL || runs > 0)

/** fast-check's parameters for a configuration. */
export function runsOf({ runs }: Configuration): ReturnType<typeof randomRuns> {
  return randomRuns(runs, 30 * Math.max(1, runs))
}
