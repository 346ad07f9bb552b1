/** The check of a database: nothing is reported of a sound one, and every damaged entry of another. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkDatabase } from '../../../../src/core/import/check/checkDatabase.ts'
import { planRepair } from '../../../../src/core/import/check/repairDatabase.ts'
import { CONFIGURATIONS, type Configuration, runsOf } from '../../../configurations.ts'
import { DAMAGES, damagedLevel, filled, keyName } from '../../../database/damages.ts'
import { sample } from '../../../full.ts'
import { startChain } from '../../../harness.ts'
import { type Operation, operations, orRevert, perform } from '../../../operations.ts'
import { entriesIn, memoryLevel } from '../../ledger/failingDatabase.ts'
import { checkPartsOf } from './parts.ts'

const steps = operations((operation) => fc.array(orRevert(operation), { minLength: 1, maxLength: 12 }))

async function checkSound(
  { options }: Configuration,
  rounds: readonly (readonly Operation[])[],
): Promise<void> {
  const database = memoryLevel()
  for (const operations of rounds) {
    const chain = await startChain(
      { ...options, database: database as never },
      {},
      { skipHeaderValidation: true },
    )
    for (const operation of operations) await perform(chain, operation, options).catch(() => {})
    await chain.finish()
    const before = await entriesIn(database)
    const parts = await checkPartsOf(database)
    const checked = await checkDatabase(parts)
    expect(checked.problems).toEqual([])
    expect(checked.executed).toBe(checked.states.size - 1)
    expect(await planRepair(checked, parts)).toEqual({ actions: [], entries: [], removed: [] })
    expect(await entriesIn(database)).toEqual(before)
  }
}

describe('a sound database', () => {
  it.each(CONFIGURATIONS)('has no problems, and its blocks execute again: $name', async (configuration) => {
    const rounds = fc.array(steps, { minLength: 1, maxLength: 3 })
    await fc.assert(
      fc.asyncProperty(rounds, (rounds) => checkSound(configuration, rounds)),
      runsOf(configuration),
    )
  })

  it('has no problems if a block changed a slot of an account, and nothing else of it', async () => {
    // Adds one to its slot 1.
    const account = { balance: '0x0', nonce: 0, code: '0x600154600101600155', storage: { '0x1': '0x3' } }
    const to = '0x00000000000000000000000000000000000c0de5'
    const ask = (method: string, params: readonly unknown[]) => ({ kind: 'ask', method, params }) as Operation
    const from = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
    const load = ask('anvil_loadState', [{ accounts: { [to]: account } }])
    const call = ask('eth_sendTransaction', [{ from, to }])
    await checkSound({ name: '', options: {} } as Configuration, [
      [load],
      [call, { kind: 'seal' } as Operation],
    ])
    expect.assertions(8)
  })
})

/** Entries that no other one refers to: whether they were ever there is not known. */
const UNREFERENCED = /^preseal:(value|pool|preconfirmed)/

describe('a damaged entry', () => {
  it.each(DAMAGES)('is reported: %s', async (name, damage) => {
    const { entries } = await filled()
    const unnoticed: string[] = []
    for (const [key] of sample(entries, 40)) {
      const level = await damagedLevel(entries, key, damage)
      const { problems } = await checkDatabase(await checkPartsOf(level)).catch((error: Error) => ({
        problems: [error],
      }))
      const isUnreferenced = name === 'no entry' && UNREFERENCED.test(keyName(key))
      if (problems.length === 0 && !isUnreferenced) unnoticed.push(keyName(key))
    }
    expect(unnoticed).toEqual([])
  })
})
