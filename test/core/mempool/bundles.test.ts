import { describe, expect, it } from 'vitest'
import { addTogether, requeue } from '../../../src/core/mempool/requeue.ts'
import { bundle } from '../../../src/ethereum/transaction.ts'
import { createPool, nameOf, senders, transfer } from './pool.ts'

/** A bundle of sender A from `nonce` on. */
const bundleOf = (length: number, nonce = 0, tip = 5) =>
  bundle(Array.from({ length }, (_, i) => transfer('A', nonce + i, tip)))

const names = (transactions: Iterable<Parameters<typeof nameOf>[0]>) => [...transactions].map(nameOf)

describe('bundles', () => {
  it('are added as a whole or not at all, and restore what their first transactions evicted', () => {
    const { pool, world } = createPool({ maxTransactions: 3 })
    for (const nonce of [0, 1, 2]) pool.add(transfer('B', nonce, 1 + nonce))
    const before = pool.transactions()
    // The balance covers two, but not three.
    world.balances.set(senders.A, 2n * 21_000n * 105n)
    expect(() => addTogether(pool, bundleOf(3), pool.reserve())).toThrow('insufficient funds')
    expect(pool.transactions()).toEqual(before)
    expect(pool.drops.reasonOf(before[2]!.hash)).toBeUndefined()

    world.balances.set(senders.A, 10n ** 18n)
    const drops = addTogether(pool, bundleOf(3), pool.reserve())
    expect(drops.map(({ transaction, reason }) => [nameOf(transaction), reason])).toEqual([
      ['B2 tip 3', 'evicted'],
      ['B1 tip 2', 'evicted'],
      ['B0 tip 1', 'evicted'],
    ])
    expect(names(pool.best())).toEqual(['A0 tip 5', 'A1 tip 5', 'A2 tip 5'])
  })

  it('are removed as a whole for a replacement of one', () => {
    const { pool } = createPool()
    const whole = bundleOf(3)
    addTogether(pool, whole, pool.reserve())
    pool.add(transfer('A', 3))
    expect(pool.add(transfer('A', 1, 9, 300))).toEqual([
      { transaction: whole[1], reason: 'replaced' },
      { transaction: whole[0], reason: 'evicted' },
      { transaction: whole[2], reason: 'evicted' },
    ])
    expect(names(pool.transactions())).toEqual(['A3 tip 1', 'A1 tip 9'])
    expect(whole.map(({ hash }) => pool.drops.reasonOf(hash))).toEqual(['evicted', 'replaced', 'evicted'])
  })

  it('are evicted as a whole', () => {
    const { pool } = createPool({ maxTransactions: 3 })
    const whole = bundleOf(3, 0, 1)
    addTogether(pool, whole, pool.reserve())
    expect(pool.add(transfer('B', 0, 7))).toEqual(
      [whole[2], whole[0], whole[1]].map((transaction) => ({ transaction, reason: 'evicted' })),
    )
    expect(names(pool.transactions())).toEqual(['B0 tip 7'])
  })

  it('are dropped as a whole, each transaction once, if one of their nonces is used', () => {
    for (const used of [1n, 2n, 3n]) {
      const { pool, world } = createPool()
      const whole = bundleOf(3)
      addTogether(pool, whole, pool.reserve())
      world.nonces.set(senders.A, used)
      const drops = pool.prune()
      expect(drops).toEqual(whole.map((transaction) => ({ transaction, reason: 'nonce' })))
      expect(pool.size).toBe(0)
      expect(pool.best().next().done).toBe(true)
    }
  })

  it('lose their remaining transactions if one was included alone', () => {
    for (const take of ['preconfirmed', 'prune'] as const) {
      const { pool, world } = createPool()
      const whole = bundleOf(3)
      addTogether(pool, whole, pool.reserve())
      world.nonces.set(senders.A, 1n)
      const drops = take === 'prune' ? pool.prune(new Set([whole[0]!.hash])) : pool.preconfirmed([whole[0]!])
      expect(drops).toEqual(whole.slice(1).map((transaction) => ({ transaction, reason: 'nonce' })))
      expect(pool.size).toBe(0)
    }
  })

  it('wait again as a whole or not at all after they were withdrawn', () => {
    const { pool, world } = createPool()
    const whole = bundleOf(2)
    const alone = transfer('A', 2)
    expect(requeue(pool, [...whole, alone], new Set())).toEqual([])
    expect(names(pool.best())).toEqual(['A0 tip 5', 'A1 tip 5', 'A2 tip 1'])

    const other = createPool()
    const partial = requeue(other.pool, whole, new Set([whole[0]!.hash]))
    expect(partial).toMatchObject([{ transaction: whole[1], reason: 'nonce' }])
    expect(other.pool.size).toBe(0)

    pool.prune(new Set([...whole, alone].map(({ hash }) => hash)))
    world.balances.set(senders.A, 21_000n * 105n)
    const poor = requeue(pool, whole, new Set())
    expect(poor).toMatchObject(whole.map((transaction) => ({ transaction, reason: 'funds' })))
    expect(pool.size).toBe(0)
    expect(whole.map(({ hash }) => pool.drops.reasonOf(hash))).toEqual(['funds', 'funds'])
  })
})
