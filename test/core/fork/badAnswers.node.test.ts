/** Whatever a node answers that is no answer: a named error, nothing kept, and the next try succeeds. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Hash } from '../../../src/base/types.ts'
import { openForkCache, withCache } from '../../../src/core/fork/cache.ts'
import { askAll } from '../../../src/core/fork/remote.ts'
import { answering, connectTo, listOf, numberOf, type Reply, startNode, type Trip } from './scriptedNode.ts'

const HASH: Hash = `0x${'ab'.repeat(32)}`

const json = (value: unknown): Reply => ({ text: JSON.stringify(value) })

/** The answers of a trip, changed. */
const changed = (trip: Trip, change: (answers: Record<string, unknown>[]) => unknown): Reply =>
  json(change(JSON.parse(answering(trip).text)))

const result = (value: unknown) => (trip: Trip) => json({ id: listOf(trip)[0]!.id, result: value })

const QUANTITY = 'a hex quantity of up to 64 bits'

/** To one request. */
const SINGLE: Readonly<Record<string, readonly [(trip: Trip) => Reply, string]>> = {
  'a page': [() => ({ text: '<!doctype html><title>Please log in</title>' }), 'JSON'],
  'half of the JSON': [(trip) => ({ text: answering(trip).text.slice(0, -5) }), 'JSON'],
  'an empty body': [() => ({ text: '' }), 'JSON'],
  'a body that is too deep': [
    (trip) => ({ text: `{"id":${listOf(trip)[0]!.id},"result":${'['.repeat(3000)}${']'.repeat(3000)}}` }),
    'at most 2500 levels',
  ],
  'a prototype': [
    (trip) => ({ text: `{"id":${listOf(trip)[0]!.id},"result":{"__proto__":{"polluted":1}}}` }),
    'no key __proto__',
  ],
  'another id': [() => json({ id: 0, result: '0x7' }), "an answer with the request's id"],
  'the id as a text': [
    (trip) => json({ id: `${listOf(trip)[0]!.id}`, result: '0x7' }),
    "an answer with the request's id",
  ],
  'no id': [() => json({ result: '0x7' }), "an answer with the request's id"],
  'a list': [(trip) => json([{ id: listOf(trip)[0]!.id, result: '0x7' }]), "an answer with the request's id"],
  'no result': [(trip) => json({ id: listOf(trip)[0]!.id }), 'a result or an error'],
  'an error that is a text': [
    (trip) => json({ id: listOf(trip)[0]!.id, error: 'no' }),
    'an error with a code and a message',
  ],
  'an error without a code': [
    (trip) => json({ id: listOf(trip)[0]!.id, error: { message: 'no' } }),
    'an error with a code and a message',
  ],
  null: [result(null), QUANTITY],
  'an empty quantity': [result('0x'), QUANTITY],
  'a number': [result(7), QUANTITY],
  'a wider quantity': [result('0x10000000000000000'), QUANTITY],
  'an object': [result({ value: '0x7' }), QUANTITY],
}

/** To a batch of two. */
const BATCH: Readonly<Record<string, readonly [(trip: Trip) => Reply, string]>> = {
  'one answer twice': [(trip) => changed(trip, ([first]) => [first, first]), 'each id of the batch once'],
  'the answer to another request': [
    (trip) => changed(trip, ([first]) => [first, { id: 10_000, result: '0x7' }]),
    'each id of the batch once',
  ],
  'one answer more': [
    (trip) => changed(trip, (all) => [...all, { id: 10_000, result: '0x7' }]),
    'each id of the batch once',
  ],
  'a list of texts': [() => json(['0x7', '0x7']), 'an array of objects'],
  'an empty list': [() => json([]), 'an answer to each request of the batch'],
  'a page in the place of a batch': [() => ({ text: '<html>' }), 'JSON'],
  'a text in the place of a batch': [() => json('0x7'), 'an array'],
}

