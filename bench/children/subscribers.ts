/** Subscribers of a served chain, and the sender of its transactions, in their own process. */
import { readFileSync } from 'node:fs'
import { quantile } from '../measure.ts'
import { type Kind, Subscriber } from '../subscriber.ts'
import { type Ending, LeanWebSocket } from '../webSocket.ts'

export interface SubscribersInput {
  readonly url: string
  readonly connections: number
  /** What each connection subscribes to. */
  readonly kinds: readonly Kind[]
  /** The first connections, and those that stop reading, subscribe to `newPreconfBlocks` too. */
  readonly withPreconfBlocks: number
  /** Further connections that subscribe to the same and stop reading. */
  readonly slow: number
  /** Transactions per second. */
  readonly rate: number
  /** Signed; the one at index i emits a log of the value i + 1, which the filter at i % `filters.length` matches. */
  readonly transactions: readonly string[]
  /** Params of `pendingLogs`, one for each connection in turn. */
  readonly filters: readonly object[]
}

export interface SubscribersResult {
  /** Per subscriber, and the same for all of them. */
  readonly received: { readonly heads: number; readonly hashes: number }
  /** Of a subscriber to preconf blocks. */
  readonly preconfBlocks: number
  /** Of all subscribers together. */
  readonly logs: number
  readonly mebibytes: number
  /** Milliseconds from sending a transaction until a subscriber received its log. */
  readonly latency: { readonly p50: number; readonly p99: number }
  /** What one subscriber missed, got twice or out of order, and how many others did; undefined if none did. */
  readonly problem: string | undefined
  /** Transactions that were refused. */
  readonly refused: number
  /** How connections that kept reading were closed. */
  readonly dropped: readonly Ending[]
  /** How connections that stopped reading were closed. */
  readonly slow: readonly Ending[]
}

/** Milliseconds between two batches of transactions. */
const SEND_MS = 20
/** Milliseconds within which every subscriber must have received everything, after the last transaction was sent. */
const DRAIN_MS = 10_000

const input = JSON.parse(readFileSync(process.argv[2] as string, 'utf8')) as SubscribersInput
const { url, connections, kinds, withPreconfBlocks, filters, rate, transactions } = input
const hasHashes = kinds.includes('newPreconfTransactions')

const sentAt = new Float64Array(transactions.length)
const latencies: number[] = []
const subscribe = (index: number, hasPreconfBlocks: boolean) =>
  Subscriber.connect(url, {
    kinds: hasPreconfBlocks ? [...kinds, 'newPreconfBlocks'] : kinds,
    filter: filters[index % filters.length]!,
    onLog: (value) => latencies.push(performance.now() - sentAt[value - 1]!),
  })
const subscribers = await Promise.all(
  Array.from({ length: connections }, (_, index) => subscribe(index, index < withPreconfBlocks)),
)
const slow = await Promise.all(Array.from({ length: input.slow }, (_, index) => subscribe(index, true)))

// All have subscribed, so all of them receive everything from the next block on.
const first = Math.max(...(await Promise.all(subscribers.map((subscriber) => subscriber.nextHead())))) + 1
const dropped: Ending[] = []
for (const { socket } of subscribers) socket.ended.then((ending) => dropped.push(ending))
for (const { socket } of slow) socket.pause()
// They notice that they were closed only when they read again.
process.once('message', () => {
  for (const { socket } of slow) socket.resume()
})

const sender = await LeanWebSocket.open(url)
let refused = 0
sender.onMessage = (text) => {
  refused += text.split('"error":').length - 1
}
await sendAll()
const deadline = performance.now() + DRAIN_MS
while (performance.now() < deadline && subscribers.some((_, index) => !hasAll(index))) await pause(SEND_MS)
// The block that holds the last of them is sealed.
const last = Math.max(...(await Promise.all(subscribers.map((subscriber) => subscriber.nextHead())))) - 1
const dropsSeen = [...dropped]

const problems = subscribers.flatMap((subscriber, index) => {
  const problem =
    subscriber.problem(first, last) ?? problemOfHashes(subscriber) ?? problemOfLogs(subscriber, index)
  return problem === undefined ? [] : [problem]
})
const [example] = subscribers
for (const { socket } of slow) socket.resume()
const result: SubscribersResult = {
  received: { heads: example!.headsIn(first, last), hashes: example!.hashes },
  preconfBlocks: example!.preconfBlocksIn(first, last),
  logs: latencies.length,
  mebibytes: subscribers.reduce((sum, { bytes }) => sum + bytes, 0) / 2 ** 20,
  latency: { p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99) },
  problem:
    problems.length === 0 ? undefined : `${problems[0]} (${problems.length} of ${connections} subscribers)`,
  refused,
  dropped: dropsSeen,
  slow: await Promise.all(slow.map(({ socket }) => Promise.race([socket.ended, notDropped()]))),
}
process.send?.(result, () => process.exit())

async function sendAll(): Promise<void> {
  const start = performance.now()
  for (let next = 0; next < transactions.length; await pause(SEND_MS)) {
    const now = performance.now()
    const due = Math.min(transactions.length, Math.ceil(((now - start) / 1_000) * rate))
    if (due === next) continue
    const requests: string[] = []
    for (; next < due; next++) {
      sentAt[next] = now
      requests.push(
        `{"jsonrpc":"2.0","id":${next},"method":"eth_sendRawTransaction","params":["${transactions[next]}"]}`,
      )
    }
    sender.send(`[${requests.join(',')}]`)
  }
}

/** The values of the logs that a connection's filter matches. */
function* expectedLogs(index: number): Generator<number> {
  for (let at = index % filters.length; at < transactions.length; at += filters.length) yield at + 1
}

function hasAll(index: number): boolean {
  if (hasHashes && subscribers[index]!.hashes < transactions.length) return false
  const filter = index % filters.length
  const expected = Math.ceil((transactions.length - filter) / filters.length)
  return subscribers[index]!.values.length >= expected
}

function problemOfHashes({ hashes }: Subscriber): string | undefined {
  if (!hasHashes || hashes === transactions.length) return undefined
  return `${hashes} hashes of ${transactions.length} transactions came`
}

function problemOfLogs({ values }: Subscriber, index: number): string | undefined {
  const expected = [...expectedLogs(index)]
  const seen = new Set(values)
  if (seen.size < values.length) return 'a log came twice'
  const missing = expected.filter((value) => !seen.has(value)).length
  if (missing > 0) return `${missing} of ${expected.length} logs did not come`
  return values.length > expected.length ? 'a log came that the filter does not match' : undefined
}

async function notDropped(): Promise<Ending> {
  await pause(DRAIN_MS)
  return { code: 0, reason: 'was not dropped' }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
