/** The lines of a fork's cache, in a text and in a database, and what `withCache` makes of them. */
import fc from 'fast-check'
import { MemoryLevel } from 'memory-level'
import { describe, expect, it } from 'vitest'
import { createManualClock } from '../../../src/base/manualClock.ts'
import type { ForkedProvider } from '../../../src/base/options/forkOptions.ts'
import { block, blockAt, blockOrNull, json } from '../../../src/core/fork/answers.ts'
import { type ForkCache, openForkCache, withCache } from '../../../src/core/fork/cache.ts'
import { ForkCacheError, NotInForkCacheError, RemoteRpcError } from '../../../src/core/fork/errors.ts'
import { askAll, createRemote } from '../../../src/core/fork/remote.ts'
import { runs } from '../../full.ts'
import { startChain } from '../../harness.ts'
import { balanceOf, codeOf, transferFrom } from './support.ts'

const HASH = `0x${'ab'.repeat(32)}` as const
const FORK_LINE = `[1,"preseal_fork",[],{"chainId":"0x1","blockHash":"${HASH}"}]\n`
const CODE = `0x60${'00'.repeat(99)}` as const
const ADDRESS = `0x${'77'.repeat(20)}` as const

const connect = (provider: ForkedProvider) =>
  createRemote({ provider, concurrency: 8, batch: 100, timeout: 20_000, clock: createManualClock() })

const DEAD: ForkedProvider = {
  request() {
    throw new RemoteRpcError(-32000, 'a trip was made')
  },
}

async function openText(text: string): Promise<ForkCache> {
  const cache = await openForkCache({ text })
  await cache.load(1n, HASH)
  return cache
}

describe('lines', () => {
  it('are what was put, and give it back', async () => {
    const cache = await openText('')
    cache.put('eth_getBalance', [ADDRESS], '0x1')
    cache.put('eth_getCode', [ADDRESS], CODE)
    const lines = cache.toText().split('\n')
    expect(lines[0]).toBe(FORK_LINE.trimEnd())
    expect(lines[1]).toMatch(/^\[1,"preseal_code",\["0x[0-9a-f]{64}"\],"0x60(00){99}"\]$/)
    expect(lines[2]).toBe(`[1,"eth_getBalance",["${ADDRESS}"],"0x1"]`)
    const again = await openText(cache.toText())
    expect(again.get('eth_getBalance', [ADDRESS])).toBe('0x1')
    expect(again.get('eth_getCode', [ADDRESS])).toBe(CODE)
    expect(again.get('eth_getBalance', [HASH])).toBe(undefined)
    expect(again.toText()).toBe(cache.toText())
  })

  it('of any JSON are read again, as far as they are whole', async () => {
    const entry = fc.record({ params: fc.array(fc.jsonValue(), { maxLength: 3 }), answer: fc.jsonValue() })
    const hasPrototype = (value: unknown) => JSON.stringify(value).includes('__proto__')
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { maxLength: 6 }), fc.nat(), async (entries, cut) => {
        fc.pre(!hasPrototype(entries))
        const cache = await openText('')
        for (const [i, { params, answer }] of entries.entries()) cache.put(`test_${i}`, params, answer)
        const text = cache.toText()
        const end = cut % (text.length + 1)
        const torn = await openText(text.slice(0, end))
        const isWhole = (i: number) =>
          end >=
          text
            .split('\n')
            .slice(0, i + 2)
            .join('\n').length
        for (const [i, { params, answer }] of entries.entries()) {
          // JSON has one zero.
          const expected = isWhole(i) ? JSON.parse(JSON.stringify(answer)) : undefined
          expect(torn.get(`test_${i}`, params)).toEqual(expected)
        }
      }),
      runs(50, 2000),
    )
  })

  it.each([
    ['torn', '[1,"a",[],"0x'],
    ['garbled', 'a<>b'],
    ['of another form', '{"a":1}'],
    ['with a prototype', '[1,"a",[],{"__proto__":1}]'],
    ['of two writers', '[1,"a",[],"0[1,"b",[],"0x2"]'],
  ])('are left out if they are %s', async (_, line) => {
    const cache = await openText(`${line}\n[1,"c",[],"0x3"]\n[1,"c",[],"0x3"]\n\n${line}`)
    expect(['a', 'b', 'c'].map((method) => cache.get(method, []))).toEqual([undefined, undefined, '0x3'])
  })

  it('of a newer version are refused', async () => {
    const cache = openForkCache({ text: '[2,"a",[],"0x3"]\n' })
    await expect(cache).rejects.toThrow(ForkCacheError)
    await expect(cache).rejects.toThrow(
      "the fork's cache cannot be read: it has lines of version 2, expected 1",
    )
  })

  it('with a code that does not have its hash are left out', async () => {
    const cache = await openText('')
    cache.put('eth_getCode', [ADDRESS], CODE)
    const damaged = await openText(cache.toText().replace('"0x6000', '"0x6001'))
    expect(damaged.get('eth_getCode', [ADDRESS])).toBe(undefined)
  })

  it('give values of the caller, and keep none of its', async () => {
    const cache = await openText('')
    const given = { list: [1] }
    cache.put('a', [], given)
    given.list.push(2)
    const got = cache.get('a', []) as typeof given
    got.list.push(3)
    expect(cache.get('a', [])).toEqual({ list: [1] })
  })
})

