import { describe, expect, it } from 'vitest'
import { Emitter, toError } from '../../src/primitives/emitter.ts'

interface Events {
  tick: (index: number, name: string) => void
  seal: () => void
}

/** An emitter, what its listeners heard, and what it was told of their errors. */
function scene() {
  const errors: Error[] = []
  const heard: unknown[] = []
  const emitter = new Emitter<Events>((error) => errors.push(error))
  const hear = (who: string) => (index: number, name: string) => {
    heard.push([who, index, name])
  }
  return { emitter, errors, heard, hear }
}

describe('Emitter', () => {
  it('tells every listener of an event, in the order they came, and nobody else', () => {
    const { emitter, heard, hear } = scene()
    emitter.on('tick', hear('a'))
    emitter.on('tick', hear('b'))
    emitter.on('seal', () => heard.push('seal'))
    emitter.emit('tick', 1, 'x')
    expect(heard).toEqual([
      ['a', 1, 'x'],
      ['b', 1, 'x'],
    ])
  })

  it('takes a listener on once, and off again', () => {
    const { emitter, heard, hear } = scene()
    const listener = hear('a')
    emitter.on('tick', listener)
    emitter.on('tick', listener)
    emitter.emit('tick', 1, 'x')
    emitter.off('tick', listener)
    emitter.off('tick', listener)
    emitter.off('seal', () => {})
    emitter.emit('tick', 2, 'x')
    expect(heard).toEqual([['a', 1, 'x']])
  })

  it('tells a listener taken on with once one time, also if the event comes again meanwhile', () => {
    const { emitter, heard } = scene()
    emitter.once('tick', (index) => {
      heard.push(index)
      if (index === 1) emitter.emit('tick', 2, 'x')
    })
    emitter.emit('tick', 1, 'x')
    emitter.emit('tick', 3, 'x')
    expect(heard).toEqual([1])
    expect(emitter.count()).toBe(0)
  })

  it('takes a listener taken on with once off before its event came', () => {
    const { emitter, heard, hear } = scene()
    const listener = hear('a')
    emitter.once('tick', listener)
    emitter.off('tick', listener)
    emitter.emit('tick', 1, 'x')
    expect([heard, emitter.count('tick')]).toEqual([[], 0])
  })

  it('tells the others where one throws or rejects, and tells of the error', async () => {
    const { emitter, errors, heard, hear } = scene()
    emitter.on('tick', () => {
      throw new Error('thrown')
    })
    emitter.on('tick', (async () => {
      throw 'rejected'
    }) as never)
    emitter.on('tick', hear('a'))
    emitter.emit('tick', 1, 'x')
    await Promise.resolve()
    await Promise.resolve()
    expect(heard).toEqual([['a', 1, 'x']])
    expect(errors).toEqual([new Error('thrown'), new Error('rejected')])
  })

  it('counts its listeners, by event and in all', () => {
    const { emitter, hear } = scene()
    emitter.on('tick', hear('a'))
    emitter.on('tick', hear('b'))
    emitter.once('seal', () => {})
    expect([emitter.count('tick'), emitter.count('seal'), emitter.count()]).toEqual([2, 1, 3])
    emitter.clear()
    expect([emitter.count('tick'), emitter.count('seal'), emitter.count()]).toEqual([0, 0, 0])
  })

  it('tells those of the moment where listeners come and go meanwhile', () => {
    const { emitter, heard, hear } = scene()
    const late = hear('late')
    const gone = hear('gone')
    emitter.on('tick', () => {
      emitter.on('tick', late)
      emitter.off('tick', gone)
    })
    emitter.on('tick', gone)
    emitter.emit('tick', 1, 'x')
    emitter.emit('tick', 2, 'x')
    expect(heard.filter((call) => (call as unknown[])[0] === 'late')).toEqual([['late', 2, 'x']])
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
