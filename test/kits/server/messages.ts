/** Random messages for fuzzing, and the form of every answer. */
import fc from 'fast-check'
import { expect } from 'vitest'
import { edit, mutate } from '../../rpc/mutations.ts'

const anything = fc.jsonValue({ maxDepth: 3 })

const id = fc.oneof({ weight: 4, arbitrary: fc.nat(9) }, { weight: 1, arbitrary: anything })

const call = fc.oneof(
  fc.constantFrom<[string, unknown]>(
    ['eth_chainId', []],
    ['eth_getBalance', [`0x${'11'.repeat(20)}`, 'latest']],
    ['eth_getBlockByNumber', ['pending', true]],
    ['eth_subscribe', ['newHeads']],
    ['eth_subscribe', ['pendingLogs', { address: `0x${'11'.repeat(20)}` }]],
    ['eth_unsubscribe', ['0x1']],
    ['eth_newBlockFilter', []],
    ['eth_sendRawTransaction', ['0x02']],
    ['eth_nothing', []],
    ['constructor', []],
  ),
  fc.tuple(fc.constantFrom('eth_subscribe', 'eth_unsubscribe', 'eth_call'), anything),
)

const request = fc
  .tuple(fc.option(id, { nil: undefined }), call)
  .map(([id, [method, params]]) => ({ jsonrpc: '2.0', ...(id !== undefined && { id }), method, params }))

/** A request or a batch, as it is or mutated. */
const value = fc
  .tuple(fc.oneof(request, fc.array(request, { maxLength: 7 })), fc.array(edit, { maxLength: 2 }))
  .map(([whole, edits]) => edits.reduce<unknown>(mutate, whole))

/** The text of a request or a batch, cut off or with a changed part. */
const damaged = fc
  .tuple(value.map(encode), fc.nat(400), fc.string({ maxLength: 3 }))
  .map(([text, at, other]) => {
    const place = at % (text.length + 1)
    return at % 2 === 0 ? text.slice(0, place) : text.slice(0, place) + other + text.slice(place + 1)
  })

/** Any message: text or bytes, of JSON-RPC or of anything else. */
export const message: fc.Arbitrary<string | Uint8Array> = fc.oneof(
  { weight: 6, arbitrary: value.map(encode) },
  { weight: 3, arbitrary: damaged },
  { weight: 1, arbitrary: fc.json() },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 40 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('['.repeat(1999), `${'[1,'.repeat(500)}1`, ' '.repeat(2001), '\u0000'),
  },
)

/** A value as JSON, without what JSON cannot express. */
function encode(value: unknown): string {
  const replacer = (_: string, one: unknown) => (typeof one === 'bigint' ? `${one}` : one)
  return JSON.stringify(value, replacer) ?? ''
}

/** Expects a response of JSON-RPC 2.0 or a batch of them, in which errors have codes and none is internal. */
export function expectAnswer(text: string): void {
  const answer: unknown = JSON.parse(text)
  const responses = Array.isArray(answer) ? answer : [answer]
  expect(responses.length).toBeGreaterThan(0)
  for (const response of responses) expectResponse(response)
}

function expectResponse(response: unknown): void {
  const { jsonrpc, id, result, error, ...rest } = response as Record<string, unknown>
  expect({ jsonrpc, rest }).toEqual({ jsonrpc: '2.0', rest: {} })
  expect(id === null || typeof id === 'string' || typeof id === 'number').toBe(true)
  expect((error === undefined) !== (result === undefined)).toBe(true)
  if (error === undefined) return
  const { code, message, data, ...others } = error as Record<string, unknown>
  expect(others).toEqual({})
  expect(typeof message).toBe('string')
  expect(Number.isSafeInteger(code) && code !== -32603).toBe(true)
}

/** A JSON-RPC response with a result. */
export const result = (id: unknown, value: unknown) => ({ jsonrpc: '2.0', id, result: value })
/** A JSON-RPC response with an error. */
export const failure = (id: unknown, code: number, message: string) => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
})
