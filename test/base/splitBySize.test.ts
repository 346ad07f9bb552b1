import { expect, it } from 'vitest'
import { splitBySize } from '../../src/base/collections.ts'

it('splits items by a limit of their sizes, in order, with a part of its own for a larger one', () => {
  const split = (...sizes: number[]) => splitBySize(sizes, 10, (size) => size)
  expect(split()).toEqual([])
  expect(split(4, 6, 1)).toEqual([[4, 6], [1]])
  expect(split(0, 11, 2, 9)).toEqual([[0], [11], [2], [9]])
})
