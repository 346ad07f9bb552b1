/**
 * A served chain under load: `npx tsx bench/server.ts`, from the repository root after a build.
 *
 * Real sockets and the system clock; the chain with its server is one process, the subscribers are another. Exits with
 * 1 if a subscriber did not get every item once and in order, if a reading connection was closed, if one that does not
 * read was not closed, or if memory grew.
 *
 * `--connections 200 --rate 300 --seconds 60 --slow 5 --step-seconds 6`; with `--step-seconds 0` there is no search for
 * the highest rate.
 *
 * `--long` is ten minutes at 1,000 transactions/s, or at the highest rate below that holds for a step, with a database on
 * disk and with subscribers of transactions; ten of them also subscribe to preconf blocks.
 */
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { pad, toEventSelector } from 'viem'
import type { ServeInput, ServeReport, ServeSample } from './children/serve.ts'
import type { SubscribersInput, SubscribersResult } from './children/subscribers.ts'
import { buildChildren, resultOf, startChild, writeInput } from './children.ts'
import { recipient } from './recipients.ts'
import { alignColumns, formatValue } from './table.ts'
import { MNEMONIC, type Plan, sign } from './transactions.ts'
import { tokenCall, tokenSetup } from './workload.ts'

const SENDERS = 20
/** The number of filters, each of which matches 1 % of the logs. */
const RECIPIENTS = 100
/** The most steps of the search. */
const STEPS = 6
const STEP_FACTOR = 1.25
/** The most that the memory in use may grow, in MiB per minute. */
const GROWTH_LIMIT = 20
/** In a shorter run the memory grows by the warm-up. */
const GROWTH_SECONDS = 60
/** Samples per point of the regression, which is the least of them. */
const STRETCH = 5
/** Milliseconds from sending to the log, for 99 of 100: above it the chain or a queue falls behind. */
const LATENCY_LIMIT = 1_000
/** In the long form, the subscribers that also subscribe to preconf blocks. */
const WITH_PRECONF_BLOCKS = 10
/** The close code of a connection that reads too slowly. */
const TRY_AGAIN_LATER = 1013

const { values } = parseArgs({
  options: {
    long: { type: 'boolean', default: false },
    connections: { type: 'string', default: '200' },
    rate: { type: 'string' },
    seconds: { type: 'string' },
    slow: { type: 'string' },
    'step-seconds': { type: 'string', default: '6' },
  },
})
const connections = number('connections', 1, 900)
const { long } = values
const rate = number('rate', 1, 5_000, long ? 1_000 : 300)
const seconds = number('seconds', 1, 3_600, long ? 600 : 60)
const slow = number('slow', 0, 50, long ? 0 : 5)
const stepSeconds = number('step-seconds', 0, 60)

interface Load {
  readonly rate: number
  readonly seconds: number
  readonly slow: number
}

interface Outcome extends SubscribersResult {
  readonly samples: readonly ServeSample[]
  /** For each connection that the server closed, the seconds after which it did. */
  readonly endedAfter: readonly number[]
}

buildChildren()
const { address, plans } = tokenSetup(SENDERS)
const setup = await sign(plans)

const held = long && stepSeconds > 0 ? await findHeld() : rate
console.log(
  `${connections} subscribers and ${slow} that do not read, ${held} transactions/s for ${seconds} s\n`,
)
const outcome = await run({ rate: held, seconds, slow })
printSamples(outcome.samples)
const growth = growthOf(outcome.samples)
const { received, preconfBlocks, logs, mebibytes, latency, endedAfter } = outcome
console.log(`
each got ${received.heads} heads${long ? ` and ${received.hashes} hashes, ${WITH_PRECONF_BLOCKS} of them` : ' and'} ${preconfBlocks} preconf blocks; together ${logs} logs and ${formatValue(mebibytes)} MiB
from sending a transaction to its log: p50 ${formatValue(latency.p50)} ms, p99 ${formatValue(latency.p99)} ms
memory in use, second half: ${formatValue(growth)} MiB/min`)
for (const [index, { code, reason }] of outcome.slow.entries()) {
  console.log(
    `a connection that does not read was closed after ${formatValue(endedAfter[index])} s: ${code} ${reason}`,
  )
}

const failures = [
  ...problemsOf(outcome),
  ...(outcome.slow.some(({ code }) => code !== TRY_AGAIN_LATER)
    ? ['a connection that does not read was not closed']
    : []),
  ...(seconds >= GROWTH_SECONDS && growth > GROWTH_LIMIT
    ? [`memory grows by ${formatValue(growth)} MiB/min, limit ${GROWTH_LIMIT}`]
    : []),
]
if (failures.length > 0) {
  console.log(`\nFailed:\n${failures.join('\n')}`)
  process.exit(1)
}
console.log('\nEvery subscriber got every item once and in order, and none of them was closed.')
if (!long && stepSeconds > 0) await search()

/** The highest rate that holds for a step, from `rate` downwards. */
async function findHeld(): Promise<number> {
  let next = rate
  for (let step = 0; step < STEPS; step++) {
    const [problem] = problemsOf(await run({ rate: next, seconds: stepSeconds, slow: 0 }))
    console.log(`${next} transactions/s for ${stepSeconds} s: ${problem ?? 'holds'}`)
    if (problem === undefined) return next
    next = Math.round(next / STEP_FACTOR)
  }
  throw new Error(`no rate of ${STEPS} held; --rate sets the first`)
}

