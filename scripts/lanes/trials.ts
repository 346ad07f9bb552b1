/** The trials of the package (test/package/), and which of them judge a change. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Change } from './git.ts'

/** The names of all trials, sorted: `node` is `test/package/node.trial.ts`. */
export const TRIALS: readonly string[] = readdirSync(join(import.meta.dirname, '../../test/package'))
  .filter((file) => file.endsWith('.trial.ts'))
  .map((file) => file.replace('.trial.ts', ''))
  .sort()

/** The trials that run for every change. */
export const SMOKE: readonly string[] = ['size', 'smoke']

/** The trials of a change of the core. */
const CORE = ['commandLine', 'node', 'typescript', 'vitest'] as const

/** The trials of each path; of those that a path begins with, the longest counts. A path that none begins runs all trials. */
const TRIALS_OF: Readonly<Record<string, readonly string[]>> = {
  'src/': CORE,
  'src/kits/cli/': ['anvil', 'commandLine'],
  'src/kits/coverage/': ['coverage', 'hardhat', 'vitest'],
  'src/base/crypto/': [...CORE, 'firefox', 'page', 'runtimes'],
  'src/kits/ethers/': ['node', 'runners', 'typescript'],
  'src/ethereum/evm/ethereumjs/': [...CORE, 'engine'],
  'src/inspect/explain/': ['failures', 'hardhat', 'solidity'],
  'src/core/fork/': [...CORE, 'anvil'],
  'src/kits/gas/': ['hardhat', 'vitest'],
  'src/kits/hardhat/': ['hardhat'],
  'src/kits/playwright/': ['playwright'],
  'src/kits/prool/': ['prool'],
  'src/rpc/hardhat/': ['hardhat'],
  'src/kits/server/': ['commandLine', 'web'],
  'src/inspect/solidity/': ['failures', 'hardhat', 'solidity'],
  'src/kits/viem/': ['node', 'runners', 'typescript', 'vitest'],
  'src/kits/vitest/': ['failures', 'vitest'],
  'src/kits/worker/': ['firefox', 'page', 'web'],

  'examples/': ['page', 'site'],
  'examples/coverage/': ['coverage', 'vitest'],
  'examples/hardhat2/': ['hardhat'],
  'examples/hardhat3/': ['hardhat'],
  'examples/msw/': ['web'],
  'examples/playground/': ['site'],
  'examples/playwright/': ['playwright'],
  'examples/prool/': ['prool'],
  'examples/serviceWorker/': ['web'],
  'examples/starter/': ['vitest'],
  'examples/storybook/': ['web'],
  'examples/testRunners/': ['coverage', 'runners', 'vitest'],

  'docs/': ['site'],
  'docs/snippets/': ['page', 'site'],
  'scripts/rooms.ts': [],
  'scripts/site/': ['site'],

  'test/': [],
  'test/package/': TRIALS,
  'test/package/anvil/': ['anvil'],
  'test/package/coverage/': ['coverage', 'vitest'],
  'test/package/hardhat2/': ['hardhat'],
  'test/package/hardhat3/': ['hardhat'],
  'test/package/openzeppelin/': ['hardhat'],
  'test/package/playwright/': ['playwright'],
  'test/package/prool/': ['prool'],
  'test/package/solidity/': ['failures', 'solidity'],
  'test/package/web/': ['web'],
  ...Object.fromEntries(TRIALS.map((trial) => [`test/package/${trial}.trial.ts`, [trial]])),

  '.changeset/': [],
  '.github/': [],
  'ARCHITECTURE.md': [],
  'CHANGELOG.md': [],
  'CONTRIBUTING.md': [],
  LICENSE: [],
  'README.md': [],
  'SECURITY.md': [],
  'bench/': [],
  'biome.json': [],
  'etc/': [],
  'knip.json': [],
  'vitest.config.ts': [],
}

const prefixes = Object.keys(TRIALS_OF).sort((a, b) => b.length - a.length)

/** The trials that judge changes, sorted: those for every change, and those of the paths. */
export function trialsOf(changes: readonly Change[]): readonly string[] {
  const trials = new Set(SMOKE)
  for (const { path, isMove } of changes) for (const trial of trialsOfPath(path, isMove)) trials.add(trial)
  return [...trials].sort()
}

function trialsOfPath(path: string, isMove: boolean): readonly string[] {
  // The build finds all files by their imports, whichever folder they are in.
  if (isMove) return path.startsWith('src/') ? CORE : []
  const prefix = prefixes.find((each) => (each.endsWith('/') ? path.startsWith(each) : path === each))
  return prefix === undefined ? TRIALS : TRIALS_OF[prefix]!
}
