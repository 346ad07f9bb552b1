/**
 * Random programs on preseal's EVM and on that of @ethereumjs, on every fork, until one does not do the same on both:
 * `npm run fuzz:evm`; `--help` prints the options.
 */
import fc from 'fast-check'
import { loadCrypto } from '../src/base/crypto/crypto.ts'
import { createEngines } from '../test/ethereum/evm/comparison.ts'
import { compare } from '../test/ethereum/evm/random/differences.ts'
import { type Plan, plan } from '../test/ethereum/evm/random/executions.ts'
import { EVM_FORKS } from '../test/forks.ts'
import { readArguments, refuse } from './arguments.ts'

const USAGE = `usage: npm run fuzz:evm -- [--runs N] [--seed N] [--fork NAME]
  --runs N     programs in total; 100000 by default
  --seed N     the seed; random by default
  --fork NAME  one of ${EVM_FORKS.join(', ')}; all of them by default`

/** The programs of a fork that have one seed. */
const BATCH = 500

const values = readArguments(USAGE, {
  runs: { type: 'string', default: '100000' },
  seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
  fork: { type: 'string' },
})
const [runs, seed] = [Number(values.runs), Number(values.seed)]
const forks = EVM_FORKS.filter((fork) => values.fork === undefined || values.fork === fork)
if (!(runs >= 1) || !Number.isInteger(seed) || forks.length === 0) refuse(USAGE)

const crypto = await loadCrypto()
const engines = createEngines(crypto)
const plans = new Map(forks.map((fork) => [fork, fc.noBias(plan(fork, crypto))]))
const [started, counts] = [performance.now(), { executed: 0, succeeded: 0, differing: 0 }]

console.log(`seed ${seed}`)
for (let batch = 0; counts.executed < runs; batch++) {
  // A batch is the first of a run on its fork alone with its own seed.
  await runBatch(forks[batch % forks.length]!, seed + batch, Math.min(BATCH, runs - counts.executed))
}
console.log(counts.differing === 0 ? 'no difference' : `${counts.differing} batches with a difference`)
if (counts.differing > 0) process.exitCode = 1

async function runBatch(fork: (typeof forks)[number], batchSeed: number, numRuns: number): Promise<void> {
  const property = fc.asyncProperty(plans.get(fork)!, async (one) => {
    const { succeeded, difference } = await compare(fork, one, engines, crypto)
    if (difference !== undefined) throw new Error(difference)
    counts.executed += 1
    if (succeeded) counts.succeeded += 1
  })
  const result = await fc.check(property, { seed: batchSeed, numRuns })
  const { executed, succeeded } = counts
  const seconds = Math.round((performance.now() - started) / 1000)
  const share = ((100 * succeeded) / Math.max(executed, 1)).toFixed(1)
  console.log(
    `${executed} programs in ${seconds} s, of which ${share} % succeeded: ${fork}, seed ${batchSeed}`,
  )
  if (!result.failed) return
  counts.differing += 1
  // What was not executed of this batch counts as executed, so that the run ends.
  counts.executed += numRuns
  console.log(`npm run fuzz:evm -- --fork ${fork} --seed ${batchSeed} --runs ${numRuns}`)
  console.log(result.errorInstance instanceof Error ? result.errorInstance.message : 'a run ended too early')
  if (result.counterexample !== null) console.log(toText(result.counterexample[0]))
}

/** The plan as JSON, with code and data as hex and integers as decimal numbers. */
function toText(one: Plan): string {
  return JSON.stringify(one, (_key, part) => (typeof part === 'bigint' ? String(part) : part), 1)
}
