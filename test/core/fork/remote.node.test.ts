/** The client of a forked node over HTTP: trips, batches, retries and limits. */
import { describe, expect, it } from 'vitest'
import { InvalidOptionError } from '../../../src/base/errors.ts'
import { createManualClock } from '../../../src/base/manualClock.ts'
import { json } from '../../../src/core/fork/answers.ts'
import {
  ForkClosedError,
  ForkedNodeUnansweredError,
  ForkedStateUnavailableError,
  RemoteRpcError,
} from '../../../src/core/fork/errors.ts'
import { askAll, createRemote } from '../../../src/core/fork/remote.ts'
import {
  answering,
  connectTo,
  createRetryClock,
  failing,
  listOf,
  numberOf,
  type Reply,
  startNode,
  type Trip,
  until,
} from './scriptedNode.ts'

const numbers = (count: number) =>
  Array.from({ length: count }, (_, i) => numberOf(`0x${(i + 1).toString(16)}`))
const fulfilled = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ status: 'fulfilled', value: BigInt(i + 1) }))
const sizesOf = (trips: readonly Trip[]) => trips.map((trip) => listOf(trip).length)

describe('trips', () => {
  it('are shared by what is asked at once, whatever the order of the answers', async () => {
    const node = await startNode((trip) => {
      return { text: JSON.stringify(JSON.parse(answering(trip).text).reverse()) }
    })
    const remote = connectTo(node)
    const [all, one] = await Promise.all([askAll(remote, numbers(3)), remote.ask(numberOf('0x99'))])
    expect({ all, one, sizes: sizesOf(node.trips) }).toEqual({ all: fulfilled(3), one: 0x99n, sizes: [4] })
  })

  it('have one request without an array', async () => {
    const node = await startNode((trip) => answering(trip))
    expect(await connectTo(node).ask(numberOf('0x5'))).toBe(5n)
    expect(node.trips[0]!.body).toEqual({ jsonrpc: '2.0', id: 1, method: 'test_number', params: ['0x5'] })
  })

  it('have at most `batch` requests, and at most `concurrency` are in flight', async () => {
    const open: (() => void)[] = []
    const node = await startNode(async (trip, number) => {
      // Two at a time; the last has no other.
      if (number < 4) await new Promise<void>((resolve) => open.push(resolve))
      return answering(trip)
    })
    const answers = askAll(connectTo(node, { concurrency: 2, batch: 3 }), numbers(13))
    for (let released = 0; released < 4; released += 2) {
      await until(() => open.length === released + 2)
      open[released]!()
      open[released + 1]!()
    }
    expect(await answers).toEqual(fulfilled(13))
    expect(sizesOf(node.trips)).toEqual([3, 3, 3, 3, 1])
    expect(node.mostInFlight).toBe(2)
  })

  it('have equal requests once, and each caller gets a value of its own', async () => {
    const node = await startNode((trip) => answering(trip, () => ({ list: [1] })))
    const remote = connectTo(node)
    const request = { method: 'test_object', params: [], read: json, isPinned: false }
    const [first, second] = await Promise.all([remote.ask(request), remote.ask(request)])
    expect([first, second]).toEqual([{ list: [1] }, { list: [1] }])
    expect(first).not.toBe(second)
    expect((first as { list: unknown }).list).not.toBe((second as { list: unknown }).list)
    await remote.ask(request)
    expect(sizesOf(node.trips)).toEqual([1, 1])
  })

  it('settle each request by itself', async () => {
    const node = await startNode(({ body }) => {
      const [a, b, c] = body as never as { id: number }[]
      const error = { code: 3, message: 'execution reverted', data: '0x08c379a0' }
      return {
        text: JSON.stringify([
          { id: a!.id, error },
          { id: b!.id, result: '0x' },
          { id: c!.id, result: '0x7' },
        ]),
      }
    })
    const [reverted, invalid, fine] = await askAll(connectTo(node), numbers(3))
    expect(reverted).toMatchObject({
      reason: { name: 'RemoteRpcError', code: 3, message: 'execution reverted', data: '0x08c379a0' },
    })
    expect(invalid).toMatchObject({
      reason: {
        name: 'InvalidRemoteAnswerError',
        code: -32000,
        message:
          'invalid answer of the forked node to test_number ["0x2"]: expected a hex quantity of up to 64 bits',
      },
    })
    expect(fine).toEqual({ status: 'fulfilled', value: 7n })
  })
})

