/** What leaves a database with the history, and what stays. */
import { describe, expect, it } from 'vitest'
import { KIND } from '../../src/core/ledger/format/records.ts'
import { createChain, createManualClock } from '../../src/index.ts'
import { memoryLevel } from '../core/ledger/failingDatabase.ts'
import { send } from '../core/sequencer/support.ts'
import { BYTES } from './damages.ts'

const KINDS = new Map<number, string>([
  ...Object.entries(KIND).map(([name, kind]) => [kind, name] as const),
  [0x68, 'header'],
  [0x62, 'body'],
  [0x48, 'number'],
  [0x70, 'text'],
])

describe('a database whose history is full', () => {
  it.each([3, 8])('keeps changes and receipts of %i blocks, and a block as four entries', async (blocks) => {
    const level = memoryLevel()
    const chain = await createChain({
      mining: 'manual',
      hardfork: 'shanghai',
      history: { blocks, proofs: 1 },
      clock: createManualClock(1_700_000_000_000),
      database: level as never,
    })
    const countsAt = async () => {
      const counts: Record<string, number> = {}
      for (const [key] of await level.iterator(BYTES).all()) {
        const name = KINDS.get((key as unknown as Uint8Array)[0]!)!
        counts[name] = (counts[name] ?? 0) + 1
      }
      return counts
    }
    const sealMore = async (from: number) => {
      for (let nonce = from; nonce < from + 10; nonce++) {
        await send(chain, { nonce })
        await chain.seal()
      }
    }
    await sealMore(0)
    const before = await countsAt()
    await sealMore(10)
    const after = await countsAt()
    await chain.close()
    const grown = Object.fromEntries(
      Object.keys(after).map((name) => [name, after[name]! - (before[name] ?? 0)]),
    )
    const flat = Object.fromEntries(Object.keys(after).map((name) => [name, 0]))
    expect(grown).toEqual({ ...flat, header: 10, body: 10, number: 10, index: 10 })
    expect([after['changes'], after['receipts']]).toEqual([blocks, blocks])
  })
})
