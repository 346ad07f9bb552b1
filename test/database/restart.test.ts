/** A chain on a database, closed and started again: the same chain, without executing anything. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CONFIGURATIONS, type Configuration, runsOf } from '../configurations.ts'
import { memoryLevel } from '../core/ledger/failingDatabase.ts'
import { startChain } from '../harness.ts'
import { type Operation, operations, orRevert, perform } from '../operations.ts'
import { asFarAs, everythingOf } from './everything.ts'

const steps = operations((operation) => fc.array(orRevert(operation), { minLength: 1, maxLength: 12 }))

async function checkRestarts(
  { options }: Configuration,
  rounds: readonly (readonly Operation[])[],
): Promise<void> {
  const database = memoryLevel()
  const start = () =>
    startChain({ ...options, database: database as never }, {}, { skipHeaderValidation: true })
  let chain = await start()
  for (const [round, operations] of rounds.entries()) {
    for (const operation of operations) await perform(chain, operation, options).catch(() => {})
    const expected = await everythingOf(chain)
    await chain.finish()
    chain = await start()
    expect(asFarAs(expected, await everythingOf(chain, round % 2 === 0))).toEqual(expected)
  }
}

describe('a chain that is started again', () => {
  it.each(CONFIGURATIONS)('answers as before: $name', async (configuration) => {
    const rounds = fc.array(steps, { minLength: 1, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(rounds, (rounds) => checkRestarts(configuration, rounds)),
      runsOf(configuration),
    )
  })
})
