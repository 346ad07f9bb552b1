/** Executions of whole blocks by the chain's own state transition, compared with those by stock @ethereumjs. */
import { genTransactionsTrieRoot } from '@ethereumjs/block'
import { RLP } from '@ethereumjs/rlp'
import type { TypedTransaction } from '@ethereumjs/tx'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { bytesToHex } from '../../../src/base/bytes.ts'
import { realNow, replaceRealTime } from '../../../src/base/clock.ts'
import type { Address } from '../../../src/base/types.ts'
import { YIELD_AFTER_MS } from '../../../src/base/waiting.ts'
import { DAO_REFUND, daoAccounts } from '../../../src/ethereum/daoFork.ts'
import { hardforkConfig } from '../../../src/ethereum/rules.ts'
import type { StateChanges } from '../../../src/ethereum/state/account.ts'
import { createManualClock, type GethGenesis, ImportError } from '../../../src/index.ts'
import { createSlowSource } from '../../ethereum/state/slowSource.ts'
import { FULL, runs } from '../../full.ts'
import { externalChain, GENESIS, PAID, toBytes, transactionsOf } from './externalChain.ts'
import { openTarget } from './importTarget.ts'
import { buildChain, plan } from './randomChain.ts'
import { StockChain } from './stockChain.ts'

// A chain takes a second, which is too long for shrinking one.
const RUNS = { ...runs(3, 20), endOnFailure: true }
const CHANGED_RUNS = { ...runs(1, 20), endOnFailure: true }
const NO_REQUESTS = '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

/** The header fields that a change replaces, by their place in a header. */
const FIELDS = { stateRoot: 3, receiptsRoot: 5, logsBloom: 6, gasUsed: 10, requestsHash: 20 }

type Change = keyof typeof FIELDS | 'a transaction less' | 'a transaction twice' | 'the reverse order'

/** A block's RLP after a change; the root of its transactions is that of the changed ones. */
async function changed(block: StockChain['blocks'][number], change: Change): Promise<Uint8Array> {
  const [header, transactions, ...rest] = RLP.decode(block.serialize()) as unknown as [
    Uint8Array[],
    unknown[],
  ]
  if (change in FIELDS) {
    const at = FIELDS[change as keyof typeof FIELDS]
    // A header without the field gets one too many.
    header[at] = (header[at] ?? new Uint8Array(32)).map((byte, i) => (i === 0 ? byte ^ 1 : byte))
    return RLP.encode([header, transactions, ...rest] as never)
  }
  const edit = <T>(list: readonly T[]): T[] => {
    if (change === 'a transaction less') return list.slice(0, -1)
    return change === 'a transaction twice' ? [...list, ...list.slice(-1)] : list.toReversed()
  }
  header[4] = await genTransactionsTrieRoot(edit<TypedTransaction>(block.transactions))
  return RLP.encode([header, edit(transactions), ...rest] as never)
}

