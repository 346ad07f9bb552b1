import { expect, it } from 'vitest'
import { TripWindow } from '../../../src/core/fork/dispatcher.ts'

it('is halved once for all trips that began before, never below one, and grows by one for each round', () => {
  const window = new TripWindow(8)
  const entries = [window.era, window.era]
  for (const entry of entries) window.shrink(entry)
  expect(window.size).toBe(4)
  const sizes = [1, 2, 3, 4, 5].map(() => {
    window.grow()
    return window.size
  })
  expect(sizes).toEqual([4, 4, 4, 4, 5])
  for (let i = 0; i < 100; i++) window.grow()
  expect(window.size).toBe(8)
  for (let i = 0; i < 10; i++) window.shrink(window.era)
  expect(window.size).toBe(1)
})
