import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readExactIds } from '../../../src/kits/server/envelope.ts'
import { runs } from '../../full.ts'

describe('exact request ids', () => {
  it.each([
    ['{"id":12345678901234567890,"method":"x"}', ['12345678901234567890']],
    ['{ "a" : {"id":1,"b":[{"id":2}]}, "id" : -1.50e3 }', ['-1.50e3']],
    ['{"id":"7"}', [undefined]],
    ['{"id":1,"id":"x"}', [undefined]],
    ['{"id":"x","\\u0069d":2}', ['2']],
    ['{"method":"\\"id\\":3","id":4}', ['4']],
    ['[{"id":1},2,[{"id":3}],{"id":4,"params":[5,{"id":6}]},{}]', ['1', undefined, undefined, '4']],
    ['[]', []],
    ['"id"', []],
  ])('%s', (text, ids) => {
    expect([...readExactIds(text)]).toEqual(ids)
  })

  it('equal what JSON.parse reads, at any position of the id', () => {
    const json = fc.jsonValue({ maxDepth: 3, stringUnit: 'grapheme' })
    const id = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.string())
    const request = fc
      .tuple(fc.dictionary(fc.string(), json), id, fc.boolean())
      .map(([others, id, isFirst]) => (isFirst ? { id, ...others } : { ...others, id }))
    fc.assert(
      fc.property(fc.oneof(request, fc.array(fc.oneof(request, json))), fc.nat(2), (message, indent) => {
        const ids = readExactIds(JSON.stringify(message, null, indent))
        const requests: unknown[] = Array.isArray(message) ? message : [message]
        for (const [place, request] of requests.entries()) {
          const isRequest = typeof request === 'object' && request !== null && !Array.isArray(request)
          const id: unknown = isRequest ? (request as { id?: unknown }).id : undefined
          const read = ids[place]
          expect(read === undefined ? undefined : JSON.parse(read)).toEqual(
            typeof id === 'number' ? JSON.parse(JSON.stringify(id)) : undefined,
          )
        }
      }),
      runs(500, 5000),
    )
  })
})
