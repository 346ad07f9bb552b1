/**
 * Runs everything at length: all tests with many random runs, on both engines, in Node and in Chromium, and all trials of the
 * package. `npm run test:night -- node kits` runs two of the parts, each of which takes at most 25 minutes on two cores.
 *
 * The seed is new each time; `PRESEAL_SEED` sets it. The last line is the sum of the tests.
 */
import { readdirSync } from 'node:fs'
import { refuse } from '../arguments.ts'
import { describeCommit } from './git.ts'
import { Lane } from './lane.ts'
import { TRIALS } from './trials.ts'

const suite = (...projects: readonly string[]) => [
  'npm',
  'run',
  'test:full',
  '--',
  ...projects.flatMap((project) => ['--project', project]),
]
const trials = (names: readonly string[]) => [
  'npm',
  'run',
  'test:package',
  '--',
  ...names.map((name) => `test/package/${name}.trial.ts`),
]

/** Folders of tests that compare executions with stock @ethereumjs, which takes longest. */
const COMPARISONS = ['test/ethereum', 'test/core/import', 'test/conformance']

/** The other folders, and the tests beside them. */
const OTHERS = ['test', 'test/core']
  .flatMap((folder) => readdirSync(folder).map((name) => `${folder}/${name}`))
  .filter((path) => path !== 'test/core' && !COMPARISONS.includes(path))

/** Trials of the kits for Solidity, which take longest. */
const KITS = ['coverage', 'failures', 'hardhat', 'solidity']

/** Trials in browsers, and of the site. */
const PAGES = ['firefox', 'page', 'playwright', 'site', 'web']

/** The command of each part. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  evm: [...suite('node'), ...COMPARISONS.map((folder) => `${folder}/`)],
  node: [...suite('node'), 'examples/', ...OTHERS.map((path) => (path.endsWith('.ts') ? path : `${path}/`))],
  engine: suite('ethereumjs'),
  browser: suite('chromium', 'playground', 'playwright', 'types'),
  kits: trials(KITS),
  pages: trials(PAGES),
  package: trials(TRIALS.filter((trial) => !KITS.includes(trial) && !PAGES.includes(trial))),
}

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(PARTS)
const unknown = names.filter((name) => !Object.hasOwn(PARTS, name))
if (unknown.length > 0) {
  refuse(`no part ${unknown.join(', ')}; npm run test:night -- [${Object.keys(PARTS).join('] [')}]`)
}

const seed = process.env['PRESEAL_SEED'] ?? String(Math.floor(Math.random() * 2 ** 31))
const commit = describeCommit()
const lane = new Lane()
for (const name of names) {
  console.log(`\npart ${name} of ${commit}: PRESEAL_SEED=${seed} npm run test:night -- ${name}`)
  const { passed, failed, skipped } = await lane.tests(PARTS[name]!, { PRESEAL_SEED: seed })
  lane.note(`part ${name} of ${commit}, seed ${seed}: ${passed} passed, ${failed} failed, ${skipped} skipped`)
}
lane.end()
