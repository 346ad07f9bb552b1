import { expect, test } from 'vitest'
import { RecentMap } from '../../src/base/collections.ts'

test('a map of recent entries keeps those that were used since it was filled, at most two generations', () => {
  const map = new RecentMap<string, number>(2)
  const all = () => ['a', 'b', 'c', 'd', 'e'].map((key) => map.get(key))
  map.set('a', 1)
  map.set('b', 2)
  expect(all()).toEqual([1, 2, undefined, undefined, undefined])
  map.set('c', 3)
  // This use makes it one of the newer ones, which `d` and `e` replace.
  expect(map.get('a')).toBe(1)
  map.set('d', 4)
  expect([map.get('b'), map.get('c'), map.get('d')]).toEqual([undefined, 3, 4])
})