describe('a node that refuses batches', () => {
  const refusals: Readonly<Record<string, Reply>> = {
    'by an invalid request': { text: '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}' },
    'by an unknown method': { text: '{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"no"}}' },
    'by an object without an error': { text: '{"jsonrpc":"2.0","id":1,"result":"0x1"}' },
    'by status 400': { status: 400, text: 'Bad Request' },
    'by status 405 with JSON': { status: 405, text: '{"message":"no arrays"}' },
  }
  it.each(Object.entries(refusals))('is asked singly, %s, and from then on', async (_, refusal) => {
    const node = await startNode((trip) => (Array.isArray(trip.body) ? refusal : answering(trip)))
    const remote = connectTo(node)
    expect(await askAll(remote, numbers(3))).toEqual(fulfilled(3))
    expect(await askAll(remote, numbers(2))).toEqual(fulfilled(2))
    expect(sizesOf(node.trips)).toEqual([3, 1, 1, 1, 1, 1])
  })

  it.each<[string, Reply]>([
    ['by status 413', { status: 413, text: 'too large' }],
    ['by a message', { text: '{"id":1,"error":{"code":-32600,"message":"batch too large"}}' }],
  ])('for their length, %s, is asked in shorter ones', async (_, refusal) => {
    const node = await startNode((trip) => (listOf(trip).length > 3 ? refusal : answering(trip)))
    const remote = connectTo(node, { concurrency: 1 })
    expect(await askAll(remote, numbers(8))).toEqual(fulfilled(8))
    expect(sizesOf(node.trips)).toEqual([8, 4, 2, 2, 2, 2])
  })

  it('for the length of the answers is asked again for those that it left out', async () => {
    const node = await startNode((trip) => {
      const answers = JSON.parse(answering(trip).text)
      const error = { code: -32003, message: 'response too large' }
      if (!Array.isArray(answers)) return answering(trip)
      return { text: JSON.stringify(answers.map((one, i) => (i < 2 ? one : { id: one.id, error }))) }
    })
    expect(await askAll(connectTo(node), numbers(4))).toEqual(fulfilled(4))
    expect(sizesOf(node.trips)).toEqual([4, 2])
  })
})

/** How often a node is tried that fails `times` times like this, the delays, and the answer. */
async function tryAgain(reply: (trip: Trip) => Reply, times: number) {
  const clock = createRetryClock()
  const node = await startNode((trip, number) => (number < times ? reply(trip) : answering(trip)))
  const answer = await connectTo(node, { clock })
    .ask(numberOf('0x7'))
    .catch((error) => error)
  return { answer, trips: node.trips.length, waits: clock.waits, place: node.url }
}

const isBetween = (wait: number, least: number) => wait >= least && wait < least * 1.25