/** A client with a cache in a folder, of a node that answers badly at first. */
async function startLiar(reply: (trip: Trip) => Reply) {
  const folder = await mkdtemp(join(tmpdir(), 'preseal-fork-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const cache = await openForkCache(folder)
  await cache.load(1n, HASH)
  const node = await startNode((trip, number) => (number === 0 ? reply(trip) : answering(trip)))
  const remote = withCache(connectTo(node), cache, { offline: false })
  const kept = async () => {
    await cache.flush()
    const names = await readdir(folder, { recursive: true })
    const files = names.filter((name) => name.endsWith('.jsonl'))
    const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))
    return texts
      .join('')
      .split('\n')
      .filter((line) => line.includes('test_number'))
  }
  return { remote, kept, node }
}

describe('a bad answer', () => {
  it.each(Object.entries(SINGLE))('to a request is named: %s', async (_, [reply, expected]) => {
    const { remote, kept, node } = await startLiar(reply)
    await expect(remote.ask(numberOf('0x7'))).rejects.toMatchObject({
      name: 'InvalidRemoteAnswerError',
      code: -32000,
      message: `invalid answer of the forked node to test_number ["0x7"]: expected ${expected}`,
    })
    expect(await kept()).toEqual([])
    expect(await remote.ask(numberOf('0x7'))).toBe(7n)
    expect(await kept()).toEqual(['[1,"test_number",["0x7"],"0x7"]'])
    expect(await remote.ask(numberOf('0x7'))).toBe(7n)
    expect(node.trips).toHaveLength(2)
    expect('polluted' in {}).toBe(false)
  })

  it.each(Object.entries(BATCH))('to a batch is named: %s', async (_, [reply, expected]) => {
    const { remote, kept } = await startLiar(reply)
    const requests = ['0x7', '0x8'].map(numberOf)
    const message = (param: string) =>
      `invalid answer of the forked node to test_number ["${param}"]: expected ${expected}`
    expect(await askAll(remote, requests)).toMatchObject([
      { status: 'rejected', reason: { message: message('0x7') } },
      { status: 'rejected', reason: { message: message('0x8') } },
    ])
    expect(await kept()).toEqual([])
    expect(await askAll(remote, requests)).toEqual([
      { status: 'fulfilled', value: 7n },
      { status: 'fulfilled', value: 8n },
    ])
    expect(await kept()).toHaveLength(2)
  })

  it('to one request of a batch leaves the others', async () => {
    const { remote, kept } = await startLiar((trip) => changed(trip, ([, second]) => [second]))
    expect(await askAll(remote, ['0x7', '0x8'].map(numberOf))).toMatchObject([
      { reason: { name: 'InvalidRemoteAnswerError' } },
      { status: 'fulfilled', value: 8n },
    ])
    expect(await kept()).toEqual(['[1,"test_number",["0x8"],"0x8"]'])
  })

  it('can have an error for whatever it leaves out', async () => {
    const error = { code: -32005, message: 'rate limited' }
    const { remote, node } = await startLiar((trip) =>
      changed(trip, ([first]) => [first, { id: null, error }]),
    )
    expect(await askAll(remote, ['0x7', '0x8'].map(numberOf))).toEqual([
      { status: 'fulfilled', value: 7n },
      { status: 'fulfilled', value: 8n },
    ])
    expect(node.trips.map((trip) => listOf(trip).length)).toEqual([2, 1])
  })

  it('of more than 64 MiB is not read to its end', async () => {
    const { remote, kept } = await startLiar((trip) => {
      return { text: `{"id":${listOf(trip)[0]!.id},"result":"0x${'0'.repeat(2 ** 26)}"}` }
    })
    const error = await remote.ask(numberOf('0x7')).catch((reason) => reason)
    expect(error.message).toMatch(
      /^the forked node did not answer test_number: http:\/\/127\.0\.0\.1:\d+: an answer of more than 67108864 bytes$/,
    )
    expect(await kept()).toEqual([])
    expect(await remote.ask(numberOf('0x7'))).toBe(7n)
  })

  it('names long params in part', async () => {
    const { remote } = await startLiar(result(null))
    const error = await remote.ask(numberOf(`0x${'7'.repeat(1000)}`)).catch((reason) => reason)
    expect(error.message).toBe(
      `invalid answer of the forked node to test_number ["0x${'7'.repeat(196)}…: expected ${QUANTITY}`,
    )
  })
})
