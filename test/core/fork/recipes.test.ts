/** Recipes of keys: what they keep, their limits, and what becomes of lines that are none. */
import fc from 'fast-check'
import { MemoryLevel } from 'memory-level'
import { describe, expect, it } from 'vitest'
import { openForkCache, type RecipeName, Recipes, recipesOfProcess } from '../../../src/core/fork/cache.ts'
import type { StateKey } from '../../../src/core/fork/stateReads.ts'
import { runs } from '../../full.ts'
import { address, word } from '../../words.ts'

const name = (n: number): RecipeName => `${address(n)}0xa9059cbb`

const KEY: fc.Arbitrary<StateKey> = fc
  .tuple(fc.nat(5), fc.option(fc.nat(5), { nil: undefined }))
  .map(([account, slot]) => ({
    address: address(account),
    ...(slot !== undefined && { slot: word(slot) }),
  }))

const sorted = (keys: readonly StateKey[]) =>
  [...new Set(keys.flatMap(({ address, slot }) => [address, `${address}${slot ?? ''}`]))].sort()

describe('recipes', () => {
  it('have all keys that calls of a function touched, and are read again from their lines', () => {
    const notes = fc.array(fc.tuple(fc.nat(3), fc.array(KEY, { maxLength: 8 })), { maxLength: 12 })
    fc.assert(
      fc.property(notes, fc.nat(), (all, cut) => {
        let lines = ''
        const recipes = new Recipes('', (line) => {
          lines += `\n${line}`
        })
        const expected = new Map<number, StateKey[]>()
        for (const [which, keys] of all) {
          recipes.note(name(which), keys)
          expected.set(which, [...(expected.get(which) ?? []), ...keys])
        }
        for (const [which, keys] of expected) {
          expect(sorted(recipes.keysOf(name(which)))).toEqual(sorted(keys))
          expect(recipes.isNoted(name(which))).toBe(true)
        }
        const again = new Recipes(lines)
        const anew = new Recipes(recipes.toText())
        for (const [which, keys] of expected) {
          expect(sorted(again.keysOf(name(which)))).toEqual(sorted(keys))
          expect(sorted(anew.keysOf(name(which)))).toEqual(sorted(keys))
          expect(again.isNoted(name(which))).toBe(false)
        }
        // A file that ends anywhere has fewer keys, and no others.
        const torn = new Recipes(lines.slice(0, cut % (lines.length + 1)))
        for (const [which, keys] of expected) {
          const known = new Set(sorted(keys))
          expect(sorted(torn.keysOf(name(which))).filter((key) => !known.has(key))).toEqual([])
        }
      }),
      runs(60, 2000),
    )
  })

  it('leave out lines that are none', () => {
    const line = (parts: unknown) => JSON.stringify(parts)
    const to = address(1)
    const bad = [
      'garbled',
      '{}',
      line([2, 'preseal_recipe', [to, '0x'], {}]),
      line([1, 'eth_getCode', [to, '0x'], {}]),
      line([1, 'preseal_recipe', null, {}]),
      line([1, 'preseal_recipe', [to, '0x12'], {}]),
      line([1, 'preseal_recipe', ['0x', '0x'], {}]),
      line([1, 'preseal_recipe', [to, '0x'], []]),
      line([1, 'preseal_recipe', [to, '0x'], { [to]: 1 }]),
      line([1, 'preseal_recipe', [to, '0x'], { [to]: ['0x1'] }]),
      line([1, 'preseal_recipe', [to, '0x'], { [to.toUpperCase()]: [] }]),
      `[1,"preseal_recipe",["${to}","0x"],{"__proto__":["${word(1)}"]}]`,
    ]
    const good = line([1, 'preseal_recipe', [to, '0x'], { [to]: [word(1)] }])
    expect(new Recipes(bad.join('\n')).toText()).toBe('')
    expect(new Recipes([...bad, good, ...bad].join('\n')).toText()).toBe(`${good}\n`)
  })

  it('are limited: 512 keys of a function, and 16,384 of a chain, the latest', () => {
    const recipes = new Recipes()
    const keys = (from: number, count: number) =>
      Array.from({ length: count }, (_, i) => ({ address: address(9), slot: word(from + i) }))
    recipes.note(name(0), keys(0, 400))
    recipes.note(name(0), keys(1000, 400))
    expect(recipes.keysOf(name(0))).toEqual([...keys(1000, 400), ...keys(0, 112)])
    for (let i = 1; i <= 40; i++) recipes.note(name(i), keys(0, 600))
    const lengths = Array.from({ length: 41 }, (_, i) => recipes.keysOf(name(i)).length)
    expect(lengths).toEqual([...Array(9).fill(0), ...Array(32).fill(512)])
    expect([recipes.isNoted(name(8)), recipes.isNoted(name(9))]).toEqual([false, true])
  })

  it('last as long as the process for 16 chains', () => {
    const ids = Array.from({ length: 17 }, (_, i) => BigInt(900_000 + i))
    const first = recipesOfProcess(ids[0]!)
    for (const id of ids.slice(0, 16)) recipesOfProcess(id)
    expect(recipesOfProcess(ids[0]!)).toBe(first)
    recipesOfProcess(ids[16]!)
    expect(recipesOfProcess(ids[0]!)).toBe(first)
    for (const id of ids.slice(1)) recipesOfProcess(id)
    expect(recipesOfProcess(ids[0]!)).not.toBe(first)
  })

  it('of a cache in a database outlast it, and are written anew if their text is long', async () => {
    const database = new MemoryLevel<never, never>()
    const keys = [{ address: address(1) }, { address: address(1), slot: word(2) }]
    const open = async () => {
      const cache = await openForkCache(database)
      await cache.load(7n, word(1))
      return { cache, recipes: await cache.recipes(7n) }
    }
    const { cache, recipes } = await open()
    recipes.note(name(1), keys)
    await cache.close()
    // Lost, since the cache is closed.
    recipes.note(name(2), keys)
    const second = await open()
    expect([name(1), name(2)].map((one) => second.recipes.keysOf(one))).toEqual([keys, []])
    expect((await second.cache.recipes(8n)).keysOf(name(1))).toEqual([])
    await second.cache.close()

    const encodings = { keyEncoding: 'utf8', valueEncoding: 'utf8' } as never
    const entry = 'fork/recipes/7' as never
    const text = (await database.get(entry, encodings)) as string
    await database.put(entry, text.repeat(40_000) as never, encodings)
    const third = await open()
    expect(third.recipes.keysOf(name(1))).toEqual(keys)
    await third.cache.close()
    expect(await database.get(entry, encodings)).toBe(text.slice(1))
  })
})
