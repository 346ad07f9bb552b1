import { describe, expect, it } from 'vitest'
import {
  Missing,
  mapResult,
  type Resumable,
  resumeToEnd,
  Suspended,
  whenLoaded,
  type Yielder,
} from '../../src/base/waiting.ts'

/** Work in so many parts. */
function inParts(count: number): Resumable<string> {
  return count === 1 ? 'done' : new Suspended(() => inParts(count - 1))
}

/** Counts its calls. */
function countingYielder(): { readonly pause: Yielder; count: number } {
  const counting = {
    count: 0,
    pause: Object.assign(
      async () => {
        counting.count += 1
      },
      { isDue: () => true },
    ),
  }
  return counting
}

describe('suspended work', () => {
  it('is resumed to its end, with a turn before each further part', async () => {
    const counting = countingYielder()
    expect(await resumeToEnd(inParts(4), counting.pause)).toBe('done')
    expect(counting.count).toBe(3)
    expect(await resumeToEnd(inParts(4))).toBe('done')
  })

  it('waits for what it needs instead of a turn', async () => {
    const counting = countingYielder()
    const order: string[] = []
    const ready = Promise.resolve().then(() => {
      order.push('ready')
    })
    const work = new Suspended(() => {
      order.push('resumed')
      return 'done'
    }, ready)
    expect(await resumeToEnd(work, counting.pause)).toBe('done')
    expect([order, counting.count]).toEqual([['ready', 'resumed'], 0])
  })

  it('fails with what it waits for, or with what a part of it throws', async () => {
    const refused = new Suspended(() => 'done', Promise.reject(new Error('not ready')))
    await expect(resumeToEnd(refused)).rejects.toThrow('not ready')
    const failing = new Suspended<string>(() => {
      throw new Error('a part failed')
    })
    await expect(resumeToEnd(failing)).rejects.toThrow('a part failed')
  })

  it('has its result converted once, at its end', async () => {
    const converted: string[] = []
    const convert = (result: string) => {
      converted.push(result)
      return result.length
    }
    expect(mapResult('done', convert)).toBe(4)
    expect(await resumeToEnd(mapResult(inParts(3), convert))).toBe(4)
    expect(converted).toEqual(['done', 'done'])
  })

  it('is not waited for if it ends in its first part', () => {
    expect(whenLoaded(() => inParts(1))).toBe('done')
  })

  it('starts again if something is missing, in whichever part', async () => {
    const missing = [true, true]
    let starts = 0
    const need = (i: number) => {
      if (!missing[i]) return
      throw new Missing(async () => {
        missing[i] = false
      })
    }
    const work = whenLoaded(() => {
      starts += 1
      need(0)
      return new Suspended(() => {
        need(1)
        return 'done'
      })
    })
    expect(await work).toBe('done')
    expect(starts).toBe(3)
  })
})
