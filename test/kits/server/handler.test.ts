import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { InvalidOptionError } from '../../../src/base/errors.ts'
import { ExecutionRevertedError } from '../../../src/ethereum/evm/errors.ts'
import { createHandler, type HandlerOptions, type Requester } from '../../../src/kits/server/index.ts'
import { startChain } from '../../harness.ts'
import { probeCall, startScene } from '../../rpc/scene.ts'

const URL = 'http://localhost:8545/'

/** A provider that returns the params of `echo`, throws the param of `fail`, and records its requests. */
function recorder() {
  const received: unknown[] = []
  const provider: Requester = {
    async request(args) {
      received.push(args)
      if (args.method === 'fail') throw (args.params as readonly unknown[])[0]
      return args.method === 'echo' ? args.params : undefined
    },
  }
  return { received, provider }
}

function post(
  body: string | Uint8Array,
  headers: Record<string, string> = { 'Content-Type': 'application/json' },
) {
  return new Request(URL, { method: 'POST', headers, body })
}

/** The status, and the parsed body if there is one. */
async function read(response: Response) {
  const text = await response.text()
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
}

async function answer(body: unknown, { received, provider } = recorder(), options: HandlerOptions = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return { ...(await read(await createHandler(provider, options)(post(text)))), received }
}

const error = (id: unknown, code: number, message: string, data?: unknown) => ({
  jsonrpc: '2.0',
  id,
  error: { code, message, ...(data !== undefined && { data }) },
})
const echo = (id: unknown, ...params: unknown[]) => ({ jsonrpc: '2.0', id, method: 'echo', params })
const echoed = (id: unknown, ...params: unknown[]) => ({ jsonrpc: '2.0', id, result: params })
const notification = { jsonrpc: '2.0', method: 'echo', params: [] }