describe('executeBlock', () => {
  it('gives the roots and receipts of stock @ethereumjs for random blocks of every fork', async () => {
    const census = { failed: 0, uncles: 0, withdrawals: 0, requests: 0, types: new Set<number>() }
    await fc.assert(
      fc.asyncProperty(plan, async (planned) => {
        const { genesis, chain } = await buildChain(planned)
        const target = await openTarget(genesis)
        for (const stock of chain.blocks.slice(1)) {
          await target.import(stock.serialize(), { verify: 'ethereumjs' })
          const { header, hash, transactions, receipts, uncles, withdrawals = [] } = target.head.block
          expect(hash).toBe(bytesToHex(stock.hash()))
          for (const { type } of transactions) census.types.add(type)
          census.failed += receipts.filter(({ succeeded }) => !succeeded).length
          census.uncles += uncles.length
          census.withdrawals += withdrawals.length
          if ((header.requestsHash ?? NO_REQUESTS) !== NO_REQUESTS) census.requests += 1
        }
      }),
      RUNS,
    )
    // Few chains of another seed than that of `npm test` can lack what is rare.
    if (FULL) return
    expect([...census.types].sort()).toEqual([0, 1, 2, 3, 4])
    expect(Math.min(census.failed, census.uncles, census.withdrawals, census.requests)).toBeGreaterThan(2)
  })

  it('refuses random blocks after a change if and only if stock @ethereumjs does', async () => {
    const change = fc.constantFrom<Change>(
      ...(Object.keys(FIELDS) as Change[]),
      'a transaction less',
      'a transaction twice',
      'the reverse order',
    )
    let refused = 0
    await fc.assert(
      fc.asyncProperty(plan, fc.array(change, { minLength: 20, maxLength: 40 }), async (planned, changes) => {
        const { genesis, chain } = await buildChain(planned)
        const target = await openTarget(genesis)
        for (const [i, stock] of chain.blocks.slice(1).entries()) {
          const { head } = target
          try {
            // It is compared with stock @ethereumjs, and would fail with a VerificationError.
            await target.import(await changed(stock, changes[i % changes.length]!), { verify: 'ethereumjs' })
            // Such as the reverse order of equal transfers.
            if (target.head.block.hash !== bytesToHex(stock.hash())) return
          } catch (error) {
            expect(error).toBeInstanceOf(ImportError)
            expect(target.head).toBe(head)
            refused += 1
          }
          await target.import(stock.serialize())
        }
      }),
      CHANGED_RUNS,
    )
    // A chain can end early, so the average depends on the seed, which `npm test` fixes.
    expect(refused).toBeGreaterThan(FULL ? 0 : 20 * CHANGED_RUNS.numRuns)
  })

  it('loads the state that it reads', async () => {
    const blocks = await externalChain()
    const source = (genesis: StateChanges) => createSlowSource(genesis).source
    for (const options of [{}, { verify: 'ethereumjs' } as const]) {
      const target = await openTarget(GENESIS, { source })
      await target.import(toBytes(blocks), options)
      expect(target.head.block.hash).toBe(blocks.at(-1)!.hash)
    }
  })

  it('removes an empty account that a withdrawal of nothing touches', async () => {
    const empty: Address = `0x${'eb'.repeat(20)}`
    const genesis: GethGenesis = {
      ...GENESIS,
      config: hardforkConfig(1, 'shanghai'),
      alloc: { [empty]: { balance: '0x0' } },
      difficulty: '0x0',
    }
    const chain = await StockChain.create(genesis)
    const target = await openTarget(genesis)
    expect(target.head.state.account(empty)).toMatchObject({ balance: 0n })
    const withdrawals = [{ index: 0n, validatorIndex: 0n, address: empty, amount: 0n }]
    const block = await chain.make({ timestamp: 10, coinbase: PAID, transactions: [], withdrawals })
    await target.import(block.serialize(), { verify: 'ethereumjs' })
    expect(target.head.state.account(empty)).toBeUndefined()
  })

  it('moves the balances of the DAO at its fork', async () => {
    const accounts = daoAccounts()
    expect(accounts).toHaveLength(116)
    const balance = (i: number) => `0x${(i + 1).toString(16)}` as const
    const genesis: GethGenesis = {
      ...GENESIS,
      config: { chainId: 1, homesteadBlock: 0, daoForkBlock: 2, daoForkSupport: true },
      alloc: Object.fromEntries(accounts.map((address, i) => [address, { balance: balance(i) }])),
    }
    const chain = await StockChain.create(genesis)
    const target = await openTarget(genesis)
    const extraData = new TextEncoder().encode('dao-hard-fork')
    const balances = () =>
      [...accounts, DAO_REFUND].map((address) => target.head.state.account(address)?.balance)
    for (const [timestamp, moved] of [
      [10, false],
      [20, true],
      [30, true],
    ] as const) {
      const content = { timestamp, coinbase: PAID, transactions: [], ...(moved && { extraData }) }
      await target.import((await chain.make(content)).serialize(), { verify: 'ethereumjs' })
      const before = [...accounts.keys()].map((i) => BigInt(i + 1))
      expect(balances()).toEqual(
        moved ? [...before.map(() => 0n), (116n * 117n) / 2n] : [...before, undefined],
      )
    }
  })

  it('yields to the event loop between transactions', async () => {
    const [first, second] = await externalChain()
    expect([first!, second!].map((block) => transactionsOf(block).length)).toEqual([3, 3])
    let now = realNow()
    onTestFinished(replaceRealTime(() => (now += YIELD_AFTER_MS)))
    let turns = 0
    const clock = Object.assign(createManualClock(), {
      yield: async () => {
        turns += 1
      },
    })
    const target = await openTarget(GENESIS, { clock })
    await target.import(first!.rlp)
    // One after each transaction, one after those are hashed, and one after the block.
    expect(turns).toBe(5)
    turns = 0
    await target.import(second!.rlp, { verify: 'ethereumjs' })
    // Three more by stock @ethereumjs, and one before each code that is analysed.
    expect(turns).toBe(11)
  })
})
