import { describe, expect, it } from 'vitest'
import { Emitter, toError } from '../../src/base/emitter.ts'

interface Events {
  tick: (index: number, name: string) => void
  seal: () => void
}

/** An emitter, the calls of its listeners, and their errors. */
function scene() {
  const errors: Error[] = []
  const calls: unknown[] = []
  const emitter = new Emitter<Events>((error) => errors.push(error))
  const listenerNamed = (listener: string) => (index: number, name: string) => {
    calls.push([listener, index, name])
  }
  return { emitter, errors, calls, listenerNamed }
}

describe('Emitter', () => {
  it('calls the listeners of an event only, in the order they were added', () => {
    const { emitter, calls, listenerNamed } = scene()
    emitter.on('tick', listenerNamed('a'))
    emitter.on('tick', listenerNamed('b'))
    emitter.on('seal', () => calls.push('seal'))
    emitter.emit('tick', 1, 'x')
    expect(calls).toEqual([
      ['a', 1, 'x'],
      ['b', 1, 'x'],
    ])
  })

  it('adds a listener only once, and removes it', () => {
    const { emitter, calls, listenerNamed } = scene()
    const listener = listenerNamed('a')
    emitter.on('tick', listener)
    emitter.on('tick', listener)
    emitter.emit('tick', 1, 'x')
    emitter.off('tick', listener)
    emitter.off('tick', listener)
    emitter.off('seal', () => {})
    emitter.emit('tick', 2, 'x')
    expect(calls).toEqual([['a', 1, 'x']])
  })

  it('calls a listener of `once` only once, even if it emits the event again', () => {
    const { emitter, calls } = scene()
    emitter.once('tick', (index) => {
      calls.push(index)
      if (index === 1) emitter.emit('tick', 2, 'x')
    })
    emitter.emit('tick', 1, 'x')
    emitter.emit('tick', 3, 'x')
    expect(calls).toEqual([1])
    expect(emitter.count()).toBe(0)
  })

  it('removes a listener of `once` before its event', () => {
    const { emitter, calls, listenerNamed } = scene()
    const listener = listenerNamed('a')
    emitter.once('tick', listener)
    emitter.off('tick', listener)
    emitter.emit('tick', 1, 'x')
    expect([calls, emitter.count('tick')]).toEqual([[], 0])
  })

  it('calls the other listeners if one throws or rejects, and reports the error', async () => {
    const { emitter, errors, calls, listenerNamed } = scene()
    emitter.on('tick', () => {
      throw new Error('thrown')
    })
    emitter.on('tick', (async () => {
      throw 'rejected'
    }) as never)
    emitter.on('tick', listenerNamed('a'))
    emitter.emit('tick', 1, 'x')
    await Promise.resolve()
    await Promise.resolve()
    expect(calls).toEqual([['a', 1, 'x']])
    expect(errors).toEqual([new Error('thrown'), new Error('rejected')])
  })

  it('counts its listeners, by event and in total', () => {
    const { emitter, listenerNamed } = scene()
    emitter.on('tick', listenerNamed('a'))
    emitter.on('tick', listenerNamed('b'))
    emitter.once('seal', () => {})
    expect([emitter.count('tick'), emitter.count('seal'), emitter.count()]).toEqual([2, 1, 3])
    emitter.clear()
    expect([emitter.count('tick'), emitter.count('seal'), emitter.count()]).toEqual([0, 0, 0])
  })

  it('calls the listeners at the time of the event if others are added or removed meanwhile', () => {
    const { emitter, calls, listenerNamed } = scene()
    const late = listenerNamed('late')
    const gone = listenerNamed('gone')
    emitter.on('tick', () => {
      emitter.on('tick', late)
      emitter.off('tick', gone)
    })
    emitter.on('tick', gone)
    emitter.emit('tick', 1, 'x')
    emitter.emit('tick', 2, 'x')
    expect(calls.filter((call) => (call as unknown[])[0] === 'late')).toEqual([['late', 2, 'x']])
  })
})

describe('toError', () => {
  it('passes errors on and wraps the rest', () => {
    const error = new TypeError('own')
    expect(toError(error)).toBe(error)
    expect(toError('text')).toEqual(new Error('text'))
    expect(toError(undefined)).toEqual(new Error('undefined'))
  })
})