describe('a database', () => {
  it('has the answers of each block, and lists the blocks', async () => {
    const chain = await startChain()
    const blockHash = await transferFrom(chain)
    const block = await chain.standard.request({ method: 'eth_getBlockByHash', params: [blockHash, false] })
    const database = new MemoryLevel<never, never>()
    for (let i = 0; i < 40; i++) {
      const cache = await openForkCache(database)
      await cache.load(31337n, blockHash)
      if (i === 0) cache.put('eth_getBlockByHash', [blockHash, false], block)
      if (i === 0) cache.put('eth_getCode', [ADDRESS], CODE)
      cache.put('test', [i], `0x${i}`)
      await cache.close()
      expect(cache.get('test', [i])).toBe(undefined)
    }
    const cache = await openForkCache(database)
    await cache.load(1, HASH)
    expect(cache.get('test', [0])).toBe(undefined)
    cache.put('test', [0], '0xff')
    await cache.flush()
    expect(await cache.forks()).toEqual([
      { chainId: 31337n, blockHash, blockNumber: 1n },
      { chainId: 1n, blockHash: HASH, blockNumber: undefined },
    ])
    await cache.load(31337n, blockHash)
    expect(Array.from({ length: 40 }, (_, i) => cache.get('test', [i]))).toEqual(
      Array.from({ length: 40 }, (_, i) => `0x${i}`),
    )
    expect(cache.get('eth_getCode', [ADDRESS])).toBe(CODE)
    expect(cache.get('eth_getBlockByHash', [blockHash, false])).toEqual(block)
  })

  it('that refuses a write is reported by flush, and written to again', async () => {
    const database = new MemoryLevel<never, never>()
    const batch = database.batch.bind(database) as never as (...args: unknown[]) => Promise<void>
    let isFull = true
    Object.assign(database, {
      batch: (...args: unknown[]) => (isFull ? Promise.reject(new Error('disk full')) : batch(...args)),
    })
    const cache = await openForkCache(database)
    await cache.load(1n, HASH)
    cache.put('a', [], '0x1')
    await expect(cache.flush()).rejects.toThrow("the fork's cache cannot be written: disk full")
    expect(cache.get('a', [])).toBe('0x1')
    isFull = false
    cache.put('b', [], '0x2')
    await cache.close()
    const again = await openForkCache(database)
    await again.load(1n, HASH)
    expect([again.get('a', []), again.get('b', [])]).toEqual(['0x1', '0x2'])
  })
})

describe('withCache', () => {
  it('asks for what is pinned once, and offline for nothing', async () => {
    const chain = await startChain()
    const blockHash = await transferFrom(chain)
    await chain.setCode(ADDRESS, CODE)
    const later = await transferFrom(chain)
    const asked: string[] = []
    const counting: ForkedProvider = {
      request(args) {
        asked.push(args.method)
        return chain.standard.request(args as never)
      },
    }
    const requests = [
      balanceOf(ADDRESS, blockHash),
      codeOf(ADDRESS, later),
      {
        method: 'eth_getBlockByHash',
        params: [later, true],
        read: blockAt({ hash: later }, block),
        isPinned: true,
      },
    ]
    const cache = await openForkCache({ text: '' })
    await cache.load(31337n, later)
    const remote = withCache(connect(counting), cache, { offline: false })
    const online = await askAll(remote, requests)
    expect(online.slice(0, 2)).toEqual([
      { status: 'fulfilled', value: 1n },
      { status: 'fulfilled', value: CODE },
    ])
    expect(await askAll(remote, requests)).toEqual(online)
    expect(asked).toHaveLength(3)

    const recorded = await openForkCache({ text: cache.toText() })
    const [fork] = await recorded.forks()
    expect(fork).toEqual({ chainId: 31337n, blockHash: later, blockNumber: 2n })
    await recorded.load(fork!.chainId, fork!.blockHash)
    const offline = withCache(connect(DEAD), recorded, { offline: true })
    expect(await askAll(offline, requests)).toEqual(online)
    expect(await askAll(offline, requests)).toEqual(online)
    const missing = await offline.ask(balanceOf(ADDRESS, HASH)).catch((error) => error)
    expect(missing).toBeInstanceOf(NotInForkCacheError)
    expect({ code: missing.code, message: missing.message }).toEqual({
      code: -32000,
      message: `not in the fork's cache: eth_getBalance ["${ADDRESS}",{"blockHash":"${HASH}"}]; to record it, run once with fork.url (--fork-url) and without fork.offline (--offline)`,
    })
    const unpinned = { method: 'eth_chainId', params: [], read: json, isPinned: false }
    await expect(offline.ask(unpinned)).rejects.toThrow("not in the fork's cache: eth_chainId []")
  })

  it('keeps neither null nor errors, nor what is not pinned', async () => {
    const chain = await startChain()
    const cache = await openText('')
    const remote = withCache(connect(chain.standard as never), cache, { offline: false })
    await askAll(remote, [
      { method: 'eth_getBlockByHash', params: [HASH, false], read: blockOrNull, isPinned: true },
      { method: 'eth_unknown', params: [], read: json, isPinned: true },
      { method: 'eth_blockNumber', params: [], read: json, isPinned: false },
    ])
    expect(cache.toText()).toBe(FORK_LINE)
  })

  it('asks again for an answer that was changed in the cache, and offline says so', async () => {
    const chain = await startChain()
    const blockHash = await transferFrom(chain)
    const request = balanceOf(ADDRESS, blockHash)
    const cache = await openText(`[1,"${request.method}",${JSON.stringify(request.params)},"0x"]\n`)
    const remote = connect(chain.standard as never)
    await expect(withCache(remote, cache, { offline: true }).ask(request)).rejects.toThrow(
      'expected a hex quantity of up to 256 bits',
    )
    expect(await withCache(remote, cache, { offline: false }).ask(request)).toBe(1n)
    expect(await withCache(remote, cache, { offline: true }).ask(request)).toBe(1n)
  })
})
