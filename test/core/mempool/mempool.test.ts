import { describe, expect, test } from 'vitest'
import {
  AccountLimitError,
  AlreadyKnownError,
  ReplacementUnderpricedError,
  UnderpricedError,
} from '../../../src/core/mempool/errors.ts'
import type { Mempool } from '../../../src/core/mempool/mempool.ts'
import {
  InsufficientFundsError,
  IntrinsicGasError,
  NonceTooLowError,
  SenderNotEOAError,
} from '../../../src/ethereum/errors.ts'
import type { Transaction } from '../../../src/ethereum/transaction.ts'
import { addAll, bestOf, createPool, nameOf, senders, transfer } from './pool.ts'

/** Adds a blob to a transaction. */
function withBlob(tx: Transaction, maxFeePerBlobGas: bigint): Transaction {
  return { ...tx, type: 3, blobVersionedHashes: [`0x01${'00'.repeat(31)}`], maxFeePerBlobGas }
}

function contentOf(pool: Mempool) {
  const { pending, queued } = pool.content()
  const names = (map: Map<string, Transaction[]>) => [...map.values()].flat().map(nameOf)
  return { pending: names(pending), queued: names(queued) }
}

/** Everything that a pool shows of itself and of these transactions. */
function everythingOf(pool: Mempool, transactions: Transaction[]) {
  return {
    content: pool.content(),
    best: [...pool.best()],
    status: pool.status(),
    size: pool.size,
    known: transactions.map(({ hash }) => [pool.get(hash), pool.stageOf(hash), pool.drops.reasonOf(hash)]),
  }
}

