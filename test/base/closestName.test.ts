import { describe, expect, it } from 'vitest'
import { closestName } from '../../src/base/closestName.ts'

const NAMES = ['mining', 'blockTime', 'blocks', 'blobs', 'accounts', 'fork']

describe('the closest name', () => {
  it.each([
    ['minning', 'mining'],
    ['minig', 'mining'],
    ['minign', 'mining'],
    ['moning', 'mining'],
    ['blocktime', 'blockTime'],
    ['acounst', 'accounts'],
    ['mining', 'mining'],
    ['blos', 'blobs'],
    // Closer to one than to another.
    ['block', 'blocks'],
    ['blob', 'blobs'],
    ['fokr', 'fork'],
    ['fo', undefined],
    ['x', undefined],
    ['', undefined],
    ['chain', undefined],
  ])('of %j is %j', (name, expected) => {
    expect(closestName(name, NAMES)).toBe(expected)
  })

  it('is none if two are as close', () => {
    expect(closestName('port', ['part', 'sort'])).toBeUndefined()
  })
})
