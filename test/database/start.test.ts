/** The start of a stored chain: what it reads, and going back to before it. */
import { describe, expect, it } from 'vitest'
import type { Address, GethGenesis } from '../../src/base/types.ts'
import { assembleChain } from '../../src/chain/chain.ts'
import { DatabaseVersionError, GenesisMismatchError } from '../../src/core/ledger/errors.ts'
import { hardforkConfig } from '../../src/ethereum/rules.ts'
import { createChain, createManualClock, type PresealChain } from '../../src/index.ts'
import type { TestLevel } from '../core/ledger/failingDatabase.ts'
import { memoryLevel } from '../core/ledger/failingDatabase.ts'
import { send } from '../core/sequencer/support.ts'
import { startChain } from '../harness.ts'
import { everythingOf } from './everything.ts'

/** The database, with what is read from it counted. */
function withCount(level: TestLevel, count: { reads: number }): TestLevel {
  return new Proxy(level, {
    get(target, name) {
      if (name === 'get') {
        return (...args: [never, never]) => {
          count.reads += 1
          return target.get(...args)
        }
      }
      if (name === 'iterator') {
        return (options: object) => {
          const iterator = target.iterator(options as never)
          return {
            async nextv(size: number) {
              const entries = await iterator.nextv(size)
              count.reads += entries.length
              return entries
            },
            close: () => iterator.close(),
          }
        }
      }
      const value = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

const address = (byte: number): Address => `0x${byte.toString(16).padStart(40, '0')}`

const OPTIONS = { mining: 'manual' as const, history: { blocks: 1000, proofs: 10 } }
const open = (database: TestLevel): Promise<PresealChain> =>
  createChain({
    ...OPTIONS,
    clock: createManualClock(1_700_000_000_000),
    database: database as never,
  })

async function chainOf(blocks: number): Promise<TestLevel> {
  const level = memoryLevel()
  // Before Cancun an empty block changes no state.
  const chain = await createChain({
    ...OPTIONS,
    hardfork: 'shanghai',
    clock: createManualClock(1_700_000_000_000),
    database: level as never,
  })
  await chain.mine(blocks)
  await chain.close()
  return level
}

describe('the start of a stored chain', () => {
  it('executes nothing', async () => {
    const database = memoryLevel()
    const chain = await startChain({ database: database as never })
    await send(chain, { nonce: 0 })
    await chain.seal()
    await chain.seal()
    await chain.finish()
    const executed: unknown[] = []
    const resumed = await assembleChain(
      { ...OPTIONS, clock: createManualClock(1_700_000_000_000), database: database as never },
      {
        executor: (own) => ({
          ...own,
          execute: (...args: never[]) => {
            executed.push(args)
            return (own.execute as (...values: never[]) => never)(...args)
          },
        }),
      },
    )
    expect(await resumed.standard.request({ method: 'eth_blockNumber' })).toBe('0x2')
    expect(executed).toEqual([])
    await resumed.close()
  })

  it('reads as much of a long chain as of a short one with the same state', async () => {
    const readsOf = async (blocks: number): Promise<number> => {
      const count = { reads: 0 }
      const database = withCount(await chainOf(blocks), count) as never
      const clock = createManualClock(1_700_000_000_000)
      const chain = await createChain({ ...OPTIONS, hardfork: 'shanghai', clock, database })
      await chain.close()
      return count.reads
    }
    // The hashes that BLOCKHASH reaches are read in parts of 256.
    expect((await readsOf(1100)) - (await readsOf(600))).toBeLessThan(256)
  })

  it('takes the genesis that it began with, however its accounts are ordered, and no other', async () => {
    const alloc = { [address(1)]: { balance: '0x1' }, [address(2)]: { balance: 2n as never, nonce: '0x5' } }
    const genesis = { config: hardforkConfig(1234, 'prague'), alloc, gasLimit: '0x1c9c380' }
    const database = memoryLevel() as never
    const begin = (given: GethGenesis) =>
      createChain({ ...OPTIONS, clock: createManualClock(1_700_000_000_000), genesis: given, database })
    const first = await begin(genesis)
    await first.setBalance(address(1), 7n)
    await first.seal()
    await first.close()
    for (const entries of [Object.entries(alloc), Object.entries(alloc).reverse()]) {
      const chain = await begin({ ...genesis, alloc: Object.fromEntries(entries) })
      expect(await chain.standard.request({ method: 'eth_getBalance', params: [address(1)] })).toBe('0x7')
      await chain.close()
    }
    await expect(begin({ ...genesis, alloc: { [address(1)]: { balance: '0x1' } } })).rejects.toThrow(
      GenesisMismatchError,
    )
    const chain = await begin(genesis)
    await chain.standard.request({ method: 'anvil_reset' })
    const states = await Promise.all(
      [1, 2].map(async (byte) => [
        await chain.standard.request({ method: 'eth_getBalance', params: [address(byte)] }),
        await chain.standard.request({ method: 'eth_getTransactionCount', params: [address(byte)] }),
      ]),
    )
    expect(states).toEqual([
      ['0x1', '0x0'],
      ['0x2', '0x5'],
    ])
    await chain.close()
  })

  it('refuses a database of a newer format, and leaves it unchanged', async () => {
    const level = memoryLevel()
    await (await open(level)).close()
    const all = () => level.iterator({ keyEncoding: 'view', valueEncoding: 'view' } as never).all()
    await level.put(
      'preseal:format' as never,
      Uint8Array.of(2, 1) as never,
      { keyEncoding: 'utf8', valueEncoding: 'view' } as never,
    )
    const before = await all()
    await expect(open(level)).rejects.toThrow(new DatabaseVersionError(2, 1))
    expect(await all()).toEqual(before)
  })
})

describe('going back to before the start', () => {
  /** A chain of six blocks with transfers and cheats, and its answers at each. */
  async function stored() {
    const database = memoryLevel()
    const chain = await startChain({ database: database as never })
    for (let nonce = 0; nonce < 6; nonce++) {
      await send(chain, { nonce })
      await chain.seal()
      if (nonce === 2) await chain.setBalance(chain.accounts[5]!.address, 7n)
    }
    const answers = (await everythingOf(chain)) as { readonly answers: Readonly<Record<string, unknown>> }
    await chain.finish()
    return { database, answers: answers.answers }
  }

  it.each([
    ['anvil_rollback', [3], 3],
    ['anvil_rollback', [5], 1],
    ['anvil_reset', [], 0],
  ] as const)('%s %j leaves the blocks before as they were, and is stored', async (method, params, head) => {
    const { database, answers } = await stored()
    const chain = await startChain({ database: database as never })
    await chain.standard.request({ method, params: [...params] })
    const found = (await everythingOf(chain)) as { readonly answers: Readonly<Record<string, unknown>> }
    expect(Object.keys(found.answers)).toEqual(Object.keys(answers).slice(0, head + 1))
    for (let number = 0; number < head; number++) expect(found.answers[number]!).toEqual(answers[number])
    await chain.tick()
    await chain.seal()
    const after = await everythingOf(chain)
    await chain.finish()
    const again = await startChain({ database: database as never })
    expect(await everythingOf(again)).toEqual(after)
  })

  it('replaces blocks in a reorg', async () => {
    const { database } = await stored()
    const chain = await startChain({ database: database as never })
    await chain.seal()
    await chain.reorg({ depth: 4 })
    const after = await everythingOf(chain)
    await chain.finish()
    expect(await everythingOf(await startChain({ database: database as never }))).toEqual(after)
  })
})
