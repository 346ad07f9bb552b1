import { describe, expect, it } from 'vitest'
import { readMessage } from '../../../src/kits/playwright/protocol.ts'
import { InvalidRequestError } from '../../../src/rpc/errors.ts'

const read = (message: unknown) =>
  readMessage(typeof message === 'string' ? message : JSON.stringify(message), 'secret', ['live', 'standard'])

describe('a message of a document', () => {
  it('is one of the script', () => {
    const hello = { type: 'hello', document: 'd', token: 'secret', origin: 'http://a.test' }
    const request = { type: 'request', document: 'd', view: 'standard', args: { method: 'eth_chainId' } }
    for (const message of [hello, request, { type: 'poll', document: 'd' }])
      expect(read(message)).toEqual(message)
    expect(read({ ...request, origin: 'http://b.test', more: 1 })).toEqual(request)
  })

  it.each<[unknown, string]>([
    ['{', "a message of the wallet's script"],
    ['null', "a message of the wallet's script"],
    ['"text"', "a message of the wallet's script"],
    [[], "a message of the wallet's script"],
    [{}, "a message of the wallet's script"],
    [{ type: 'poll' }, "a message of the wallet's script"],
    [{ type: 'other', document: 'd' }, "a message of the wallet's script"],
    [{ type: 'hello', document: 'd', origin: 'http://a.test' }, "a message of the wallet's script"],
    [{ type: 'hello', document: 'd', origin: 'a', token: 'guess' }, "a message of the wallet's script"],
    [{ type: 'hello', document: 'd', token: 'secret' }, "a message of the wallet's script"],
    [{ type: 'request', document: 'd', args: {} }, 'a view that the wallet has'],
    [{ type: 'request', document: 'd', view: 'constructor', args: {} }, 'a view that the wallet has'],
    [{ type: 'request', document: 'd', view: 'preconf', args: {} }, 'a view that the wallet has'],
  ])('is not %o', (message, expected) => {
    expect(() => read(message)).toThrow(new InvalidRequestError(expected))
  })

  it('is a text', () => {
    for (const value of [undefined, null, 1, { type: 'poll', document: 'd' }])
      expect(() => readMessage(value, 'secret', ['live'])).toThrow(
        new InvalidRequestError("a message of the wallet's script"),
      )
  })
})
