import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { PresealError } from '../../../src/base/errors.ts'
import type { Address, Hash } from '../../../src/base/types.ts'
import type { Mempool } from '../../../src/core/mempool/mempool.ts'
import type { MempoolOptions } from '../../../src/core/mempool/ordering.ts'
import {
  effectiveTip,
  feeCapOf,
  maxCost,
  type Transaction,
  tipCapOf,
} from '../../../src/ethereum/transaction.ts'
import { runs } from '../../full.ts'
import { createPool, defaults, type Sender, senders, transfer, type World } from './pool.ts'

interface Waiting {
  readonly tx: Transaction
  readonly arrival: number
}

const addresses: readonly Address[] = Object.values(senders)
const byNonce = (a: Waiting, b: Waiting) => (a.tx.nonce < b.tx.nonce ? -1 : 1)

/** The rules of the mempool in the simplest form: one list, with everything computed each time. */
class Model {
  waiting: Waiting[] = []
  readonly preconfirmed = new Set<Hash>()
  readonly reasons = new Map<Hash, string>()
  #arrivals = 0

  constructor(
    readonly world: World,
    readonly options: MempoolOptions,
  ) {}

  add(tx: Transaction): object | string {
    if (this.waiting.some((w) => w.tx.hash === tx.hash) || this.preconfirmed.has(tx.hash))
      return 'AlreadyKnownError'
    if (tx.nonce < this.nonceOf(tx.from)) return 'NonceTooLowError'
    const own = this.of(tx.from)
    const old = own.find((w) => w.tx.nonce === tx.nonce)
    const others = own.filter((w) => w !== old)
    const cost = [tx, ...others.map((w) => w.tx)].reduce((sum, each) => sum + maxCost(each), 0n)
    if (cost > (this.world.balances.get(tx.from) ?? 0n)) return 'InsufficientFundsError'
    const newcomer = { tx, arrival: this.#arrivals }
    let victim: Waiting | undefined
    if (old) {
      for (const fee of [feeCapOf, tipCapOf]) {
        const enough = fee(tx) > fee(old.tx) && fee(tx) >= (fee(old.tx) * 110n) / 100n
        if (!enough) return 'ReplacementUnderpricedError'
      }
    } else {
      if (own.length >= this.options.maxPerSender) return 'AccountLimitError'
      if (this.waiting.length >= this.options.maxTransactions) {
        const lasts = addresses.flatMap((address) => this.of(address).slice(-1))
        victim = lasts.sort((a, b) => this.compareWorth(a, b))[0]
        if (!victim || this.compareWorth(victim, newcomer) > 0) return 'UnderpricedError'
      }
    }
    this.#arrivals++
    if (victim) this.leave(victim.tx, 'evicted')
    if (old) this.leave(old.tx, 'replaced')
    this.waiting.push(newcomer)
    this.reasons.delete(tx.hash)
    if (old) return [{ transaction: old.tx, reason: 'replaced' }]
    return victim ? [{ transaction: victim.tx, reason: 'evicted' }] : []
  }

  leave(tx: Transaction, reason?: string): void {
    this.waiting = this.waiting.filter((w) => w.tx.hash !== tx.hash)
    if (reason) this.reasons.set(tx.hash, reason)
  }

  dropStale(): Transaction[] {
    const stale = this.waiting.filter(({ tx }) => tx.nonce < this.nonceOf(tx.from))
    for (const { tx } of stale) this.leave(tx, 'nonce')
    return stale.map((w) => w.tx)
  }

  nonceOf(address: Address): bigint {
    return this.world.nonces.get(address) ?? 0n
  }

  of(address: Address): Waiting[] {
    return this.waiting.filter((w) => w.tx.from === address).sort(byNonce)
  }

  pendingOf(address: Address): Waiting[] {
    const run: Waiting[] = []
    for (const w of this.of(address)) {
      if (w.tx.nonce !== this.nonceOf(address) + BigInt(run.length)) break
      if (feeCapOf(w.tx) < this.world.baseFee) break
      run.push(w)
    }
    return run
  }

  /** Negative if `a` is evicted before `b`. */
  compareWorth(a: Waiting, b: Waiting): number {
    const [gapA, gapB] = [this.isGapped(a), this.isGapped(b)]
    if (gapA !== gapB) return gapA ? -1 : 1
    const [tipA, tipB] = [this.worthOf(a), this.worthOf(b)]
    if (tipA !== tipB) return tipA < tipB ? -1 : 1
    return b.arrival - a.arrival
  }

  isGapped({ tx }: Waiting): boolean {
    const nonces = new Set(this.of(tx.from).map((w) => w.tx.nonce))
    for (let nonce = this.nonceOf(tx.from); nonce < tx.nonce; nonce++) if (!nonces.has(nonce)) return true
    return false
  }

  worthOf(waiting: Waiting): bigint {
    const upTo = this.of(waiting.tx.from).filter((w) => w.tx.nonce < waiting.tx.nonce)
    const tips = [...upTo, waiting].map((w) => effectiveTip(w.tx, this.world.baseFee))
    return tips.sort((a, b) => (a < b ? -1 : 1))[0] ?? 0n
  }

  best(skipped: ReadonlySet<Address> = new Set()): Transaction[] {
    const runs = addresses.filter((a) => !skipped.has(a)).map((address) => this.pendingOf(address))
    const order: Transaction[] = []
    for (;;) {
      const heads = runs.filter((run) => run.length > 0)
      heads.sort(([a], [b]) => this.compareHeads(a as Waiting, b as Waiting))
      const head = heads[0]?.shift()
      if (!head) return order
      order.push(head.tx)
    }
  }

  compareHeads(a: Waiting, b: Waiting): number {
    const [tipA, tipB] = [a, b].map((w) => effectiveTip(w.tx, this.world.baseFee)) as [bigint, bigint]
    if (this.options.ordering === 'fees' && tipA !== tipB) return tipA > tipB ? -1 : 1
    return a.arrival - b.arrival
  }

  stageOf(tx: Transaction): string | undefined {
    if (this.preconfirmed.has(tx.hash)) return 'preconfirmed'
    if (!this.waiting.some((w) => w.tx.hash === tx.hash)) return undefined
    return this.pendingOf(tx.from).some((w) => w.tx.hash === tx.hash) ? 'pending' : 'queued'
  }
}

type Step =
  | { do: 'add'; sender: Sender; nonce: number; tip: number; cap: number; value: number }
  | { do: 'tick'; count: number; skip: Sender | undefined; race: boolean }
  | { do: 'seal' }
  | { do: 'foreign'; sender: Sender }
  | { do: 'retract'; sender: Sender }
  | { do: 'drop'; which: number }
  | { do: 'baseFee'; to: number }
  | { do: 'balance'; sender: Sender; to: number }

const sender = fc.constantFrom<Sender>('A', 'B', 'C')
const add = fc.record({
  do: fc.constant('add' as const),
  sender,
  nonce: fc.nat(6),
  tip: fc.nat(12),
  cap: fc.integer({ min: 12, max: 30 }),
  value: fc.constantFrom(0, 0, 0, 400_000),
})
const others: readonly fc.Arbitrary<Step>[] = [
  fc.record({
    do: fc.constant('tick' as const),
    count: fc.nat(4),
    skip: fc.option(sender, { nil: undefined }),
    race: fc.boolean(),
  }),
  fc.constant({ do: 'seal' } as const),
  fc.record({ do: fc.constant('foreign' as const), sender }),
  fc.record({ do: fc.constant('retract' as const), sender }),
  fc.record({ do: fc.constant('drop' as const), which: fc.nat(20) }),
  fc.record({ do: fc.constant('baseFee' as const), to: fc.integer({ min: 7, max: 25 }) }),
  fc.record({ do: fc.constant('balance' as const), sender, to: fc.nat(3_000_000) }),
]
const stepsOf = (adds: number): fc.Arbitrary<Step[]> =>
  fc.array(
    fc.oneof({ weight: adds, arbitrary: add }, ...others.map((arbitrary) => ({ weight: 1, arbitrary }))),
    { minLength: 1, maxLength: 60 },
  )

/** Adds to both and checks that both give the same answer. */
function addToBoth(pool: Mempool, model: Model, tx: Transaction): void {
  let result: object | string
  try {
    result = pool.add(tx)
  } catch (error) {
    if (!(error instanceof PresealError)) throw error
    result = error.name
  }
  expect(result).toEqual(model.add(tx))
}

function run(pool: Mempool, model: Model, seen: Map<Hash, Transaction>, change: Step): void {
  const { world } = model
  const raise = (address: Address, by: bigint) => {
    const nonce = model.nonceOf(address) + by
    world.nonces.set(address, nonce < 0n ? 0n : nonce)
  }
  switch (change.do) {
    case 'add': {
      const { sender, nonce, tip, cap, value } = change
      const tx = transfer(sender, nonce, tip, cap, { value: BigInt(value), salt: value })
      seen.set(tx.hash, tx)
      addToBoth(pool, model, tx)
      return
    }
    case 'tick': {
      const skipped = new Set<Address>()
      const best = pool.best()
      if (change.skip) {
        skipped.add(senders[change.skip])
        best.skip(senders[change.skip])
      }
      const expected = model.best(skipped)
      const included: Transaction[] = []
      for (let i = 0; i < change.count; i++) {
        const { value } = best.next()
        expect(value).toEqual(expected[i])
        if (!value) break
        included.push(value)
      }
      // A replacement that arrives during the execution is not in the frozen view.
      const first = included[0]
      if (change.race && first) {
        const bumped = transfer(senderOf(first), Number(first.nonce), 40, 60)
        seen.set(bumped.hash, bumped)
        addToBoth(pool, model, bumped)
      }
      for (const tx of included) raise(tx.from, 1n)
      for (const tx of included) {
        model.preconfirmed.add(tx.hash)
        model.reasons.delete(tx.hash)
        model.leave(tx)
      }
      expect(pool.preconfirmed(included).map((dropped) => dropped.transaction)).toEqual(model.dropStale())
      return
    }
    case 'seal':
      pool.sealed([...model.preconfirmed].map((hash) => ({ hash })))
      model.preconfirmed.clear()
      return
    case 'foreign': {
      const [first] = model.of(senders[change.sender])
      raise(senders[change.sender], 1n)
      const isIncluded = first && first.tx.nonce < model.nonceOf(first.tx.from)
      if (isIncluded) model.leave(first.tx)
      const dropped = pool.prune(new Set(isIncluded ? [first.tx.hash] : []))
      expect(dropped).toEqual(model.dropStale().map((transaction) => ({ transaction, reason: 'nonce' })))
      return
    }
    case 'retract':
      pool.sealed([...model.preconfirmed].map((hash) => ({ hash })))
      model.preconfirmed.clear()
      raise(senders[change.sender], -1n)
      expect(pool.prune()).toEqual([])
      return
    case 'drop': {
      const tx = [...seen.values()][change.which]
      if (!tx) return
      const isWaiting = model.waiting.some((w) => w.tx.hash === tx.hash)
      expect(pool.drop(tx.hash, 'removed')).toEqual(isWaiting ? tx : undefined)
      if (isWaiting) model.leave(tx, 'removed')
      return
    }
    case 'baseFee':
      world.baseFee = BigInt(change.to)
      return
    case 'balance':
      world.balances.set(senders[change.sender], BigInt(change.to))
      return
  }
}

function senderOf(tx: Transaction): Sender {
  return (Object.keys(senders) as Sender[]).find((name) => senders[name] === tx.from) ?? 'A'
}

/** Compares what the pool shows with the model. */
function compare(pool: Mempool, model: Model, seen: Map<Hash, Transaction>): void {
  const { pending, queued } = pool.content()
  const expectedPending = new Map<Address, Transaction[]>()
  const expectedQueued = new Map<Address, Transaction[]>()
  for (const address of addresses) {
    const ready = model.pendingOf(address)
    const rest = model.of(address).slice(ready.length)
    if (ready.length > 0)
      expectedPending.set(
        address,
        ready.map((w) => w.tx),
      )
    if (rest.length > 0)
      expectedQueued.set(
        address,
        rest.map((w) => w.tx),
      )
  }
  const count = [...expectedPending.values()].flat().length
  const all = [...seen.values()]
  expect({
    pending,
    queued,
    best: [...pool.best()],
    hasExecutable: pool.hasExecutable(),
    size: pool.size,
    status: pool.status(),
    stages: all.map((tx) => [pool.stageOf(tx.hash), pool.drops.reasonOf(tx.hash), pool.get(tx.hash)?.hash]),
    contiguous: addresses.map((address) => pool.contiguousNonce(address, model.nonceOf(address))),
  }).toEqual({
    pending: expectedPending,
    queued: expectedQueued,
    best: model.best(),
    hasExecutable: model.best().length > 0,
    size: model.waiting.length,
    status: { pending: count, queued: model.waiting.length - count },
    stages: all.map((tx) => [
      model.stageOf(tx),
      model.reasons.get(tx.hash),
      model.waiting.find((w) => w.tx.hash === tx.hash)?.tx.hash,
    ]),
    contiguous: addresses.map((address) => {
      const nonces = new Set(model.of(address).map((w) => w.tx.nonce))
      let nonce = model.nonceOf(address)
      while (nonces.has(nonce)) nonce++
      return nonce
    }),
  })
}

/** Invariants of every pool, independent of the model. */
function checkInvariants(pool: Mempool, world: World, options: MempoolOptions): void {
  const { pending, queued } = pool.content()
  expect(pool.size).toBeLessThanOrEqual(options.maxTransactions)
  for (const address of addresses) {
    const nonces = [...(pending.get(address) ?? []), ...(queued.get(address) ?? [])].map((tx) => tx.nonce)
    expect(new Set(nonces).size).toBe(nonces.length)
    expect(nonces.length).toBeLessThanOrEqual(options.maxPerSender)
  }
  const next = new Map(world.nonces)
  const best = [...pool.best()]
  for (const tx of best) {
    expect(tx.nonce).toBe(next.get(tx.from) ?? 0n)
    next.set(tx.from, tx.nonce + 1n)
  }
  if (options.ordering !== 'fees') return
  // The next one, if of another sender, was available when this one was preferred to it.
  best.forEach((tx, i) => {
    const follower = best[i + 1]
    if (!follower || follower.from === tx.from) return
    expect(effectiveTip(follower, world.baseFee)).toBeLessThanOrEqual(effectiveTip(tx, world.baseFee))
  })
}

const cases = [
  { name: 'roomy', adds: 12, balance: 3_000_000n, change: { maxTransactions: 7, maxPerSender: 4 } },
  { name: 'crowded', adds: 60, balance: 10n ** 18n, change: { maxTransactions: 5, maxPerSender: 4 } },
  { name: 'first in, first out', adds: 12, balance: 3_000_000n, change: { ordering: 'fifo' as const } },
]

describe('mempool and its model', () => {
  test.each(cases)('are equal after any sequence of steps: $name', (each) => {
    const options: MempoolOptions = { ...defaults, ...each.change }
    fc.assert(
      fc.property(stepsOf(each.adds), (steps) => {
        const { pool, world } = createPool(options)
        for (const address of addresses) world.balances.set(address, each.balance)
        const model = new Model(world, options)
        const seen = new Map<Hash, Transaction>()
        for (const change of steps) {
          run(pool, model, seen, change)
          compare(pool, model, seen)
        }
        checkInvariants(pool, world, options)
      }),
      runs(150, 500),
    )
  })
})
