/** Databases that lose batches or are damaged: the chain of an earlier batch, a named error or the right answers. */
import fc from 'fast-check'
import { MemoryLevel } from 'memory-level'
import { describe, expect, it } from 'vitest'
import { createChain, createManualClock, type PresealChain } from '../../src/index.ts'
import { DatabaseCorruptError, DatabaseVersionError, GenesisMismatchError } from '../../src/ledger/errors.ts'
import { runs } from '../full.ts'
import { startChain } from '../harness.ts'
import type { TestLevel } from '../ledger/failingDatabase.ts'
import { CONTRACT as contract, operations, orRevert, perform, STRANGER } from '../operations.ts'
import { LOGGING, sign } from '../sequencer/support.ts'
import { everythingOf } from './everything.ts'

const memory = (): TestLevel => new MemoryLevel({ storeEncoding: 'view' })
const BYTES = { keyEncoding: 'view', valueEncoding: 'view' } as const
const ORACLE = { skipHeaderValidation: true }

/** The database, with every batch that it gets added to a list. */
function withRecord(level: TestLevel, batches: (readonly [never[], object])[]): TestLevel {
  return new Proxy(level, {
    get(target, name) {
      if (name === 'batch') {
        return (list: never[], options: object) => {
          batches.push([list, options])
          return target.batch(list, options)
        }
      }
      const value = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

/** Without the oracle, which reads damaged databases too. */
const open = (database: TestLevel): Promise<PresealChain> =>
  createChain({
    mining: 'manual',
    clock: createManualClock(1_700_000_000_000),
    database: database as never,
  })

describe('a database of which only the first batches were written', () => {
  it('has the chain as it was after the last of them', async () => {
    const steps = operations((operation) => fc.array(orRevert(operation), { minLength: 1, maxLength: 10 }))
    const property = fc.asyncProperty(steps, async (list) => {
      const batches: (readonly [never[], object])[] = []
      const chain = await startChain({ database: withRecord(memory(), batches) as never }, {}, ORACLE)
      /** What the chain was when it had written this many batches. */
      const states = new Map<number, unknown>([[batches.length, await everythingOf(chain)]])
      for (const operation of list) {
        await perform(chain, operation).catch(() => {})
        states.set(batches.length, await everythingOf(chain))
      }
      await chain.finish()
      const level = memory()
      for (const [i, [operations, options]] of batches.entries()) {
        await level.batch(operations, options)
        const resumed = await open(level)
        const found = await everythingOf(resumed)
        if (states.has(i + 1)) expect(found).toEqual(states.get(i + 1))
        await resumed.close()
      }
    })
    await fc.assert(property, runs(2, 40))
  })
})

/** A database with logs, unsigned senders, a patched block, code and slots. */
async function filled(): Promise<{
  level: TestLevel
  entries: [Uint8Array, Uint8Array][]
  answers: unknown
}> {
  const level = memory()
  const chain = await open(level)
  const ask = (method: string, ...params: unknown[]) => chain.standard.request({ method, params })
  await ask('anvil_setCode', contract, '0x600154600101600155')
  await chain.seal()
  await chain.live.request({
    method: 'eth_sendRawTransaction',
    params: [await sign(chain, { nonce: 0, ...LOGGING })],
  })
  await chain.seal()
  await ask('anvil_setStorageAt', contract, '0x0', `0x${'00'.repeat(31)}07`)
  await ask('anvil_setBalance', STRANGER, '0xde0b6b3a7640000')
  await ask('eth_sendUnsignedTransaction', { from: STRANGER, to: contract, gas: '0xffff' })
  await chain.seal()
  await ask('anvil_setBalance', contract, '0x5')
  const answers = await everythingOf(chain)
  await chain.close()
  return { level, entries: (await level.iterator(BYTES).all()) as never, answers }
}

const DAMAGES: readonly (readonly [string, (value: Uint8Array) => Uint8Array | undefined])[] = [
  ['a flipped first byte', (value) => Uint8Array.from(value, (byte, i) => (i === 0 ? byte ^ 1 : byte))],
  [
    'a flipped last byte',
    (value) => Uint8Array.from(value, (byte, i) => (i === value.length - 1 ? byte ^ 0x80 : byte)),
  ],
  ['a truncated value', (value) => value.slice(0, -1)],
  ['no entry', () => undefined],
]

const EXPECTED = [DatabaseCorruptError, DatabaseVersionError, GenesisMismatchError]

/** Whether answers are the expected ones except for errors that name the damage. */
function agrees(found: unknown, expected: unknown): boolean {
  if (typeof found === 'string' && /^error -32000 (the database is damaged|state not available)/.test(found))
    return true
  if (typeof found !== 'object' || found === null || typeof expected !== 'object' || expected === null) {
    return found === expected
  }
  const keys = new Set([...Object.keys(found), ...Object.keys(expected)])
  return [...keys].every((key) => agrees((found as never)[key], (expected as never)[key]))
}

describe('a damaged entry', () => {
  it.each(DAMAGES)('gives a named error or the right answers: %s', async (_, damage) => {
    const { entries, answers } = await filled()
    const wrong: string[] = []
    for (const [damagedKey, value] of entries) {
      const level = memory()
      await level.open()
      const damaged = damage(value)
      const kept = entries.filter(([key]) => key !== damagedKey || damaged !== undefined)
      await level.batch(
        kept.map(([key, own]) => ({
          type: 'put',
          key,
          value: key === damagedKey ? damaged! : own,
          ...BYTES,
        })) as never,
      )
      const name = new TextDecoder().decode(damagedKey).replace(/[^\w:]/g, (c) => `\\${c.charCodeAt(0)}`)
      let chain: PresealChain | undefined
      try {
        chain = await open(level)
        if (!agrees(await everythingOf(chain), answers)) wrong.push(`${name}: another answer`)
      } catch (error) {
        if (!EXPECTED.some((type) => error instanceof type)) wrong.push(`${name}: ${error}`)
      }
      await chain?.close()
    }
    expect(wrong).toEqual([])
  })
})
