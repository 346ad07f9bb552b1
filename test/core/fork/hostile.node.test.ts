/** A node that means harm: answers without an end, bombs, delays, and credentials in whatever it says. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Hash } from '../../../src/base/types.ts'
import { json } from '../../../src/core/fork/answers.ts'
import { openForkCache, withCache } from '../../../src/core/fork/cache.ts'
import { askAll } from '../../../src/core/fork/remote.ts'
import { createChain, createManualClock } from '../../../src/index.ts'
import { runs } from '../../full.ts'
import { startChain } from '../../harness.ts'
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

const HASH: Hash = `0x${'ab'.repeat(32)}`

/** A node that writes its answers itself. */
async function startWriter(write: (response: ServerResponse) => void) {
  const node = { url: '', closed: 0 }
  const server = createServer(async (request, response) => {
    await text(request)
    response.on('close', () => {
      node.closed += 1
    })
    write(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  node.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return node
}

/** Writes for as long as it is read. */
function writeForever(to: ServerResponse, part: Buffer): void {
  while (to.write(part));
  to.once('drain', () => writeForever(to, part))
}

const causeOf = (node: { readonly url: string }): Promise<string> =>
  connectTo(node)
    .ask(numberOf('0x7'))
    .then(
      () => 'it was answered',
      (error) => error.cause?.message ?? error.message,
    )

describe('an answer', () => {
  it('without an end is left', async () => {
    const node = await startWriter((response) => writeForever(response, Buffer.alloc(2 ** 20, 0x20)))
    expect(await causeOf(node)).toBe(`${node.url}: an answer of more than 67108864 bytes`)
    await until(() => node.closed === 1)
  })

  it('that is small until it is decompressed is left', async () => {
    const node = await startWriter((response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' })
      writeForever(response, gzipSync(Buffer.alloc(2 ** 22, 0x30)))
    })
    expect(await causeOf(node)).toBe(`${node.url}: an answer of more than 67108864 bytes`)
    await until(() => node.closed === 1)
  })

  it.each(['[', '{"a":', '[{"[":'])('of %s a million times is not parsed', async (part) => {
    const node = await startNode(() => ({ text: part.repeat(1_000_000) }))
    expect(await causeOf(node)).toBe(
      'invalid answer of the forked node to test_number ["0x7"]: expected JSON',
    )
  })

  it('with brackets in its texts is not deep', async () => {
    const result = `${'['.repeat(20_000)}\\"${'{'.repeat(20_000)}`
    const node = await startNode((trip) => answering(trip, () => result))
    const request = { method: 'test', params: [], read: json, isPinned: false }
    expect(await connectTo(node).ask(request)).toBe(result)
  })

  it('with an error of any length has a short message', async () => {
    const node = await startNode((trip) => failing(trip, { code: 3, message: 'x'.repeat(1_000_000) }))
    const error = await connectTo(node)
      .ask(numberOf('0x7'))
      .catch((reason) => reason)
    expect(error.message).toBe(`${'x'.repeat(10_000)}…`)
  })
})

describe('Retry-After', () => {
  it('of any value leaves six attempts within the timeout', async () => {
    const VALUES = [
      '-5',
      '0',
      '1e9',
      '9'.repeat(400),
      'NaN',
      '0x10',
      'Infinity',
      ' ',
      '1;2',
      '19',
      '20',
      '4294968',
    ]
    const DATES = [
      'Thu, 01 Jan 1970 00:00:00 GMT',
      'Fri, 31 Dec 9999 23:59:59 GMT',
      'Thu, 99 Foo 2026 00:00:00 GMT',
    ]
    const values = fc.oneof(
      fc.constantFrom(...VALUES, ...DATES),
      fc.nat().map(String),
      fc.string({ unit: fc.constantFrom(...'0123456789-.eE+: ') }),
    )
    await fc.assert(
      fc.asyncProperty(values, fc.constantFrom(429, 503), async (value, status) => {
        const node = await startNode(() => ({ status, headers: { 'retry-after': value }, text: '' }))
        const clock = createRetryClock()
        const start = clock.now()
        const error = await connectTo(node, { clock })
          .ask(numberOf('0x7'))
          .catch((reason) => reason)
        expect(error.name).toBe('ForkedNodeUnansweredError')
        expect(node.trips.length).toBeLessThanOrEqual(6)
        expect(clock.now() - start).toBeLessThanOrEqual(20_000)
      }),
      runs(20, 100),
    )
  })
})

/** Parts of a URL and headers that are secret. */
interface Secrets {
  readonly user: string
  readonly password: string
  readonly path: string
  readonly query: string
  readonly header: string
}

const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789'
const secret = (unit: string) =>
  fc
    .string({ unit: fc.constantFrom(...unit), minLength: 8, maxLength: 40 })
    .filter((one) => /[g-z]/i.test(one))

const SECRETS: fc.Arbitrary<Secrets> = fc.record({
  user: secret(LETTERS),
  password: secret(`${LETTERS} !"$&'()*+,;=:@/?#[]%é`).map((one) => `p${one}z`),
  path: secret(`${LETTERS}-_.~$`).map((one) => `k${one}k`),
  query: secret(`${LETTERS}-_. +&%"`).map((one) => `q${one}q`),
  header: secret(`${LETTERS}-._~+/`).map((one) => `h${one}h`),
})

const urlOf = (url: string, { user, password, path, query }: Secrets): string => {
  const { host } = new URL(url)
  const [name, word, key] = [user, password, query].map(encodeURIComponent)
  return `http://${name}:${word}@${host}/v3/${path}?key=${key}`
}

/** What a node can say to a request, with a text that repeats secrets. */
const REPLIES: Readonly<Record<string, (trip: Trip, echo: string) => Reply>> = {
  'an error': (trip, echo) => failing(trip, { code: -32000, message: echo }),
  'an error with data': (trip, echo) =>
    failing(trip, { code: 3, message: 'x', data: { [echo]: [echo, { a: echo }] } }),
  'a limit of the rate': (trip, echo) => failing(trip, { code: -32005, message: echo }),
  'an error without a code': (trip, echo) => failing(trip, { message: echo, code: echo }),
  'an error that is a text': (trip, echo) => failing(trip, echo),
  'a lost state': (trip, echo) => failing(trip, { code: -32000, message: `missing trie node ${echo}` }),
  'a page': (_, echo) => ({ text: `<html>${echo}` }),
  'a refusal': (_, echo) => ({ status: 401, text: echo }),
  'a failure': (_, echo) => ({ status: 500, text: echo }),
  'a text': (_, echo) => ({ text: JSON.stringify(echo) }),
  'a wrong id': (_, echo) => ({ text: JSON.stringify({ id: echo, result: '0x7' }) }),
  'a wrong result': (trip, echo) => answering(trip, () => ({ [echo]: echo })),
  'a redirect': (_, echo) => ({
    status: 302,
    headers: { location: `https://example.com/${encodeURIComponent(echo)}` },
    text: '',
  }),
  'a lost connection': () => 'reset',
  'an answer with a secret in it': (trip, echo) => answering(trip, () => ({ number: '0x7', note: echo })),
}

/** All that can be seen of an error. */
const shownOf = (error: Error): string => {
  const { cause, data } = error as { readonly cause?: Error; readonly data?: unknown }
  return [
    error.stack,
    error.message,
    JSON.stringify(error),
    JSON.stringify(data),
    cause?.stack,
    String(cause?.cause),
    JSON.stringify(cause),
  ].join('\n')
}

describe('credentials', () => {
  it('are in no error and no file, whatever the node says', async () => {
    const spellings = fc.constantFrom<(text: string) => string>(
      (one) => one,
      (one) => one.toUpperCase(),
      (one) => one.toLowerCase(),
      (one) => encodeURIComponent(one),
    )
    await fc.assert(
      fc.asyncProperty(
        SECRETS,
        fc.constantFrom(...Object.keys(REPLIES)),
        spellings,
        async (all, name, spell) => {
          const folder = await mkdtemp(join(tmpdir(), 'preseal-fork-'))
          try {
            const own = Object.values(all)
            const basic = Buffer.from(`${all.user}:${all.password}`).toString('base64')
            const echo = own.map(spell).join(' and ')
            const node = await startNode((trip) => REPLIES[name]!(trip, `${echo} and ${basic}`))
            const headers = { authorization: `Bearer ${all.header}`, 'x-key': all.header }
            const url = urlOf(node.url, all)
            const cache = await openForkCache(folder)
            await cache.load(1n, HASH)
            const connection = connectTo({ url }, { headers })
            const { hasSecret } = connection
            const remote = withCache(connection, cache, { offline: false, hasSecret })
            const requests = [
              numberOf('0x7'),
              { ...numberOf('0x8'), stateOf: 7n },
              { method: 'test_json', params: [], read: json, isPinned: true },
            ]
            const settled = await askAll(remote, requests)
            await cache.close()
            const errors = settled.flatMap((one) => (one.status === 'rejected' ? [shownOf(one.reason)] : []))
            const names = await readdir(folder, { recursive: true })
            const files = names.filter((file) => file.endsWith('.jsonl'))
            const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))
            const shown = [...errors, ...names, ...texts].join('\n').toLowerCase()
            const found = [...own, ...own.map(encodeURIComponent), basic].filter((one) =>
              shown.includes(one.toLowerCase()),
            )
            expect({ name, found, errors: found.length > 0 && shown }).toEqual({
              name,
              found: [],
              errors: false,
            })
          } finally {
            await rm(folder, { recursive: true })
          }
        },
      ),
      runs(40, 400),
    )
  })

  it('are not shown by a chain, nor kept in its cache', async () => {
    const all = {
      user: 'user-name',
      password: 'pass: word',
      path: 'path-key-123',
      query: 'q&key=456',
      header: 'header-key',
    }
    const original = await startChain()
    const node = await startNode(async ({ body }) => {
      const answers = [body].flat().map(async ({ id, method, params }) => {
        if (method === 'eth_config') return { id, result: { note: Object.values(all).join() } }
        try {
          const result = await original.standard.request({ method, params } as never)
          if (method === 'eth_getBlockByNumber')
            return { id, result: { ...(result as object), note: all.query } }
          return { id, result }
        } catch (error) {
          const { code, message } = error as { code: number; message: string }
          return { id, error: { code, message: `${message} ${Object.values(all).join()}` } }
        }
      })
      const done = await Promise.all(answers)
      return { text: JSON.stringify(Array.isArray(body) ? done : done[0]) }
    })
    const folder = await mkdtemp(join(tmpdir(), 'preseal-fork-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const chain = await createChain({
      mining: 'manual',
      clock: createManualClock(),
      fork: { url: urlOf(node.url, all), headers: { 'x-key': all.header }, cache: folder },
    })
    onTestFinished(() => chain.close())
    const shown: string[] = []
    chain.on('error', (error) => shown.push(shownOf(error)))
    for (const [method, ...params] of [
      ['anvil_nodeInfo'],
      ['anvil_metadata'],
      ['hardhat_metadata'],
      ['web3_clientVersion'],
      ['eth_getBalance', `0x${'57'.repeat(20)}`, 'latest'],
      ['eth_getBalance', `0x${'57'.repeat(20)}`, `0x${'57'.repeat(32)}`],
      ['debug_traceTransaction', `0x${'57'.repeat(32)}`],
    ]) {
      const answer = await chain.standard
        .request({ method, params } as never)
        .then(JSON.stringify, (error: Error) => shownOf(error))
      shown.push(String(answer))
    }
    await chain.close()
    for (const name of await readdir(folder, { recursive: true })) {
      if (name.includes('.')) shown.push(await readFile(join(folder, name), 'utf8'))
    }
    const found = Object.values(all).filter((one) => shown.some((it) => it.includes(one)))
    expect(found).toEqual([])
    expect(shown[0]).toContain(new URL(node.url).origin)
    expect(shown.at(-1)).toContain('eth_getBalance')
    expect(listOf(node.trips[0]!)).toHaveLength(3)
  })
})
