import { expect, it } from 'vitest'
import { lazily, Missing, whenLoaded } from '../../src/base/waiting.ts'

it('throws Missing until the library is loaded, and returns it from then on', async () => {
  const loaded = { name: 'library' }
  let loads = 0
  const library = lazily(async () => {
    loads++
    return loaded
  })
  expect(library).toThrow(Missing)
  expect(loads).toBe(0)
  expect(await whenLoaded(library)).toBe(loaded)
  expect(whenLoaded(library)).toBe(loaded)
  expect(loads).toBe(1)
})

it('rejects if the library cannot be loaded, and loads it the next time', async () => {
  const failure = new Error('no such chunk')
  let fails = true
  const library = lazily(async () => {
    if (fails) throw failure
    return 'library'
  })
  await expect(whenLoaded(library)).rejects.toBe(failure)
  fails = false
  expect(await whenLoaded(library)).toBe('library')
})