describe('a request that fails', () => {
  it.each<[string, (trip: Trip) => Reply]>([
    ['status 503', () => ({ status: 503, text: '<html>' })],
    ['status 500 with JSON', () => ({ status: 500, text: '{"message":"upstream"}' })],
    ['status 408', () => ({ status: 408, text: '' })],
    ['a lost connection', () => 'reset'],
    ['status 429', () => ({ status: 429, text: 'slow down' })],
    ['code 429', (trip) => failing(trip, { code: 429, message: 'compute units' })],
    ['code -32005', (trip) => failing(trip, { code: -32005, message: 'limit exceeded' })],
  ])('by %s is tried again after growing delays', async (_, reply) => {
    const { answer, trips, waits } = await tryAgain(reply, 3)
    expect({ answer, trips }).toEqual({ answer: 7n, trips: 4 })
    expect(waits.map((wait, i) => isBetween(wait, 250 * 2 ** i))).toEqual([true, true, true])
  })

  it('has six attempts', async () => {
    const { answer, trips, place } = await tryAgain(() => ({ status: 502, text: '' }), 6)
    expect(answer).toBeInstanceOf(ForkedNodeUnansweredError)
    const message = `the forked node did not answer test_number: ${place}: HTTP status 502`
    expect(answer).toMatchObject({ code: -32000, message })
    expect(trips).toBe(6)
  })

  it('because there is no node has three attempts, and six if it has answered before', async () => {
    const node = await startNode((trip) => answering(trip))
    const clock = createRetryClock()
    const known = connectTo(node, { clock })
    await known.ask(numberOf('0x7'))
    await node.stop()
    for (const [remote, waits] of [
      [connectTo(node, { clock }), 2],
      [known, 5],
    ] as const) {
      const before = clock.waits.length
      const error = await remote.ask(numberOf('0x8')).catch((reason) => reason)
      expect(error.message).toBe(
        `the forked node did not answer test_number: ${node.url}: the connection failed: ECONNREFUSED`,
      )
      expect(clock.waits.length - before).toBe(waits)
    }
  })

  it("gives the node's own error if it limits the rate to the end", async () => {
    const { answer, trips } = await tryAgain(
      (trip) => failing(trip, { code: -32005, message: 'rate', data: { see: 'https://x' } }),
      6,
    )
    expect(answer).toMatchObject({
      name: 'RemoteRpcError',
      code: -32005,
      message: 'rate',
      data: { see: 'https://x' },
    })
    expect(trips).toBe(6)
  })

  it('for good is not tried again', async () => {
    const denied = await tryAgain(() => ({ status: 403, text: 'denied' }), 1)
    expect(denied.answer.message).toBe(
      `the forked node did not answer test_number: ${denied.place}: HTTP status 403`,
    )
    const results = await tryAgain(
      (trip) => failing(trip, { code: -32005, message: 'query returned more than 10000 results' }),
      1,
    )
    expect(results.answer).toBeInstanceOf(RemoteRpcError)
    expect([denied.trips, results.trips]).toEqual([1, 1])
  })

  it('waits as long as the node says', async () => {
    const seconds = await tryAgain(() => ({ status: 429, headers: { 'retry-after': '3' }, text: '' }), 1)
    expect(seconds.waits).toEqual([3000])
    const clock = createRetryClock()
    const date = new Date(clock.now() + 7000).toUTCString()
    const dated = await tryAgain(() => ({ status: 503, headers: { 'retry-after': date }, text: '' }), 1)
    expect(dated.waits).toEqual([7000])
    const tooLong = await tryAgain(() => ({ status: 429, headers: { 'retry-after': '21' }, text: '' }), 1)
    expect(tooLong.answer).toBeInstanceOf(ForkedNodeUnansweredError)
    expect(tooLong.waits).toEqual([])
  })

  it('because the node has lost the state is tried again once, and then names the block', async () => {
    const lost = { code: -32000, message: 'missing trie node 12ab (path ) state 0x99 is not available' }
    expect(await tryAgain((trip) => failing(trip, lost), 1)).toMatchObject({ answer: 7n, trips: 2 })
    expect(await tryAgain((trip) => failing(trip, lost), 2)).toMatchObject({ answer: lost, trips: 2 })
    const node = await startNode((trip) => failing(trip, lost))
    const error = await connectTo(node)
      .ask({ ...numberOf('0x7'), stateOf: 17n })
      .catch((reason) => reason)
    expect(error).toBeInstanceOf(ForkedStateUnavailableError)
    expect({ code: error.code, message: error.message }).toEqual({
      code: -32000,
      message: 'the forked node no longer has the state of block 17; use an archive node or a later block',
    })
  })

  it('because nothing comes ends after `timeout`, and its connection too', async () => {
    const clock = createManualClock()
    const node = await startNode(() => 'hang')
    const answer = connectTo(node, { clock })
      .ask(numberOf('0x7'))
      .catch((error) => error)
    await until(() => node.trips.length === 1)
    await clock.advance(19_999)
    expect(node.aborted).toBe(0)
    await clock.advance(1)
    expect((await answer).message).toBe(
      `the forked node did not answer test_number: ${node.url}: no answer within 20000 ms`,
    )
    await until(() => node.aborted === 1)
  })

  it('takes those along that wait behind it, if nothing is answered at all', async () => {
    const node = await startNode(() => ({ status: 503, text: '' }))
    const results = await askAll(connectTo(node, { concurrency: 1, batch: 1 }), numbers(50))
    expect(results.map(({ status }) => status)).toEqual(Array(50).fill('rejected'))
    expect(node.trips.length).toBeLessThan(100)
  })
})

describe('a node that limits the rate', () => {
  it('gets half as many trips at once, and then more again', async () => {
    let limited = 8
    let most = 0
    const node = await startNode(async (trip) => {
      if (limited > 0) {
        // The first eight arrive together and are refused together.
        limited -= 1
        await until(() => limited === 0)
        return { status: 429, text: '' }
      }
      most = Math.max(most, node.inFlight)
      return answering(trip)
    })
    expect(await askAll(connectTo(node, { batch: 1 }), numbers(8))).toEqual(fulfilled(8))
    expect(node.mostInFlight).toBe(8)
    expect(most).toBeLessThanOrEqual(6)
    expect(node.trips).toHaveLength(16)
  })
})

