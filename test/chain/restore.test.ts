/** What a chain with a database restores beside its blocks. */
import fc from 'fast-check'
import { MemoryLevel } from 'memory-level'
import { describe, expect, it } from 'vitest'
import { type ChainOptions, createManualClock, type Hash } from '../../src/index.ts'

import { CONFIGURATIONS, type Configuration, runsOf } from '../configurations.ts'
import { startChain, type TestChain } from '../harness.ts'
import { copyOf, type TestLevel, withFailingWrites } from '../ledger/failingDatabase.ts'
import { CONTRACT, type Operation, operations, orRevert, perform, STRANGER } from '../operations.ts'
import { ask } from '../rpc/scene.ts'
import { sign } from '../sequencer/support.ts'

const memory = (): TestLevel => new MemoryLevel({ storeEncoding: 'view' })

/** Starts a chain on a database, at the time of another one. */
function start(level: TestLevel, options: ChainOptions = {}, like?: TestChain): Promise<TestChain> {
  const clock = createManualClock(like?.clock.now() ?? 1_700_000_000_000)
  return startChain({ clock, ...options, database: level as never }, {}, { skipHeaderValidation: true })
}

/** Starts a chain on a copy of a database, as after a kill, or on the database itself once its chain is closed. */
async function restart(chain: TestChain, level: TestLevel, options: ChainOptions = {}, closes = false) {
  if (closes) await chain.close()
  const resumed = await start(closes ? level : await copyOf(level), options, chain)
  const events: unknown[] = []
  resumed.on('preconf', ({ block }) => events.push({ preconf: block.transactions.map((tx) => (tx as { hash: Hash }).hash) }))
  resumed.on('dropped', (dropped) => events.push({ dropped }))
  await resumed.clock.yield()
  await resumed.clock.yield()
  return { resumed, events }
}

async function preconfirmed(chain: TestChain): Promise<readonly Hash[]> {
  const block = await chain.preconf.request({ method: 'eth_getBlockByNumber', params: ['pending', false] })
  return block!.transactions as Hash[]
}

/** What a restart restores, as far as requests can read it. */
async function observe(chain: TestChain): Promise<Record<string, unknown>> {
  const read = (method: string, ...params: unknown[]) => ask(chain.standard, method, params)
  const next = (await read('eth_getBlockByNumber', 'pending', false)) as Record<string, unknown>
  const { timestamp, baseFeePerGas, miner, gasLimit, mixHash, number } = next
  const isRunning = (await read('anvil_getIntervalMining')) !== null
  return {
    content: await read('txpool_content'),
    preconfirmed: await preconfirmed(chain),
    accounts: await read('eth_accounts'),
    chainId: await read('eth_chainId'),
    automine: await read('anvil_getAutomine'),
    interval: await read('anvil_getIntervalMining'),
    next: { baseFeePerGas, miner, gasLimit, mixHash, number, timestamp: isRunning ? undefined : timestamp },
  }
}

const modes: readonly fc.Arbitrary<Operation>[] = [
  fc.boolean().map((on) => ({ kind: 'ask', method: 'evm_setAutomine', params: [on] })),
  fc
    .constantFrom(0, 500, 3000)
    .map((ms) => ({ kind: 'ask', method: 'evm_setIntervalMining', params: [ms] })),
]
const steps = operations((operation) =>
  fc.array(
    fc.oneof(
      { weight: 12, arbitrary: orRevert(operation) },
      { weight: 1, arbitrary: fc.oneof(...modes) },
    ),
    { minLength: 1, maxLength: 12 },
  ),
)

async function checkRestart(
  { options }: Configuration,
  steps: readonly Operation[],
  closes: boolean,
): Promise<void> {
  const level = memory()
  const chain = await start(level, options)
  for (const step of steps) await perform(chain, step, options)
  const before = await observe(chain)
  const { resumed, events } = await restart(chain, level, options, closes)
  expect(await observe(resumed)).toEqual(before)
  const included = before['preconfirmed'] as readonly Hash[]
  expect(events).toEqual(included.length > 0 ? [{ preconf: included }] : [])
  // It can be resumed as often as one likes.
  const { resumed: again } = await restart(resumed, level, options, closes)
  if (closes) expect(await observe(again)).toEqual(before)
  await Promise.all([chain.finish(), resumed.finish(), again.finish()])
}

describe('a chain that is resumed', () => {
  it.each(CONFIGURATIONS)('has what it had: $name', async (configuration) => {
    const property = fc.asyncProperty(steps, fc.boolean(), (steps, closes) =>
      checkRestart(configuration, steps, closes),
    )
    await fc.assert(property, runsOf(configuration))
  })
})
