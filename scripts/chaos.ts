/**
 * Random operations on chains whose parts fail, until a law is broken: `npm run chaos`; `--help` prints the options.
 */
import fc from 'fast-check'
import { ALL_CONFIGURATIONS } from '../test/allConfigurations.ts'
import { batchOf, createSurroundings, runBatch } from '../test/chaos/batch.ts'
import { LINKS } from '../test/chaos/clients.ts'
import { DISK } from '../test/chaos/disk.ts'
import { MEDIA } from '../test/chaos/media.ts'
import { connectSocket } from '../test/chaos/sockets.ts'
import { readArguments, refuse } from './arguments.ts'

const USAGE = `usage: npm run chaos -- [--rounds N] [--seed N] [--disk] [--only NAME] [--medium NAME] [--check N]
  --rounds N   rounds of some dozens of operations each; 1000 by default
  --seed N     the seed; random by default
  --disk       also keep blocks in a folder, by classic-level
  --only NAME  the configurations whose name contains NAME
  --medium NAME  the media whose name contains NAME: memory, database, slow source, fork, fork with a cache, disk
  --check N    one round of N is executed again by stock @ethereumjs; 4 by default`

/** The rounds that have one seed. */
const BATCH = 10
/** Milliseconds after which a batch ends, even if fewer steps may lead to what went wrong. */
const BATCH_MS = 90_000

const values = readArguments(USAGE, {
  rounds: { type: 'string', default: '1000' },
  seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
  disk: { type: 'boolean', default: false },
  only: { type: 'string', default: '' },
  medium: { type: 'string', default: '' },
  check: { type: 'string', default: '4' },
})
const [rounds, seed, checkEvery] = [Number(values.rounds), Number(values.seed), Number(values.check)]
const configurations = ALL_CONFIGURATIONS.filter(({ name }) => name.includes(values.only))
const media = (values.disk ? [...MEDIA, DISK] : MEDIA).filter(({ name }) => name.includes(values.medium))
if (
  !(rounds >= 1) ||
  !Number.isInteger(seed) ||
  !(checkEvery >= 1) ||
  configurations.length === 0 ||
  media.length === 0
)
  refuse(USAGE)

const surroundings = await createSurroundings({ ...LINKS, socket: connectSocket })
const total = { operations: 0, failures: 0, repeated: 0, compared: 0, rounds: 0, broken: 0, interrupted: 0 }
const started = performance.now()
let current = ''
// A rejection that nothing waits for would end a user's process.
process.on('unhandledRejection', (error) => {
  console.log(`\n${current}\nan unhandled rejection`, error)
  process.exit(1)
})
console.log(`seed ${seed}`)
for (let done = 0; done < rounds; done += BATCH) {
  // A batch is the first of a run on its own seed, configuration and medium.
  const batchSeed = seed + done / BATCH
  const chosen = batchOf(batchSeed, media, configurations)
  const batch = { ...chosen, seed: batchSeed, rounds: Math.min(BATCH, rounds - done), checkEvery }
  current = commandOf(batchSeed, batch.rounds)
  const { counts, failure, isInterrupted } = await runBatch(batch, surroundings, {
    interruptAfterTimeLimit: BATCH_MS,
  })
  total.rounds += batch.rounds
  for (const name of ['operations', 'failures', 'repeated', 'compared'] as const) total[name] += counts[name]
  if (isInterrupted) total.interrupted += 1
  if (failure !== undefined) {
    total.broken += 1
    console.log(`\n${batch.configuration.name}, ${batch.medium.name}`)
    console.log(current)
    console.log(failure.message)
    for (const step of failure.steps) console.log(`  ${fc.stringify(step)}`)
  }
  if (total.rounds % (BATCH * 10) === 0 || failure !== undefined) report()
}
report()
console.log(total.broken === 0 ? 'no law was broken' : `${total.broken} batches broke a law`)
process.exit(total.broken === 0 ? 0 : 1)

/** Repeats a batch. */
function commandOf(seed: number, rounds: number): string {
  const filters = (['only', 'medium'] as const).map((name) => values[name] && `--${name} '${values[name]}'`)
  const flags = [values.disk && '--disk', ...filters].filter(Boolean)
  return `npm run chaos -- --seed ${seed} --rounds ${rounds} ${flags.join(' ')}`
}

function report(): void {
  const seconds = Math.round((performance.now() - started) / 1000)
  const { operations, failures, repeated, compared, interrupted } = total
  const heap = Math.round(process.memoryUsage().heapUsed / 2 ** 20)
  console.log(
    `${total.rounds} rounds, ${operations} operations, ${failures} failures, ${repeated} repeated, ` +
      `${compared} twins compared, ${interrupted} batches out of time; ${seconds} s, ` +
      `${Math.round(operations / Math.max(1, seconds))} operations a second, ${heap} MiB`,
  )
}
