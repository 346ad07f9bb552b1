/** Databases that lose batches or are damaged: the chain of an earlier batch, a named error or the right answers. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from '../../src/base/bytes.ts'
import {
  DatabaseCorruptError,
  DatabaseVersionError,
  GenesisMismatchError,
} from '../../src/core/ledger/errors.ts'
import { numberKey } from '../../src/core/ledger/ethereumjs/blockchain.ts'
import { accountKey } from '../../src/core/ledger/format/records.ts'
import { hardforkConfig } from '../../src/ethereum/rules.ts'
import type { Hex, PresealChain } from '../../src/index.ts'
import { entriesIn, memoryLevel, type TestLevel } from '../core/ledger/failingDatabase.ts'
import { send } from '../core/sequencer/support.ts'
import { runs, sample } from '../full.ts'
import { startChain } from '../harness.ts'
import { operations, orRevert, perform } from '../operations.ts'
import { ask } from '../rpc/scene.ts'
import { agrees, BYTES, DAMAGES, damagedLevel, filled, keyName, open } from './damages.ts'
import { everythingOf } from './everything.ts'

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

describe('a database of which only the first batches were written', () => {
  it('has the chain as it was after the last of them', async () => {
    const steps = operations((operation) => fc.array(orRevert(operation), { minLength: 1, maxLength: 10 }))
    const property = fc.asyncProperty(steps, async (list) => {
      const batches: (readonly [never[], object])[] = []
      const chain = await startChain({ database: withRecord(memoryLevel(), batches) as never }, {}, ORACLE)
      /** What the chain was when it had written this many batches. */
      const states = new Map<number, unknown>([[batches.length, await everythingOf(chain)]])
      for (const operation of list) {
        await perform(chain, operation).catch(() => {})
        states.set(batches.length, await everythingOf(chain))
      }
      await chain.finish()
      const level = memoryLevel()
      for (const [i, [operations, options]] of batches.entries()) {
        await level.batch(operations, options)
        const resumed = await open(level)
        const found = await everythingOf(resumed)
        if (states.has(i + 1)) expect(found).toEqual(states.get(i + 1))
        await resumed.close()
      }
    })
    await fc.assert(property, runs(2, 300))
  })
})

const EXPECTED = [DatabaseCorruptError, DatabaseVersionError, GenesisMismatchError]

describe('a damaged entry', () => {
  it.each(DAMAGES)('gives a named error or the right answers: %s', async (_, damage) => {
    const { entries, answers } = await filled()
    const wrong: string[] = []
    for (const [damagedKey] of sample(entries, 30)) {
      const level = await damagedLevel(entries, damagedKey, damage)
      const name = keyName(damagedKey)
      let chain: PresealChain | undefined
      try {
        chain = await open(level)
        if (!agrees(await everythingOf(chain, false, answers), answers)) wrong.push(`${name}: another answer`)
      } catch (error) {
        if (!EXPECTED.some((type) => error instanceof type)) wrong.push(`${name}: ${error}`)
      }
      await chain?.close()
    }
    expect(wrong).toEqual([])
  })
})

describe('an account whose storage is the one of another by a flipped bit', () => {
  it('is noticed at the start, although the state root is the same', async () => {
    const level = memoryLevel()
    const chain = await open(level)
    const [a, b] = [
      '0x00000000000000000000000000000000000000a1',
      '0x00000000000000000000000000000000000000b1',
    ] as const
    for (const address of [a, b]) {
      await chain.setCode(address, '0x60003560005500')
      await chain.setStorageAt(address, '0x0', `0x${'00'.repeat(31)}01`)
    }
    await chain.seal()
    await chain.close()
    const [first, second] = await Promise.all(
      [a, b].map(async (address) => (await level.get(accountKey(address) as never, BYTES)) as Uint8Array),
    )
    // Before the number of slots and the checksum.
    const place = second!.length - 4 - 2
    expect(first![place]! ^ second![place]!).toBe(1)
    const damaged = Uint8Array.from(second!, (byte, i) => (i === place ? byte ^ 1 : byte))
    await level.put(accountKey(b) as never, damaged as never, BYTES as never)
    await expect(open(level)).rejects.toThrow(new DatabaseCorruptError(`the account ${b}`))
  })
})

describe('a canonical block whose number is lost', () => {
  it('fails each query that needs it', async () => {
    const { entries, answers } = await filled()
    const { hash } = answers.answers['2']!.block as { readonly hash: Hex }
    const [key] = entries.find(([one]) => bytesToHex(one) === bytesToHex(numberKey(hash)))!
    const { standard, close } = await open(await damagedLevel(entries, key, () => undefined))
    const filter = await ask(standard, 'eth_newFilter', [{ fromBlock: '0x0' }])
    const requests: [string, unknown[]][] = [
      ['eth_getLogs', [{ fromBlock: '0x0' }]],
      ['eth_getLogs', [{ fromBlock: '0x2', toBlock: '0x2' }]],
      ['eth_getLogs', [{ blockHash: hash }]],
      ['eth_getFilterLogs', [filter]],
      ['eth_getBlockByHash', [hash, false]],
      ['eth_getBlockByNumber', ['0x2', false]],
      ['eth_getBlockReceipts', ['0x2']],
    ]
    const failure = 'error -32000 the database is damaged: block 2 cannot be read'
    for (const [method, params] of requests)
      expect([method, await ask(standard, method, params)]).toEqual([method, failure])
    expect(await ask(standard, 'eth_getBlockByHash', [`0x${'77'.repeat(32)}`, false])).toBe(null)
    expect(await ask(standard, 'eth_getLogs', [{ fromBlock: '0x3' }])).toEqual(expect.any(Array))
    await close()
  })
})

describe('a pre-confirmed transaction whose entry is lost', () => {
  it('is named at the start', async () => {
    const level = memoryLevel()
    const chain = await open(level)
    const [first, second] = [await send(chain, { nonce: 0 }), await send(chain, { from: 1, nonce: 0 })]
    await chain.tick()
    await chain.close()
    await level.del('preseal:pool:1' as never)
    await expect(open(level)).rejects.toThrow(
      new DatabaseCorruptError(`the pre-confirmed transaction ${second}`),
    )
    expect(first).not.toBe(second)
  })
})

describe('the rules by which blocks were executed', () => {
  it.each(DAMAGES.slice(0, 3))('are read at the start: %s', async (_, damage) => {
    const { entries } = await filled()
    const [key] = entries.find(([one]) => keyName(one) === 'preseal:rules:0')!
    await expect(open(await damagedLevel(entries, key, damage))).rejects.toThrow(
      new DatabaseCorruptError('the entry preseal:rules:0'),
    )
  })

  it('keep their number if their entry is lost, since blocks name it', async () => {
    const level = memoryLevel()
    const sealAt = async (osakaTime: number): Promise<void> => {
      const config = { ...hardforkConfig(31_337, 'prague'), osakaTime }
      const genesis = { config, alloc: {}, gasLimit: '0x1c9c380', difficulty: '0x0' } as never
      const chain = await startChain({ genesis, database: level as never }, {}, ORACLE)
      await chain.seal()
      await chain.finish()
    }
    await sealAt(2_000_000_000)
    await sealAt(2_000_000_001)
    await level.del(new TextEncoder().encode('preseal:rules:1') as never, BYTES as never)
    await sealAt(2_000_000_002)
    const names = (await entriesIn(level)).map(([key]) => keyName(hexToBytes(key as Hex)))
    expect(names.filter((name) => name.startsWith('preseal:rules'))).toEqual([
      'preseal:rules:0',
      'preseal:rules:2',
    ])
  })
})
