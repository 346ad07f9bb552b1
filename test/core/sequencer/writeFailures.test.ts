/** A database that refuses some writes: the chain and its database agree after each operation, whatever failed before. */
import fc from 'fast-check'
import { MemoryLevel } from 'memory-level'
import { describe, expect, it } from 'vitest'
import { CONFIGURATIONS, type Configuration, runsOf } from '../../configurations.ts'
import { startChain } from '../../harness.ts'
import { type Operation, operations, orRevert, perform } from '../../operations.ts'
import { copyOf, type TestLevel, withFailingWrites } from '../ledger/failingDatabase.ts'
import { storedOf } from '../ledger/storedOf.ts'

const steps = operations((operation) => fc.array(orRevert(operation), { minLength: 1, maxLength: 12 }))
/** Which writes fail, counted from the one after those of the genesis block and the chain id. */
const failing = fc.uniqueArray(fc.integer({ min: 3, max: 20 }), { maxLength: 6 })

/** After which steps the database is opened again. */
const reopening = fc.array(fc.constantFrom(true, true, false), { minLength: 1, maxLength: 12 })

const REFUSED = 'the database cannot be written: disk full'
/** What follows a refused write, until the database is opened again. */
const STOPPED = 'the database accepts no write until it is opened again: disk full'

async function checkWrites(
  { options }: Configuration,
  steps: readonly Operation[],
  failing: readonly number[],
  reopens: readonly boolean[],
): Promise<void> {
  const level: TestLevel = new MemoryLevel({ storeEncoding: 'view' })
  const start = (database: TestLevel) =>
    startChain({ ...options, database: database as never }, {}, { skipHeaderValidation: true })
  const chain = await start(withFailingWrites(level, (write) => failing.includes(write)))
  const errors: string[] = []
  chain.on('error', ({ message }) => errors.push(message))
  for (const [at, step] of steps.entries()) {
    const before = await storedOf(chain)
    let isChanged = false
    for (const event of ['block', 'retracted'] as const) chain.once(event, () => (isChanged = true))
    const failed = await perform(chain, step, options).then(
      () => undefined,
      ({ message }: Error) => message,
    )
    if ((failed === REFUSED || failed === STOPPED) && !isChanged)
      expect(await storedOf(chain)).toEqual(before)
    const resumed = await start(await copyOf(level))
    expect(await storedOf(resumed)).toEqual(await storedOf(chain))
    await resumed.close()
    // It can be refused too; the chain goes on as one that accepts no write then.
    if (reopens[at % reopens.length])
      await chain.reopenDatabase().catch(({ message }) => errors.push(message))
  }
  expect(errors.filter((message) => message !== REFUSED && message !== STOPPED)).toEqual([])
  await chain.finish()
}

describe('writes that the database refuses', () => {
  it.each(CONFIGURATIONS)('change neither the chain nor the database: $name', async (configuration) => {
    const property = fc.asyncProperty(steps, failing, reopening, (steps, failing, reopens) =>
      checkWrites(configuration, steps, failing, reopens),
    )
    await fc.assert(property, runsOf(configuration))
  })
})
