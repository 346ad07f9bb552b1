/** One subscriber, which checks that it gets everything once and in order. */
import { LeanWebSocket } from './webSocket.ts'

/** What a subscriber can subscribe to. */
export type Kind = 'newHeads' | 'newPreconfBlocks' | 'newPreconfTransactions' | 'pendingLogs'

/** What one subscriber subscribes to, and what is called with what it receives. */
export interface Subscriptions {
  readonly kinds: readonly Kind[]
  /** The log filter. */
  readonly filter: object
  /** Called with the value of a log. */
  onLog(value: number): void
}

interface Head {
  readonly number: number
  readonly hash: string
  readonly parentHash: string
}

interface PreconfBlock {
  readonly number: number
  readonly index: number
  readonly hash: string
}

interface WireHead {
  readonly number: string
  readonly hash: string
  readonly parentHash: string
}

interface WireLog {
  readonly blockNumber: string
  readonly logIndex: string
  readonly data: string
}

interface Place {
  readonly block: number
  readonly log: number
}

/** The hashes of transactions in the order of their pre-confirmation, which is the same for all subscribers. */
const sequence: string[] = []

/** The beginning of a preconf block; the rest is not read. */
const PRECONF_BLOCK = /"result":\{"index":(\d+),"block":\{"number":"(0x[\da-f]+)","hash":"(0x[\da-f]+)"/

/** Owns: its socket, and what it received. */
export class Subscriber {
  readonly socket: LeanWebSocket
  /** The values of the received logs, in order. */
  readonly values: number[] = []
  bytes = 0
  /** The number of received hashes of transactions. */
  hashes = 0
  readonly #onLog: (value: number) => void
  readonly #hasPreconfBlocks: boolean
  readonly #heads: Head[] = []
  readonly #preconfBlocks: PreconfBlock[] = []
  #lastLog: Place = { block: 0, log: -1 }
  #disorder: string | undefined
  #onHead: ((number: number) => void)[] = []
  /** By the subscription's id. */
  readonly #kinds = new Map<string, Kind>()

  private constructor(socket: LeanWebSocket, { kinds, onLog }: Subscriptions) {
    this.socket = socket
    this.#onLog = onLog
    this.#hasPreconfBlocks = kinds.includes('newPreconfBlocks')
  }

  /** Connects, and subscribes. */
  static async connect(url: string, subscriptions: Subscriptions): Promise<Subscriber> {
    const { kinds, filter } = subscriptions
    const socket = await LeanWebSocket.open(url)
    const subscriber = new Subscriber(socket, subscriptions)
    await new Promise<void>((resolve, reject) => {
      socket.onMessage = (text, length) => {
        const answer = JSON.parse(text) as { id?: number; result?: string }
        if (answer.id === undefined) return subscriber.#take(text, length)
        if (answer.result === undefined) return reject(new Error(`cannot subscribe: ${text}`))
        subscriber.#kinds.set(answer.result, kinds[answer.id]!)
        if (subscriber.#kinds.size < kinds.length) return
        socket.onMessage = (text, length) => subscriber.#take(text, length)
        resolve()
      }
      for (const [id, kind] of kinds.entries()) {
        const params = kind === 'pendingLogs' ? [kind, filter] : [kind]
        socket.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_subscribe', params }))
      }
    })
    return subscriber
  }

  /** The number of the next sealed block; if the connection has ended, of the last one. */
  nextHead(): Promise<number> {
    const next = new Promise<number>((resolve) => this.#onHead.push(resolve))
    return Promise.race([next, this.socket.ended.then(() => this.#heads.at(-1)?.number ?? 0)])
  }

  headsIn(first: number, last: number): number {
    return within(this.#heads, first, last).length
  }

  preconfBlocksIn(first: number, last: number): number {
    return within(this.#preconfBlocks, first, last).length
  }

  /** The first error in these blocks' heads and preconf blocks, or in the order of the logs; undefined without one. */
  problem(first: number, last: number): string | undefined {
    if (this.#disorder !== undefined) return this.#disorder
    const heads = within(this.#heads, first, last)
    if (heads.length !== last - first + 1) return `${heads.length} heads came for blocks ${first} to ${last}`
    for (const [at, { number, parentHash }] of heads.entries()) {
      if (number !== first + at) return `head ${number} came out of order`
      if (at > 0 && parentHash !== heads[at - 1]!.hash) return `head ${number} has another parent`
    }
    if (!this.#hasPreconfBlocks) return undefined
    const preconfBlocks = within(this.#preconfBlocks, first, last)
    const hashes = new Map(heads.map(({ number, hash }) => [number, hash]))
    let before: PreconfBlock = { number: first - 1, index: 0, hash: '' }
    for (const preconfBlock of preconfBlocks) {
      const { number, index } = preconfBlock
      const follows =
        number === before.number ? index === before.index + 1 : number === before.number + 1 && index === 0
      if (!follows) return `preconf block ${number}.${index} came after ${before.number}.${before.index}`
      if (number > before.number && number > first && hashes.get(before.number) !== before.hash) {
        return `the last preconf block of block ${before.number} is not what was sealed`
      }
      before = preconfBlock
    }
    if (hashes.get(last) !== before.hash) return `the last preconf block of block ${last} did not come`
    return undefined
  }

  #take(text: string, length: number): void {
    this.bytes += length
    const id = /"subscription":"(0x[\da-f]+)"/.exec(text)?.[1]
    const kind = this.#kinds.get(id ?? '')
    if (kind === 'newHeads') this.#takeHead(resultOf(text) as WireHead)
    else if (kind === 'newPreconfBlocks') this.#takePreconfBlock(text)
    else if (kind === 'newPreconfTransactions') this.#takeHash(text)
    else if (kind === 'pendingLogs') this.#takeLog(resultOf(text) as WireLog)
    else this.#disorder ??= `a message of an unknown subscription came: ${text.slice(0, 200)}`
  }

  #takeHead({ number, hash, parentHash }: WireHead): void {
    this.#heads.push({ number: Number(number), hash, parentHash })
    for (const resolve of this.#onHead) resolve(Number(number))
    this.#onHead = []
  }

  #takeHash(text: string): void {
    const at = this.hashes
    this.hashes += 1
    const begin = text.indexOf('"result":"') + 10
    const hash = text.slice(begin, begin + 66)
    if (at === sequence.length) sequence.push(hash)
    else if (sequence[at] !== hash)
      this.#disorder ??= `transaction ${at} is ${hash}, elsewhere ${sequence[at]}`
  }

  #takePreconfBlock(text: string): void {
    const [, index, number, hash] = PRECONF_BLOCK.exec(text) ?? []
    if (hash === undefined)
      this.#disorder ??= `a preconf block has an unexpected beginning: ${text.slice(0, 200)}`
    else this.#preconfBlocks.push({ number: Number(number), index: Number(index), hash })
  }

  #takeLog({ blockNumber, logIndex, data }: WireLog): void {
    const place = { block: Number(blockNumber), log: Number(logIndex) }
    const { block, log } = this.#lastLog
    if (place.block < block || (place.block === block && place.log <= log)) {
      this.#disorder ??= `log ${place.block}.${place.log} came after ${block}.${log}`
    }
    this.#lastLog = place
    this.values.push(Number(data))
    this.#onLog(Number(data))
  }
}

function resultOf(text: string): unknown {
  return (JSON.parse(text) as { params: { result: unknown } }).params.result
}

function within<T extends { readonly number: number }>(
  items: readonly T[],
  first: number,
  last: number,
): T[] {
  return items.filter(({ number }) => number >= first && number <= last)
}