/** Searches for the highest rate without failures, starting from `rate`. */
async function search(): Promise<void> {
  let highest = 0
  let next = rate
  let direction = 0
  for (let step = 0; step < STEPS; step++) {
    const [problem] = problemsOf(await run({ rate: next, seconds: stepSeconds, slow: 0 }))
    console.log(`${next} transactions/s for ${stepSeconds} s: ${problem ?? 'passes'}`)
    if (problem === undefined) highest = Math.max(highest, next)
    const turn = problem === undefined ? 1 : -1
    // The limit lies between this rate and the previous one.
    if (direction === -turn) break
    direction = turn
    next = Math.round(turn > 0 ? next * STEP_FACTOR : next / STEP_FACTOR)
  }
  console.log(`\nThe highest rate that passed: ${highest} transactions/s`)
}

async function run({ rate, seconds, slow }: Load): Promise<Outcome> {
  const folder = long ? await mkdtemp(join(tmpdir(), 'preseal-bench-')) : undefined
  const serveInput: ServeInput = {
    accounts: { mnemonic: MNEMONIC, count: SENDERS },
    setup,
    ...(folder !== undefined && { folder }),
  }
  const transactions = await sign(
    Array.from({ length: rate * seconds }, (_, index): Plan => {
      const sender = index % SENDERS
      const nonce = Math.floor(index / SENDERS) + (sender === 0 ? plans.length : 0)
      const data = tokenCall(recipient(index % RECIPIENTS), BigInt(index + 1))
      return { sender, nonce, gas: 60_000n, to: address, data }
    }),
  )
  const server = startChild('serve', [writeInput('serve', serveInput)])
  const listening = await resultOf<ServeReport>(server)
  if (listening?.kind !== 'listening') throw new Error('the server did not start')

  const transfer = toEventSelector('Transfer(address,address,uint256)')
  const input: SubscribersInput = {
    url: listening.url,
    connections,
    kinds: long ? ['newHeads', 'newPreconfTransactions', 'pendingLogs'] : ['newHeads', 'pendingLogs'],
    withPreconfBlocks: long ? WITH_PRECONF_BLOCKS : connections,
    slow,
    rate,
    transactions,
    filters: Array.from({ length: RECIPIENTS }, (_, index) => ({
      address,
      topics: [transfer, null, pad(recipient(index), { size: 32 })],
    })),
  }
  const subscribers = startChild('subscribers', [writeInput('subscribers', input)])
  const start = performance.now()
  const samples: ServeSample[] = []
  const endedAfter: number[] = []
  server.on('message', (report: ServeReport) => {
    if (report.kind === 'sample') samples.push(report)
    if (report.kind !== 'ended') return
    endedAfter.push((performance.now() - start) / 1_000)
    // They are read while the server still waits for them to receive the reason.
    if (endedAfter.length === slow) subscribers.send('read on')
  })
  const result = await resultOf<SubscribersResult>(subscribers)
  server.removeAllListeners('message')
  const exited = once(server, 'exit')
  server.disconnect()
  await exited
  if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  if (result === undefined) throw new Error('the subscribers failed')
  return { ...result, samples, endedAfter }
}

/** The failures that are not allowed at any rate. */
function problemsOf({ problem, dropped, latency, refused }: Outcome): string[] {
  return [
    ...(problem === undefined ? [] : [problem]),
    ...(dropped.length === 0
      ? []
      : [`${dropped.length} connections were closed: ${dropped[0]!.code} ${dropped[0]!.reason}`]),
    ...(refused === 0 ? [] : [`${refused} transactions were refused`]),
    ...(latency.p99 < LATENCY_LIMIT ? [] : [`p99 is ${formatValue(latency.p99)} ms, limit ${LATENCY_LIMIT}`]),
  ]
}

/** MiB per minute over the second half: a regression line through the minima, which exclude garbage. */
function growthOf(samples: readonly ServeSample[]): number {
  const half = samples.slice(Math.floor(samples.length / 2))
  const points: { readonly at: number; readonly least: number }[] = []
  for (let at = 0; at < half.length; at += STRETCH) {
    points.push({ at, least: Math.min(...half.slice(at, at + STRETCH).map(({ usedMiB }) => usedMiB)) })
  }
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const [atMean, leastMean] = [mean(points.map(({ at }) => at)), mean(points.map(({ least }) => least))]
  const slope =
    points.reduce((sum, { at, least }) => sum + (at - atMean) * (least - leastMean), 0) /
    points.reduce((sum, { at }) => sum + (at - atMean) ** 2, 0)
  return points.length > 1 ? slope * 60 : 0
}

function printSamples(samples: readonly ServeSample[]): void {
  const every = Math.max(1, Math.round(samples.length / 12))
  const rows = samples.flatMap((sample, index) => {
    if ((index + 1) % every !== 0) return []
    const { residentMiB, usedMiB, cpuShare, busyMs, missedTicks } = sample
    const cells = [residentMiB, usedMiB, cpuShare * 100, busyMs].map(formatValue)
    return [[`${index + 1} s`, ...cells, `${missedTicks}`]]
  })
  console.log(
    alignColumns([['', 'RSS MiB', 'in use MiB', 'CPU %', 'longest busy ms', 'missed ticks'], ...rows]),
  )
}

/** An option's number. */
function number(name: keyof typeof values, least: number, most: number, otherwise?: number): number {
  const value = Number(values[name] ?? otherwise)
  if (Number.isInteger(value) && value >= least && value <= most) return value
  throw new Error(`--${name} takes an integer from ${least} to ${most}`)
}
