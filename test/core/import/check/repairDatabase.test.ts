/** The repair of a database: what it can derive is as before, and what it cannot derive is gone, with the blocks after it. */
import { describe, expect, it } from 'vitest'
import { checkDatabase } from '../../../../src/core/import/check/checkDatabase.ts'
import { planRepair } from '../../../../src/core/import/check/repairDatabase.ts'
import { DatabaseVersionError } from '../../../../src/core/ledger/errors.ts'
import { agrees, DAMAGES, damagedLevel, filled, keyName, open } from '../../../database/damages.ts'
import { everythingOf } from '../../../database/everything.ts'
import { FULL, sample } from '../../../full.ts'
import { entriesIn, type TestLevel } from '../../ledger/failingDatabase.ts'
import { checkPartsOf } from './parts.ts'

/** Repairs a database. @returns what was done, or why nothing was. */
async function repair(level: TestLevel) {
  const parts = await checkPartsOf(level)
  const checked = await checkDatabase(parts)
  const plan = await planRepair(checked, parts)
  await parts.db.write(plan.entries, plan.removed)
  return plan
}

type Answers = { readonly answers: Readonly<Record<string, unknown>> }

/** The answers about a block, without those that end at the head. */
function withoutLater(answers: unknown): unknown {
  const { logs: _, ...others } = answers as Readonly<Record<string, unknown>>
  return others
}

describe('a repaired database', () => {
  it.each(FULL ? DAMAGES : DAMAGES.slice(-2))(
    'is sound, and its chain answers as before up to its head: %s',
    async (_, damage) => {
      const { entries, answers } = await filled()
      const expected = (answers as Answers).answers
      const wrong: string[] = []
      for (const [key] of sample(entries, 30)) {
        const level = await damagedLevel(entries, key, damage)
        const before = await entriesIn(level)
        const plan = await repair(level).catch((error: Error) => error)
        if (plan instanceof Error) {
          if (!(plan instanceof DatabaseVersionError)) wrong.push(`${keyName(key)}: ${plan.stack}`)
          continue
        }
        // Parts of the genesis block, for example.
        const isLeft = plan.entries.length + plan.removed.length === 0
        if (plan.refusal !== undefined || isLeft) {
          expect(await entriesIn(level)).toEqual(before)
          continue
        }
        const { problems } = await checkDatabase(await checkPartsOf(level))
        if (problems.length > 0) {
          wrong.push(
            `${keyName(key)}: ${problems.map(({ text }) => text).join()} after ${plan.actions.join()}`,
          )
          continue
        }
        const chain = await open(level).catch((error: Error) => error)
        if (chain instanceof Error) {
          wrong.push(`${keyName(key)}: ${chain.message} after ${plan.actions.join()}`)
          continue
        }
        const found = ((await everythingOf(chain)) as Answers).answers
        await chain.close()
        const [, oldest = 0] = /history begins at block (\d+)/.exec(plan.actions.join()) ?? []
        for (const number of Object.keys(found).slice(Number(oldest), -1)) {
          if (!agrees(withoutLater(found[number]), withoutLater(expected[number])))
            wrong.push(`${keyName(key)}: block ${number} differs`)
        }
      }
      expect(wrong).toEqual([])
    },
  )

  it('derives receipts, indices, changed accounts and the head, and says so', async () => {
    const { entries, answers } = await filled()
    const derived: Record<string, readonly string[]> = {}
    for (const [key] of entries) {
      const level = await damagedLevel(entries, key, (value) => Uint8Array.from(value, (byte) => byte ^ 2))
      const plan = await repair(level).catch(() => ({ actions: [], refusal: 'a newer format' }))
      const { actions } = plan
      const refusal = actions.length === 0 ? (plan.refusal ?? 'left as it is') : plan.refusal
      const kind = key[0]! < 0x20 ? `${key[0]}` : new TextDecoder().decode(key.subarray(0, 1))
      const chain = refusal === undefined ? await open(level) : undefined
      const isSame = chain !== undefined && agrees(await everythingOf(chain), answers)
      await chain?.close()
      const isCut = actions.some((action) => action.startsWith('removed block'))
      const result =
        refusal?.replace(/0x\w+/, 'HASH') ??
        (isCut ? 'cut back' : isSame ? 'derived' : 'with a shorter history')
      derived[kind] = [...new Set([...(derived[kind] ?? []), result])].sort()
    }
    expect(derived).toMatchInlineSnapshot(`
      {
        "1": [
          "derived",
          "no state within the history is known in full, so that none can be derived",
        ],
        "2": [
          "derived",
          "no state within the history is known in full, so that none can be derived",
        ],
        "3": [
          "derived",
          "the code HASH cannot be derived",
        ],
        "5": [
          "derived",
        ],
        "6": [
          "derived",
          "with a shorter history",
        ],
        "7": [
          "derived",
        ],
        "8": [
          "cut back",
          "no state within the history is known in full, so that none can be derived",
          "with a shorter history",
        ],
        "H": [
          "derived",
        ],
        "b": [
          "cut back",
          "left as it is",
        ],
        "h": [
          "cut back",
          "left as it is",
        ],
        "p": [
          "a newer format",
          "derived",
        ],
      }
    `)
  })
})
