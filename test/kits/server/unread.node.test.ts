/** Clients that do not read what they are sent: over WebSocket and over HTTP. */
import { connect as connectSocket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { PresealChain } from '../../../src/index.ts'
import type { ServeOptions } from '../../../src/kits/server/index.ts'
import { startChain } from '../../harness.ts'
import { result } from './messages.ts'
import { ask, connect, exchange, serveUntilEnd, startServer } from './support.ts'

const LONG_CODE = `0x${'cc'.repeat(20)}` as const

/** Requests whose answer has so many megabytes, and more than the system keeps for one socket from 9 on. */
const batchOf = (megabytes: number) =>
  Array.from({ length: megabytes }, (_, id) => ask(id, 'eth_getCode', LONG_CODE, 'latest'))

const MEGABYTE = 1_000_000

/** Gives a chain what `batchOf` reads. */
const setCode = (chain: PresealChain) => chain.setCode(LONG_CODE, `0x${'5b'.repeat(MEGABYTE / 2)}`)

/** A server of a chain with that code. */
async function startLong(options: ServeOptions) {
  const { chain, server } = await startServer(options)
  await setCode(chain)
  return server
}

/** A server that tells how many connections have ended. */
async function startWatched(options: ServeOptions) {
  const chain = await startChain()
  await setCode(chain)
  const ended = { count: 0 }
  const watched: PresealChain = {
    ...chain,
    provider: (...of) =>
      chain.provider(...of).on('disconnect', () => {
        ended.count += 1
      }),
  }
  return { ended, server: await serveUntilEnd(watched, options) }
}

describe('a WebSocket that sends pings', () => {
  it('gets a pong for each, with its data', async () => {
    const { server } = await startServer()
    const client = await connect(server.url)
    const pongs: string[] = []
    const isAnswered = new Promise<void>((resolve) =>
      client.socket.on('pong', (data) => {
        pongs.push(data.toString())
        if (pongs.length === 2) resolve()
      }),
    )
    client.socket.ping(new TextEncoder().encode('one'))
    client.socket.ping()
    await isAnswered
    expect(pongs).toEqual(['one', ''])
  })

  it.each([
    ['long pings alone', 125, undefined, MEGABYTE],
    ['empty pings, behind an answer', 0, batchOf(9), 10 * MEGABYTE],
  ] as const)('and reads nothing is closed with a reason: %s', async (_, length, first, maxQueuedBytes) => {
    const { ended, server } = await startWatched({ maxQueuedBytes })
    const client = await connect(server.url)
    client.socket.pause()
    if (first !== undefined) client.send(first)
    const data = new Uint8Array(length)
    for (let sent = 0; sent < 200_000 && ended.count === 0; sent += 500) {
      for (let i = 0; i < 500; i++) client.socket.ping(data)
      await new Promise(setImmediate)
    }
    expect(ended.count).toBe(1)
    client.socket.resume()
    const reason = `too slow: more than ${maxQueuedBytes} bytes were waiting to be read`
    expect(await client.closed).toEqual({ code: 1013, reason })
  })
})

/** Sends a batch by HTTP, and reads no more than the beginning of the answer. */
async function requestUnread(url: string, batch: unknown) {
  const { hostname, port } = new URL(url)
  const socket = connectSocket(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  const body = JSON.stringify(batch)
  socket.write(
    `POST / HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  )
  const start = await new Promise<Buffer>((resolve) => socket.once('data', resolve))
  socket.pause()
  return {
    /** Reads on: whether all of the answer comes. */
    isComplete: () =>
      new Promise<boolean>((resolve) => {
        let text = start.toString()
        socket.on('data', (part) => {
          text += part
        })
        socket.on('error', () => {})
        socket.on('close', () => {
          const [, length] = /content-length: (\d+)/i.exec(text) ?? []
          resolve(text.length - text.indexOf('\r\n\r\n') - 4 === Number(length))
        })
        socket.resume()
      }),
  }
}

describe('answers over HTTP that nobody reads', () => {
  it('are kept up to a sum; beyond it the connection with most of them is cut off', async () => {
    const server = await startLong({ maxUnreadBytes: 20 * MEGABYTE })
    const slow = []
    for (const megabytes of [9, 10, 9, 9]) {
      slow.push(await requestUnread(server.url, batchOf(megabytes)))
    }
    // Beyond the limit again, until one of the longest is cut off.
    expect((await exchange(server.url)).body).toEqual(result(1, '0x7a69'))
    const complete = []
    for (const one of slow) complete.push(await one.isComplete())
    expect(complete).toEqual([false, false, true, true])
  })

  it('are sent at any length if nothing else waits', async () => {
    const server = await startLong({ maxUnreadBytes: 1 })
    const { body } = await exchange(server.url, { body: JSON.stringify(batchOf(9)) })
    expect(body).toHaveLength(9)
    const client = await connect(server.url)
    client.send(batchOf(9))
    expect(await client.next()).toHaveLength(9)
  })

  it('and those of WebSockets have one sum', async () => {
    const { ended, server } = await startWatched({ maxUnreadBytes: 15 * MEGABYTE })
    const slow = await connect(server.url)
    slow.socket.pause()
    slow.send(batchOf(20))
    const other = await requestUnread(server.url, batchOf(9))
    while (ended.count === 0) expect((await exchange(server.url)).body).toEqual(result(1, '0x7a69'))
    slow.socket.resume()
    expect(await slow.closed).toEqual({ code: 1006, reason: '' })
    expect(slow.received).toEqual([])
    expect(await other.isComplete()).toBe(true)
  })
})
