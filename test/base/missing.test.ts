import { describe, expect, it, vi } from 'vitest'
import { lazily, loadOnce, Missing, whenLoaded } from '../../src/base/waiting.ts'

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

describe('loadOnce', () => {
  it('shares one load, and begins a failed one again', async () => {
    let loads = 0
    const load = loadOnce(async () => {
      loads++
      if (loads === 1) throw new Error('no such chunk')
      return { loads }
    })
    const failed = [load(), load()]
    for (const one of failed) await expect(one).rejects.toThrow('no such chunk')
    const [first, second] = await Promise.all([load(), load()])
    expect(first).toEqual({ loads: 2 })
    expect(second).toBe(first)
    expect(await load()).toBe(first)
  })

  it('begins its own load after a second, if another caller does not finish one', async () => {
    vi.useFakeTimers()
    let loads = 0
    const load = loadOnce(() => {
      loads++
      return loads === 1 ? new Promise<string>(() => {}) : Promise.resolve('library')
    })
    void load()
    const waiting = load()
    await vi.advanceTimersByTimeAsync(999)
    expect(loads).toBe(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(await waiting).toBe('library')
    expect(await load()).toBe('library')
    vi.useRealTimers()
  })
})