describe('mempool', () => {
  describe('stages', () => {
    test('transactions from the account nonce on are pending, those after a gap are queued until it is filled', () => {
      const { pool } = createPool()
      addAll(pool, transfer('A', 0), transfer('A', 2), transfer('A', 3))
      expect(contentOf(pool)).toEqual({ pending: ['A0 tip 1'], queued: ['A2 tip 1', 'A3 tip 1'] })
      pool.add(transfer('A', 1))
      expect(contentOf(pool)).toEqual({
        pending: ['A0 tip 1', 'A1 tip 1', 'A2 tip 1', 'A3 tip 1'],
        queued: [],
      })
    })

    test('a fee cap below the base fee is accepted and waits, with its later nonces, until the base fee falls', () => {
      const { pool, world } = createPool()
      const cheap = transfer('A', 1, 1, 9)
      addAll(pool, transfer('A', 0), cheap, transfer('A', 2))
      expect([pool.stageOf(cheap.hash), pool.status()]).toEqual(['queued', { pending: 1, queued: 2 }])
      world.baseFee = 9n
      expect([pool.stageOf(cheap.hash), pool.status()]).toEqual(['pending', { pending: 3, queued: 0 }])
    })

    test('a blob fee cap below the blob base fee waits as well', () => {
      const { pool, world } = createPool()
      const blobs = withBlob(transfer('A', 0), 4n)
      addAll(pool, blobs, transfer('A', 1))
      expect(bestOf(pool)).toEqual(['A0 tip 1', 'A1 tip 1'])
      world.blobBaseFee = 5n
      expect([pool.stageOf(blobs.hash), pool.status()]).toEqual(['queued', { pending: 0, queued: 2 }])
      expect(bestOf(pool)).toEqual([])
      world.blobBaseFee = 4n
      expect([pool.stageOf(blobs.hash), pool.status()]).toEqual(['pending', { pending: 2, queued: 0 }])
    })

    test('pre-confirmed transactions no longer wait, but are known until they are sealed', () => {
      const { pool, world } = createPool()
      const tx = transfer('A', 0)
      pool.add(tx)
      world.nonces.set(senders.A, 1n)
      expect(pool.preconfirmed([tx])).toEqual([])
      expect([pool.size, pool.get(tx.hash), pool.stageOf(tx.hash)]).toEqual([0, undefined, 'preconfirmed'])
      expect(() => pool.add(tx)).toThrow(new AlreadyKnownError(tx.hash))
      expect(() => pool.add(transfer('A', 0, 50))).toThrow(new NonceTooLowError())
      pool.sealed([tx])
      expect([pool.stageOf(tx.hash), pool.drops.reasonOf(tx.hash)]).toEqual([undefined, undefined])
      expect(() => pool.add(tx)).toThrow(new NonceTooLowError())
    })

    test('a transaction that has lost its nonce is not pending, even before it is pruned', () => {
      const { pool, world } = createPool()
      const tx = transfer('A', 0)
      addAll(pool, tx, transfer('A', 1))
      world.nonces.set(senders.A, 1n)
      expect([pool.stageOf(tx.hash), contentOf(pool), bestOf(pool)]).toEqual([
        'queued',
        { pending: ['A1 tip 1'], queued: ['A0 tip 1'] },
        ['A1 tip 1'],
      ])
    })

    test('an unknown hash has no stage and no outcome', () => {
      const { pool } = createPool()
      const { hash } = transfer('A', 0)
      expect([pool.get(hash), pool.stageOf(hash), pool.drops.reasonOf(hash)]).toEqual([
        undefined,
        undefined,
        undefined,
      ])
    })
  })

  describe('admission', () => {
    test('the same transaction twice is already known', () => {
      const { pool } = createPool()
      pool.add(transfer('A', 0))
      expect(() => pool.add(transfer('A', 0))).toThrow(new AlreadyKnownError(transfer('A', 0).hash))
    })

    test('the rules of validation apply', () => {
      const { pool, world } = createPool()
      expect(() => pool.add(transfer('A', 0, 1, 9, { gasLimit: 20_999n }))).toThrow(
        new IntrinsicGasError(20_999n, 21_000n),
      )
      expect(() => pool.add(transfer('A', 0, 1, 6))).toThrow(new UnderpricedError())
      world.contracts.add(senders.A)
      expect(() => pool.add(transfer('A', 0))).toThrow(new SenderNotEOAError())
      world.nonces.set(senders.B, 1n)
      expect(() => pool.add(transfer('B', 0))).toThrow(new NonceTooLowError())
    })

    test('a balance has to cover all waiting transactions, but not those that are replaced', () => {
      const { pool, world } = createPool()
      world.balances.set(senders.A, 21_000n * 250n)
      addAll(pool, transfer('A', 0, 1, 100), transfer('A', 5, 1, 100))
      expect(() => pool.add(transfer('A', 1, 1, 51))).toThrow(new InsufficientFundsError())
      expect(() => pool.add(transfer('A', 0, 2, 151))).toThrow(new InsufficientFundsError())
      expect(pool.add(transfer('A', 0, 2, 150))).toEqual([
        { transaction: transfer('A', 0, 1, 100), reason: 'replaced' },
      ])
      world.balances.set(senders.A, 21_000n * 251n)
      pool.drop(transfer('A', 5, 1, 100).hash, 'removed')
      expect(pool.add(transfer('A', 1, 1, 101))).toEqual([])
    })

    test('a sender has at most its share waiting, without replacements', () => {
      const { pool } = createPool({ maxPerSender: 2 })
      addAll(pool, transfer('A', 0), transfer('A', 5))
      expect(() => pool.add(transfer('A', 1))).toThrow(new AccountLimitError())
      expect(pool.add(transfer('A', 0, 50, 200))).toEqual([
        { transaction: transfer('A', 0), reason: 'replaced' },
      ])
      expect(pool.add(transfer('B', 0))).toEqual([])
    })

    test('a rejected transaction changes nothing', () => {
      const { pool, world } = createPool({ maxTransactions: 3, maxPerSender: 2 })
      const refused = [
        transfer('A', 0, 1, 101),
        transfer('A', 0, 2, 102),
        transfer('A', 9),
        transfer('A', 1, 7, 6),
        transfer('B', 0),
        transfer('C', 0, 1),
        transfer('C', 0, 90, 190, { value: 10n ** 18n }),
      ]
      addAll(pool, transfer('A', 0, 1, 101), transfer('A', 1, 2), transfer('B', 1, 5))
      world.nonces.set(senders.B, 1n)
      const before = everythingOf(pool, refused)
      const messages = refused.map((tx) => {
        try {
          return pool.add(tx)
        } catch (error) {
          return (error as Error).name
        }
      })
      expect(messages).toEqual([
        'AlreadyKnownError',
        'ReplacementUnderpricedError',
        'AccountLimitError',
        'TipAboveFeeCapError',
        'NonceTooLowError',
        'UnderpricedError',
        'InsufficientFundsError',
      ])
      expect(everythingOf(pool, refused)).toEqual(before)
    })
  })

  describe('replacement', () => {
    test('both fee fields must rise by the price bump', () => {
      const { pool } = createPool()
      pool.add(transfer('A', 0, 100, 1_000))
      for (const [tip, cap] of [
        [110, 1_099],
        [109, 1_100],
        [100, 2_000],
        [900, 1_000],
      ] as const) {
        expect(() => pool.add(transfer('A', 0, tip, cap))).toThrow(new ReplacementUnderpricedError())
      }
      expect(pool.add(transfer('A', 0, 110, 1_100))).toEqual([
        { transaction: transfer('A', 0, 100, 1_000), reason: 'replaced' },
      ])
      expect(contentOf(pool)).toEqual({ pending: ['A0 tip 110'], queued: [] })
    })

    test('the bump is rounded down, but a fee must always rise', () => {
      const { pool } = createPool()
      pool.add(transfer('A', 0, 0, 15))
      expect(() => pool.add(transfer('A', 0, 0, 16))).toThrow(new ReplacementUnderpricedError())
      expect(() => pool.add(transfer('A', 0, 1, 15))).toThrow(new ReplacementUnderpricedError())
      expect(pool.add(transfer('A', 0, 1, 16))).toEqual([
        { transaction: transfer('A', 0, 0, 15), reason: 'replaced' },
      ])
    })

    test('the gas price of a legacy transaction is both fields', () => {
      const { pool } = createPool()
      pool.add(transfer('A', 0, 10, 100))
      const legacy = { ...transfer('A', 0, 0, 0, { salt: 1 }), type: 0 as const }
      expect(() => pool.add({ ...legacy, gasPrice: 109n })).toThrow(new ReplacementUnderpricedError())
      expect(pool.add({ ...legacy, gasPrice: 110n })).toEqual([
        { transaction: transfer('A', 0, 10, 100), reason: 'replaced' },
      ])
    })

    test('blobs replace blobs only if the blob fee cap rises too', () => {
      const { pool } = createPool()
      pool.add(withBlob(transfer('A', 0, 10, 100), 100n))
      for (const blobFeeCap of [100n, 109n]) {
        const better = withBlob(transfer('A', 0, 20, 200), blobFeeCap)
        expect(() => pool.add(better)).toThrow(new ReplacementUnderpricedError())
      }
      const cheapGas = withBlob(transfer('A', 0, 20, 109), 200n)
      expect(() => pool.add(cheapGas)).toThrow(new ReplacementUnderpricedError())
      expect(pool.add(withBlob(transfer('A', 0, 11, 110), 110n))).toMatchObject([
        { transaction: { maxFeePerBlobGas: 100n }, reason: 'replaced' },
      ])
    })

    test('blobs and transactions without any replace each other by the two fees they share', () => {
      const { pool } = createPool()
      pool.add(withBlob(transfer('A', 0, 10, 100), 100n))
      expect(pool.add(transfer('A', 0, 11, 110))).toMatchObject([
        { transaction: { type: 3 }, reason: 'replaced' },
      ])
      expect(pool.add(withBlob(transfer('A', 0, 20, 200), 1n))).toMatchObject([
        { transaction: { type: 2 }, reason: 'replaced' },
      ])
    })

    test('a replaced transaction is remembered as such, until it is sent again', () => {
      const { pool } = createPool()
      const first = transfer('A', 0)
      const second = transfer('A', 0, 50, 200)
      addAll(pool, first, second)
      expect(pool.drops.reasonOf(first.hash)).toBe('replaced')
      pool.drop(second.hash, 'removed')
      expect(pool.drops.reasonOf(second.hash)).toBe('removed')
      pool.add(first)
      expect([pool.drops.reasonOf(first.hash), pool.stageOf(first.hash)]).toEqual([undefined, 'pending'])
    })
  })

  describe('best', () => {
    test('the view is frozen: later changes of the pool do not show', () => {
      const { pool, world } = createPool()
      addAll(pool, transfer('A', 0), transfer('A', 1), transfer('B', 0, 3))
      const best = pool.best()
      addAll(pool, transfer('C', 0, 90), transfer('A', 2), transfer('A', 1, 50, 200))
      pool.drop(transfer('B', 0, 3).hash, 'removed')
      world.baseFee = 10_000n
      expect([...best].map(nameOf)).toEqual(['B0 tip 3', 'A0 tip 1', 'A1 tip 1'])
    })

    test('a skipped sender is omitted from this view only', () => {
      const { pool } = createPool()
      addAll(pool, transfer('A', 0, 3), transfer('A', 1, 3), transfer('B', 0, 1), transfer('B', 1, 1))
      const best = pool.best()
      const seen: string[] = []
      for (const tx of best) {
        seen.push(nameOf(tx))
        if (tx.from === senders.A) best.skip(tx.from)
      }
      expect(seen).toEqual(['A0 tip 3', 'B0 tip 1', 'B1 tip 1'])
      expect(best.next()).toEqual({ done: true, value: undefined })
      expect(bestOf(pool)).toEqual(['A0 tip 3', 'A1 tip 3', 'B0 tip 1', 'B1 tip 1'])
    })
  })

  describe('a full pool', () => {
    test('evicts the cheapest for a better one', () => {
      const { pool } = createPool({ maxTransactions: 3 })
      addAll(pool, transfer('A', 0, 3), transfer('B', 0, 1), transfer('C', 0, 2))
      expect(pool.add(transfer('A', 1, 2))).toEqual([{ transaction: transfer('B', 0, 1), reason: 'evicted' }])
      expect(pool.drops.reasonOf(transfer('B', 0, 1).hash)).toBe('evicted')
      expect([pool.size, bestOf(pool)]).toEqual([3, ['A0 tip 3', 'C0 tip 2', 'A1 tip 2']])
    })

    test('evicts the newest of equally cheap ones, and rejects a newcomer that is not better', () => {
      const { pool } = createPool({ maxTransactions: 2 })
      addAll(pool, transfer('A', 0, 1), transfer('B', 0, 1))
      expect(() => pool.add(transfer('C', 0, 1))).toThrow(new UnderpricedError())
      expect(pool.add(transfer('C', 0, 2))).toEqual([{ transaction: transfer('B', 0, 1), reason: 'evicted' }])
    })

    test('evicts the last nonce of the sender of the cheapest, so that no gap arises', () => {
      const { pool } = createPool({ maxTransactions: 3 })
      addAll(pool, transfer('A', 0, 1), transfer('A', 1, 90), transfer('B', 0, 5))
      expect(pool.add(transfer('C', 0, 2))).toEqual([
        { transaction: transfer('A', 1, 90), reason: 'evicted' },
      ])
      expect(contentOf(pool).queued).toEqual([])
    })

    test('evicts transactions after a nonce gap first, whatever they pay', () => {
      const { pool } = createPool({ maxTransactions: 2 })
      addAll(pool, transfer('A', 1, 90), transfer('B', 0, 1))
      expect(pool.add(transfer('C', 0, 1))).toEqual([
        { transaction: transfer('A', 1, 90), reason: 'evicted' },
      ])
      expect(() => pool.add(transfer('A', 1, 90))).toThrow(new UnderpricedError())
    })

    test('values a newcomer no higher than the earlier nonces of its sender', () => {
      const { pool } = createPool({ maxTransactions: 2 })
      addAll(pool, transfer('A', 0, 1), transfer('B', 0, 2))
      expect(() => pool.add(transfer('A', 1, 90))).toThrow(new UnderpricedError())
      expect(pool.add(transfer('B', 1, 90))).toEqual([
        { transaction: transfer('A', 0, 1), reason: 'evicted' },
      ])
    })

    test('evicts the last nonce of a sender for its missing one', () => {
      const { pool } = createPool({ maxTransactions: 3 })
      addAll(pool, transfer('A', 1), transfer('A', 2), transfer('A', 3))
      expect(pool.add(transfer('A', 0))).toEqual([{ transaction: transfer('A', 3), reason: 'evicted' }])
      expect(contentOf(pool)).toEqual({ pending: ['A0 tip 1', 'A1 tip 1', 'A2 tip 1'], queued: [] })
    })

    test('evicts nothing else for a replacement', () => {
      const { pool } = createPool({ maxTransactions: 2 })
      addAll(pool, transfer('A', 0, 1), transfer('B', 0, 1))
      expect(pool.add(transfer('A', 0, 50, 200))).toEqual([
        { transaction: transfer('A', 0, 1), reason: 'replaced' },
      ])
    })

    test('accounts for nonces that a tick or another block used', () => {
      for (const leave of ['preconfirmed', 'prune'] as const) {
        const { pool, world } = createPool({ maxTransactions: 3 })
        const executed = transfer('A', 0, 20)
        addAll(pool, executed, transfer('A', 1, 2), transfer('B', 0, 5))
        expect(() => pool.add(transfer('C', 0, 1))).toThrow(new UnderpricedError())
        pool.add(transfer('A', 0, 50, 200))
        world.nonces.set(senders.A, 1n)
        if (leave === 'preconfirmed') pool.preconfirmed([executed])
        else pool.prune(new Set([executed.hash]))
        pool.add(transfer('B', 1, 5))
        expect(pool.add(transfer('C', 0, 9))).toEqual([
          { transaction: transfer('A', 1, 2), reason: 'evicted' },
        ])
      }
    })

    test('accounts for nonces that a retraction freed', () => {
      const { pool, world } = createPool({ maxTransactions: 2 })
      world.nonces.set(senders.A, 1n)
      addAll(pool, transfer('A', 1, 90), transfer('B', 0, 2))
      expect(() => pool.add(transfer('C', 0, 1))).toThrow(new UnderpricedError())
      world.nonces.set(senders.A, 0n)
      pool.prune()
      expect(pool.add(transfer('C', 0, 1))).toEqual([
        { transaction: transfer('A', 1, 90), reason: 'evicted' },
      ])
    })

    test('determines the cheapest by the current base fee', () => {
      const { pool, world } = createPool({ maxTransactions: 2 })
      addAll(pool, transfer('A', 0, 9, 15), transfer('B', 0, 4, 100))
      expect(() => pool.add(transfer('C', 0, 4))).toThrow(new UnderpricedError())
      world.baseFee = 12n
      expect(pool.add(transfer('C', 0, 4))).toEqual([
        { transaction: transfer('A', 0, 9, 15), reason: 'evicted' },
      ])
    })
  })

  describe('leaving', () => {
    test('a dropped transaction leaves a gap: the later ones stay, queued', () => {
      const { pool } = createPool()
      addAll(pool, transfer('A', 0), transfer('A', 1), transfer('A', 2))
      expect(pool.drop(transfer('A', 1).hash, 'invalid')).toEqual(transfer('A', 1))
      expect(pool.drop(transfer('A', 1).hash, 'invalid')).toBeUndefined()
      expect(contentOf(pool)).toEqual({ pending: ['A0 tip 1'], queued: ['A2 tip 1'] })
      expect(pool.drops.reasonOf(transfer('A', 1).hash)).toBe('invalid')
    })

    test('prune removes what a new head made stale, and drops what it does not include', () => {
      const { pool, world } = createPool()
      addAll(pool, transfer('A', 0), transfer('A', 1), transfer('A', 2), transfer('B', 0))
      world.nonces.set(senders.A, 2n)
      const [included, stale] = [transfer('A', 0), transfer('A', 1)]
      expect(pool.prune(new Set([included.hash]))).toEqual([{ transaction: stale, reason: 'nonce' }])
      expect([pool.drops.reasonOf(included.hash), pool.drops.reasonOf(stale.hash)]).toEqual([
        undefined,
        'nonce',
      ])
      expect(contentOf(pool)).toEqual({ pending: ['A2 tip 1', 'B0 tip 1'], queued: [] })
      expect(pool.prune()).toEqual([])
    })

    test('a transaction replaced during its execution is pre-confirmed, and the replacement has lost its nonce', () => {
      const { pool, world } = createPool()
      const executed = transfer('A', 0)
      const late = transfer('A', 0, 50, 200)
      addAll(pool, executed, late, transfer('A', 1))
      world.nonces.set(senders.A, 1n)
      expect(pool.preconfirmed([executed])).toEqual([{ transaction: late, reason: 'nonce' }])
      expect([pool.stageOf(executed.hash), pool.drops.reasonOf(executed.hash)]).toEqual([
        'preconfirmed',
        undefined,
      ])
      expect([pool.drops.reasonOf(late.hash), bestOf(pool)]).toEqual(['nonce', ['A1 tip 1']])
    })

    test('when the account nonce decreases, waiting transactions are queued until the nonces are sent again', () => {
      const { pool, world } = createPool()
      const tx = transfer('A', 0)
      addAll(pool, tx, transfer('A', 1))
      world.nonces.set(senders.A, 1n)
      pool.preconfirmed([tx])
      expect(contentOf(pool)).toEqual({ pending: ['A1 tip 1'], queued: [] })
      world.nonces.set(senders.A, 0n)
      pool.sealed([tx])
      expect(pool.prune()).toEqual([])
      expect(contentOf(pool)).toEqual({ pending: [], queued: ['A1 tip 1'] })
      pool.add(tx)
      expect(contentOf(pool)).toEqual({ pending: ['A0 tip 1', 'A1 tip 1'], queued: [] })
    })

    test('the last 10,000 outcomes are remembered', () => {
      const { pool } = createPool()
      for (let i = 0; i <= 10_000; i++) {
        const tx = transfer('A', i)
        pool.add(tx)
        pool.drop(tx.hash, 'removed')
      }
      expect([0, 1, 10_000].map((i) => pool.drops.reasonOf(transfer('A', i).hash))).toEqual([
        undefined,
        'removed',
        'removed',
      ])
    })
  })

  test('the contiguous nonce runs from any nonce to the first one missing', () => {
    const { pool } = createPool()
    addAll(pool, transfer('A', 1), transfer('A', 2), transfer('A', 4))
    const found = [0n, 1n, 2n, 3n, 4n, 5n].map((from) => pool.contiguousNonce(senders.A, from))
    expect(found).toEqual([0n, 3n, 3n, 3n, 5n, 5n])
    expect(pool.contiguousNonce(senders.B, 7n)).toBe(7n)
  })

  test('a sender has one transaction with a nonce, the last that was accepted', () => {
    const { pool } = createPool()
    const [first, gapped, dearer] = [transfer('A', 0), transfer('A', 2), transfer('A', 0, 50, 200)]
    addAll(pool, first, gapped)
    const found = () => [0n, 1n, 2n].map((nonce) => pool.at(senders.A, nonce))
    expect(found()).toEqual([first, undefined, gapped])
    pool.add(dearer)
    expect(found()).toEqual([dearer, undefined, gapped])
    pool.drop(gapped.hash, 'removed')
    expect(found()).toEqual([dearer, undefined, undefined])
    expect(pool.at(senders.B, 0n)).toBeUndefined()
  })

  test('ten thousand from one sender fill the pool and are returned in order', () => {
    const { pool } = createPool({ maxPerSender: 10_000 })
    for (let nonce = 9_999; nonce >= 0; nonce--) pool.add(transfer('A', nonce, 1 + (nonce % 7)))
    expect([pool.size, pool.status()]).toEqual([10_000, { pending: 10_000, queued: 0 }])
    expect([...pool.best()].map((tx) => Number(tx.nonce))).toEqual(
      Array.from({ length: 10_000 }, (_, i) => i),
    )
  })
})