describe('handler', () => {
  it('reads a body of several parts on a host whose Blob has no arrayBuffer', async () => {
    vi.stubGlobal('Blob', class {})
    onTestFinished(() => void vi.unstubAllGlobals())
    const { provider } = recorder()
    const bytes = new TextEncoder().encode(JSON.stringify(echo(1, 'a')))
    const parts = [bytes.slice(0, 5), bytes.slice(5)]
    const body = new ReadableStream({
      pull(controller) {
        const part = parts.shift()
        if (part === undefined) controller.close()
        else controller.enqueue(part)
      },
    })
    const request = post('')
    const inParts = Object.create(request, {
      body: { value: body },
      headers: { value: request.headers },
      method: { value: 'POST' },
      url: { value: URL },
      signal: { value: request.signal },
    })
    expect(await read(await createHandler(provider)(inParts))).toEqual({ status: 200, body: echoed(1, 'a') })
  })

  describe('a request', () => {
    it.each([7, 0, -1, 1.5, '', 'seven', '7', null])('is answered under its id: %j', async (id) => {
      expect(await answer(echo(id, 'a', { b: 1 }))).toEqual({
        status: 200,
        body: echoed(id, 'a', { b: 1 }),
        received: [{ method: 'echo', params: ['a', { b: 1 }] }],
      })
    })

    it.each([[[1]], [{}], [true]])('is refused with %j as id', async (id) => {
      const message = 'invalid request: expected a string, a number or null as id'
      expect(await answer({ ...echo(1), id })).toEqual({
        status: 200,
        body: error(null, -32600, message),
        received: [],
      })
    })

    it.each([
      '12345678901234567890',
      '-9007199254740993',
      '0.1000000000000000055',
      '1.50',
      '1e999',
      '"\\u0069\\n"',
    ])('is answered under its id as it was written: %s', async (id) => {
      const { provider } = recorder()
      const handler = createHandler(provider)
      const single = await handler(post(`{"jsonrpc":"2.0","id":${id},"method":"echo","params":[]}`))
      const batch = await handler(
        post(
          `[{"jsonrpc":"2.0","id":1,"method":"echo","params":[]},{"jsonrpc":"2.0","id":${id},"method":1}]`,
        ),
      )
      // A string can be escaped differently, or not at all.
      const echoed = id.startsWith('"') ? JSON.stringify(JSON.parse(id)) : id
      expect(await single.text()).toBe(`{"jsonrpc":"2.0","id":${echoed},"result":[]}`)
      expect(await batch.text()).toBe(
        `[{"jsonrpc":"2.0","id":1,"result":[]},{"jsonrpc":"2.0","id":${echoed},"error":{"code":-32600,"message":"invalid request: expected a string as method"}}]`,
      )
    })

    it.each([
      [
        'as params',
        (depth: number) => `{"jsonrpc":"2.0","id":1,"method":"eth_call","params":${nested(depth)}}`,
      ],
      ['as an id', (depth: number) => `{"jsonrpc":"2.0","id":${nested(depth)},"method":"eth_call"}`],
      ['as a request', nested],
      ['as an object', (depth: number) => `${'{"id":'.repeat(depth)}1${'}'.repeat(depth)}`],
    ])('can be nested deeply: %s', async (_, toText) => {
      const chain = await startChain()
      const { status, body } = await answer(toText(100_000), { received: [], provider: chain.standard })
      const [response] = Array.isArray(body) ? body : [body]
      expect({ status, code: response.error.code }).toMatchObject({ status: 200 })
      expect([-32600, -32602]).toContain(response.error.code)
    })

    it('without params is passed on without params', async () => {
      const { body, received } = await answer({ jsonrpc: '2.0', id: 1, method: 'nothing' })
      expect(received).toEqual([{ method: 'nothing' }])
      expect(body).toEqual({ jsonrpc: '2.0', id: 1, result: null })
    })

    it.each([
      ['another version', { ...echo(4), jsonrpc: '1.0' }, 4, "'2.0' as jsonrpc"],
      ['no version', { id: 4, method: 'echo' }, 4, "'2.0' as jsonrpc"],
      ['no method', { jsonrpc: '2.0', id: 4 }, 4, 'a string as method'],
      ['a method that is no string', { jsonrpc: '2.0', method: 1 }, null, 'a string as method'],
      ['a number', 1, null, 'an object'],
      ['null', null, null, 'an object'],
      ['a string', '"text"', null, 'an object'],
      ['an empty object', {}, null, "'2.0' as jsonrpc"],
    ])('is refused if it is invalid: %s', async (_, body, id, expected) => {
      expect(await answer(body)).toEqual({
        status: 200,
        body: error(id, -32600, `invalid request: expected ${expected}`),
        received: [],
      })
    })

    it.each(['', '{', '[', '{"jsonrpc":"2.0",}', 'undefined', '['.repeat(100_000)])(
      'is refused if it is no JSON: %.20s',
      async (text) => {
        expect(await answer(text)).toEqual({
          status: 200,
          body: error(null, -32700, 'parse error'),
          received: [],
        })
      },
    )

    it('is refused if it is no UTF-8', async () => {
      const handler = createHandler(recorder().provider)
      const body = new Uint8Array([0x22, 0xff, 0x22])
      expect(await read(await handler(post(body)))).toEqual({
        status: 200,
        body: error(null, -32700, 'parse error'),
      })
    })

    it('is refused if its body breaks off', async () => {
      const body = new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode('{'))
          controller.error(new Error('reset'))
        },
      })
      const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body, duplex: 'half' }
      const response = await createHandler(recorder().provider)(new Request(URL, init as RequestInit))
      expect(await read(response)).toEqual({ status: 200, body: error(null, -32700, 'parse error') })
    })

    it('without id is executed, but not answered', async () => {
      expect(await answer(notification)).toEqual({
        status: 204,
        body: undefined,
        received: [{ method: 'echo', params: [] }],
      })
      const failing = { jsonrpc: '2.0', method: 'fail', params: [{ code: 1, message: 'no' }] }
      expect(await answer(failing)).toMatchObject({ status: 204, body: undefined })
    })

    it('is refused for a subscription, since HTTP cannot push', async () => {
      for (const method of ['eth_subscribe', 'eth_unsubscribe']) {
        const { body, received } = await answer({ jsonrpc: '2.0', id: 1, method, params: ['newHeads'] })
        expect(body).toEqual(error(1, -32601, 'notifications not supported'))
        expect(received).toEqual([])
      }
    })
  })

  /** Arrays, nested to `depth`. */
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

  describe('a batch', () => {
    it('is answered in order, without its notifications', async () => {
      const { body, received } = await answer([
        echo(1, 'a'),
        notification,
        echo('b', 'b'),
        5,
        echo(null, 'c'),
      ])
      expect(body).toEqual([
        echoed(1, 'a'),
        echoed('b', 'b'),
        error(null, -32600, 'invalid request: expected an object'),
        echoed(null, 'c'),
      ])
      expect(received).toHaveLength(4)
    })

    it('runs its requests concurrently', async () => {
      const waiting: ((value: string) => void)[] = []
      const provider: Requester = {
        // The first request is answered after the second one has arrived.
        request: ({ method }) =>
          new Promise((resolve) => {
            waiting.push(resolve)
            if (method === 'second')
              for (const answerOne of waiting) answerOne(`${waiting.indexOf(answerOne)}`)
          }),
      }
      const batch = ['first', 'second'].map((method, id) => ({ jsonrpc: '2.0', id, method }))
      const { body } = await answer(batch, { received: [], provider })
      expect(body).toEqual([
        { jsonrpc: '2.0', id: 0, result: '0' },
        { jsonrpc: '2.0', id: 1, result: '1' },
      ])
    })

    it('runs requests one after the other if they are answered at once', async () => {
      const running: unknown[] = []
      const most: number[] = []
      const provider: Requester = {
        async request({ method }) {
          running.push(method)
          most.push(running.length)
          if (method === 'wait') await new Promise((resolve) => setTimeout(resolve))
          else await undefined
          running.pop()
          return method
        },
      }
      const batch = ['a', 'b', 'wait', 'c'].map((method, id) => ({ jsonrpc: '2.0', id, method }))
      const { body } = await answer(batch, { received: [], provider })
      expect(body.map(({ result }: { result: unknown }) => result)).toEqual(['a', 'b', 'wait', 'c'])
      expect(most.slice(0, 3)).toEqual([1, 1, 1])
    })

    it('is refused from the point at which its answer exceeds the limit, and runs no further', async () => {
      const options = { maxBatchResponseBytes: 100 }
      const long = 'x'.repeat(100)
      const requests = [echo(1), echo(2, long), echo(3), notification, echo('4')]
      const refused = (id: unknown) => error(id, -32003, 'response too large: limit 100 bytes')
      const { body, received } = await answer(requests, recorder(), options)
      expect(body).toEqual([echoed(1), echoed(2, long), refused(3), refused('4')])
      expect(received).toHaveLength(2)
      // A single request is answered at any length.
      expect((await answer(echo(2, long), recorder(), options)).body).toEqual(echoed(2, long))
    })

    it('computes no more results than the limit allows', async () => {
      let made = 0
      const provider: Requester = {
        async request() {
          made += 1
          return 'x'.repeat(1_000_000)
        },
      }
      const batch = Array.from({ length: 1000 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'x' }))
      const { body } = await answer(batch, { received: [], provider })
      expect(body).toHaveLength(1000)
      expect(body.filter(({ error }: { error?: unknown }) => error === undefined)).toHaveLength(25)
      expect(made).toBe(25)
    })

    it('is answered except for subscriptions, which are refused', async () => {
      const subscribe = { jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] }
      const { body, received } = await answer([subscribe, echo(2)])
      expect(body).toEqual([error(1, -32601, 'notifications not supported'), echoed(2)])
      expect(received).toHaveLength(1)
    })

    it('is not answered if it has only notifications', async () => {
      expect(await answer([notification, notification])).toMatchObject({ status: 204, body: undefined })
    })

    it('is refused if it is empty, or a batch of batches', async () => {
      expect((await answer([])).body).toEqual(error(null, -32600, 'empty batch'))
      const message = 'invalid request: expected an object'
      expect((await answer([[echo(1)]])).body).toEqual([error(null, -32600, message)])
    })

    it('is refused if it has more requests than the limit', async () => {
      const options = { maxBatch: 2 }
      expect((await answer([echo(1), echo(2)], recorder(), options)).body).toEqual([echoed(1), echoed(2)])
      expect(await answer([echo(1), notification, echo(2)], recorder(), options)).toEqual({
        status: 200,
        body: error(null, -32600, 'batch too large: 3 requests, limit 2'),
        received: [],
      })
      const { body } = await answer(Array(1001).fill(echo(1)))
      expect(body).toEqual(error(null, -32600, 'batch too large: 1001 requests, limit 1000'))
    })
  })

  describe('an error', () => {
    it.each([
      [
        'with data',
        { code: 3, message: 'reverted', data: '0x1' },
        { code: 3, message: 'reverted', data: '0x1' },
      ],
      ['without data', { code: -32000, message: 'no' }, { code: -32000, message: 'no' }],
      ['without code', { message: 'secret' }, { code: -32603, message: 'internal error' }],
      ['that is a string', 'secret', { code: -32603, message: 'internal error' }],
      ['that is null', null, { code: -32603, message: 'internal error' }],
    ])('%s is sent with code, message and data only', async (_, thrown, expected) => {
      const params = [thrown !== null && typeof thrown === 'object' ? { ...thrown, details: 'more' } : thrown]
      const { body } = await answer({ jsonrpc: '2.0', id: 1, method: 'fail', params })
      expect(body).toEqual({ jsonrpc: '2.0', id: 1, error: expected })
    })

    it('of the library is sent without shortMessage and docsPath', async () => {
      const provider: Requester = { request: () => Promise.reject(new ExecutionRevertedError('0x1234')) }
      const { body } = await answer({ jsonrpc: '2.0', id: 1, method: 'fail' }, { received: [], provider })
      expect(body).toEqual({
        jsonrpc: '2.0',
        id: 1,
        error: { code: -32000, message: 'execution reverted', data: '0x1234' },
      })
    })

    it('replaces results and data that JSON cannot express', async () => {
      const provider: Requester = {
        async request({ method }) {
          if (method === 'result') return 1n
          throw { code: 1, message: 'no', data: 1n }
        },
      }
      const batch = ['result', 'data'].map((method, id) => ({ jsonrpc: '2.0', id, method }))
      const { body } = await answer(batch, { received: [], provider })
      expect(body).toEqual([error(0, -32603, 'internal error'), error(1, -32603, 'internal error')])
    })

    it('of the chain is the same as from its provider', async () => {
      const { chain, probe } = await startScene()
      const call = {
        jsonrpc: '2.0',
        id: 1,
        method: 'eth_call',
        params: [{ to: probe, data: probeCall('fail') }, 'latest'],
      }
      const unknown = { jsonrpc: '2.0', id: 2, method: 'eth_nothing' }
      const { body } = await answer([call, unknown], { received: [], provider: chain.standard })
      expect(body).toEqual([
        error(1, -32000, 'execution reverted', `0x63a2a81f${'2a'.padStart(64, '0')}`),
        error(2, -32601, 'the method eth_nothing does not exist/is not available'),
      ])
    })

    it('has code 4900 once the chain is closed', async () => {
      const chain = await startChain()
      await chain.close()
      const request = { jsonrpc: '2.0', id: 1, method: 'eth_chainId' }
      const { status, body } = await answer(request, { received: [], provider: chain.standard })
      expect({ status, body }).toEqual({ status: 200, body: error(1, 4900, 'disconnected') })
    })
  })

  describe('HTTP', () => {
    const handler = createHandler(recorder().provider, { maxBodyBytes: 100 })

    it('answers JSON', async () => {
      const response = await handler(post(JSON.stringify(echo(1))))
      expect(response.headers.get('content-type')).toBe('application/json')
      expect(await read(response)).toEqual({ status: 200, body: echoed(1) })
    })

    it.each(['GET', 'HEAD', 'PUT', 'DELETE'])('refuses %s', async (method) => {
      const response = await handler(new Request(URL, { method }))
      expect(response.headers.get('allow')).toBe('POST, OPTIONS')
      expect(await read(response)).toEqual({
        status: 405,
        body: error(null, -32600, 'method not allowed: requests are sent by POST'),
      })
    })

    it.each([
      'application/json; charset=utf-8',
      'Application/JSON',
      'application/json-rpc',
      'application/jsonrequest',
    ])('accepts %s', async (type) => {
      const response = await handler(post(JSON.stringify(echo(1)), { 'Content-Type': type }))
      expect(response.status).toBe(200)
    })

    it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp'])(
      'refuses %s',
      async (type) => {
        expect(await read(await handler(post(JSON.stringify(echo(1)), { 'Content-Type': type })))).toEqual({
          status: 415,
          body: error(null, -32600, 'invalid content type, only application/json is supported'),
        })
      },
    )

    it('refuses a body above the limit', async () => {
      const refused = { status: 413, body: error(null, -32600, 'request too large: limit 100 bytes') }
      const fitting = JSON.stringify(echo(1)).padEnd(100)
      expect((await read(await handler(post(fitting)))).status).toBe(200)
      expect(await read(await handler(post(`${fitting} `)))).toEqual(refused)
    })

    it('reads no more of a body than the limit', async () => {
      let pulls = 0
      let cancelled = false
      const body = new ReadableStream({
        pull(controller) {
          pulls += 1
          controller.enqueue(new Uint8Array(60).fill(0x20))
        },
        cancel() {
          cancelled = true
        },
      })
      const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body, duplex: 'half' }
      expect((await handler(new Request(URL, init as RequestInit))).status).toBe(413)
      expect(pulls).toBeLessThan(5)
      expect(cancelled).toBe(true)
    })

    it('answers a preflight', async () => {
      const response = await handler(new Request(URL, { method: 'OPTIONS' }))
      expect(response.status).toBe(204)
      expect(Object.fromEntries(response.headers)).toEqual({
        allow: 'POST, OPTIONS',
        vary: 'Origin',
        'access-control-allow-methods': 'POST, OPTIONS',
        'access-control-allow-headers': 'Content-Type',
        'access-control-max-age': '600',
      })
    })
  })

  it.each([
    [{ maxBodyBytes: 0 }, 'maxBodyBytes', 'an integer >= 1'],
    [{ forkUrls: 1 as never }, 'forkUrls', 'true or false'],
    [{ maxBatch: 1.5 }, 'maxBatch', 'an integer >= 1'],
    [{ maxBatchResponseBytes: 0 }, 'maxBatchResponseBytes', 'an integer >= 1'],
    [{ hosts: 'localhost' as never }, 'hosts', "'*' or a list of host names"],
    [{ origins: [1] as never }, 'origins', "'*' or a list of origins"],
  ])('refuses the options %j', (options, option, expected) => {
    const create = () => createHandler(recorder().provider, options)
    expect(create).toThrow(new InvalidOptionError(option, expected))
  })
})