describe('close', () => {
  it('rejects what is in flight, what waits, and what is asked later', async () => {
    const clock = createManualClock()
    const node = await startNode((_, number) => (number === 0 ? 'hang' : { status: 503, text: '' }))
    const remote = connectTo(node, { clock, concurrency: 1, batch: 1 })
    const answers = askAll(remote, numbers(2))
    await until(() => node.trips.length === 1)
    remote.close()
    const message = 'the fork was closed before the forked node answered: test_number'
    expect(await answers).toMatchObject([{ reason: { message } }, { reason: { message } }])
    await expect(remote.ask(numberOf('0x3'))).rejects.toThrow(new ForkClosedError('test_number'))
    await until(() => node.aborted === 1)
    // No timer is left.
    await clock.advance(100_000)
    expect(node.trips).toHaveLength(1)
  })
})

describe('a redirect', () => {
  it('is followed from loopback to loopback', async () => {
    const target = await startNode((trip) => answering(trip))
    const node = await startNode(() => ({
      status: 307,
      headers: { location: `${target.url}/there` },
      text: '',
    }))
    expect(await connectTo(node).ask(numberOf('0x7'))).toBe(7n)
    expect(target.trips.map(({ path }) => path)).toEqual(['/there'])
  })

  it.each(['http://192.0.2.1/', 'https://example.com/', 'file:///etc/passwd', 'nonsense://', ''])(
    'to %j is refused',
    async (location) => {
      const node = await startNode(() => ({ status: 302, headers: { location }, text: '' }))
      const error = await connectTo(node)
        .ask(numberOf('0x7'))
        .catch((reason) => reason)
      expect(error.cause.message).toBe(`${node.url}: a redirect, which is not followed`)
    },
  )

  it('is refused after five', async () => {
    const node = await startNode(() => ({ status: 308, headers: { location: '/' }, text: '' }))
    await expect(connectTo(node).ask(numberOf('0x7'))).rejects.toThrow(ForkedNodeUnansweredError)
    expect(node.trips).toHaveLength(6)
  })
})

describe('an unusable option', () => {
  const options = { concurrency: 8, batch: 100, timeout: 20_000, clock: createManualClock() }
  it.each([
    [{ url: 'ws://secret-key@localhost' }, 'fork.url: expected a URL that begins with http: or https:'],
    [{ url: 'secret key' }, 'fork.url: expected a URL that begins with http: or https:'],
    [
      { url: 'http://a', headers: { 'x y': 'secret' } },
      'fork.headers: expected names and values that HTTP allows',
    ],
    [
      { url: 'http://a', headers: { x: 'secret\n' + 'b' } },
      'fork.headers: expected names and values that HTTP allows',
    ],
    [{ url: 'http://%zz:b@a' }, 'fork.headers: expected names and values that HTTP allows'],
  ])('is refused without showing it: %#', (given, message) => {
    expect(() => createRemote({ ...options, ...given })).toThrow(InvalidOptionError)
    expect(() => createRemote({ ...options, ...given })).toThrow(`invalid option ${message}`)
  })
})

describe('secrets', () => {
  it('of the URL and of headers are sent, and shown nowhere', async () => {
    const secrets = ['user-name', 'pass word', 'path-key-123', 'query-key-456', 'header-key-789']
    const echo = `denied: ${secrets.join(' ')}`
    const node = await startNode((trip, number) => {
      if (number === 0) return failing(trip, { code: -32001, message: echo, data: { key: echo } })
      if (number === 1) return { status: 401, text: echo }
      if (number === 2) return { text: echo }
      return 'reset'
    })
    const url = node.url.replace('//', '//user-name:pass%20word@')
    const remote = connectTo(
      { url: `${url}/v2/path-key-123?key=query-key-456` },
      { headers: { 'X-Key': 'header-key-789' } },
    )
    const errors: (Error & { cause?: Error; data?: unknown })[] = []
    for (let i = 0; i < 4; i++) errors.push(await remote.ask(numberOf('0x1')).catch((error) => error))
    expect(node.trips[0]).toMatchObject({
      path: '/v2/path-key-123?key=query-key-456',
      headers: { authorization: `Basic ${btoa('user-name:pass word')}`, 'x-key': 'header-key-789' },
    })
    expect(errors.map(({ name }) => name)).toEqual([
      'RemoteRpcError',
      'ForkedNodeUnansweredError',
      'InvalidRemoteAnswerError',
      'ForkedNodeUnansweredError',
    ])
    expect(errors[0]).toMatchObject({ message: 'denied: … … … … …', data: { key: 'denied: … … … … …' } })
    const shown = errors
      .map((error) =>
        [error.stack, error.cause?.stack, String(error.cause?.cause), JSON.stringify(error)].join(),
      )
      .join()
    expect(secrets.filter((secret) => shown.includes(secret))).toEqual([])
  })
})
