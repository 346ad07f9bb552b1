/** What a chain has announced, and the laws that its answers obey. */
import type { DropReason, Hash, PresealChain, TransactionStatus } from '../../src/index.ts'
import { type Holding, holdingOf, mirror } from '../mirror.ts'

/** A law is broken: a defect of the chain. */
export class BrokenLawError extends Error {
  override name = 'BrokenLawError'
}

/** Throws unless the two are equal as JSON. */
export function expectEqual(law: string, seen: unknown, expected: unknown): void {
  const [a, b] = [toText(seen), toText(expected)]
  if (a === b) return
  let at = 0
  while (a[at] === b[at]) at++
  const cut = (text: string) => text.slice(Math.max(0, at - 200), at + 300)
  throw new BrokenLawError(`${law}\n  seen:     … ${cut(a)}\n  expected: … ${cut(b)}`)
}

/** A value as JSON, with big integers as decimal text. */
export function toText(value: unknown): string {
  return JSON.stringify(value, (_key, part) => (typeof part === 'bigint' ? `${part}n` : part)) ?? 'undefined'
}

/** A chain as its events describe it. */
export class Model {
  /** Errors that the chain has reported since the last check. */
  readonly errors: string[] = []
  /** The heads in the order in which `newHeads` sends them; undefined for those before an event got lost. */
  readonly heads: Hash[] = []
  /** Incremented when an event may have been lost: what was expected before no longer is. */
  era = 0
  /** Events since the last call of `take`. */
  #events = 0
  readonly #chain: PresealChain
  /** The last announcement of each transaction that was accepted; `undefined` while it waits or is included. */
  readonly #accepted = new Map<Hash, 'retracted' | DropReason | undefined>()
  /** The transactions that the chain had at the last begin: those of a forked chain are never announced. */
  #found: readonly Hash[] = []
  /** The block that has sealed a transaction. */
  readonly #blockOf = new Map<Hash, Hash>()
  #sealed: Hash[] = []
  #holding: () => Holding = () => ({ sealed: [], pending: '0x', included: [], mistakes: [] })

  private constructor(chain: PresealChain) {
    this.#chain = chain
  }

  static async create(chain: PresealChain): Promise<Model> {
    const model = new Model(chain)
    model.#listen()
    await model.restart()
    return model
  }

  /** Begins again with what the chain shows now: an event may have been lost. */
  async restart(): Promise<void> {
    this.era += 1
    this.#holding = await mirror(this.#chain)
    const { sealed, included } = this.#holding()
    this.#sealed = [...sealed]
    this.#found = included
    for (const hash of included) this.#accepted.set(hash, undefined)
    for (const hash of await this.#waiting()) this.#accepted.set(hash, undefined)
  }

  /** Follows a chain that has begun on another block. What was accepted is still followed. */
  async beginAgain(): Promise<void> {
    for (const hash of this.#found) this.#accepted.delete(hash)
    // Blocks that are older than the history are not announced as withdrawn.
    const left = new Set(this.#sealed)
    for (const [hash, block] of this.#blockOf) if (left.has(block)) this.#accepted.delete(hash)
    await this.restart()
  }

  /** @returns the number of events since the last call. */
  take(): number {
    const events = this.#events
    this.#events = 0
    return events
  }

  /** Hashes of the newest blocks and of accepted transactions, for requests. */
  get known(): { readonly blocks: readonly Hash[]; readonly transactions: readonly Hash[] } {
    return { blocks: this.#sealed.slice(-4), transactions: [...this.#accepted.keys()].slice(-6) }
  }

  /** Checks that the chain shows exactly what it has announced, and that no transaction has vanished. */
  async check(): Promise<void> {
    const holding = await holdingOf(this.#chain)
    expectEqual('the chain shows what its events announced', holding, this.#holding())
    const waiting = new Set(await this.#waiting())
    const included = new Set(holding.included)
    const strange = [...waiting].filter((hash) => !this.#accepted.has(hash))
    expectEqual('what waits was accepted', strange, [])
    const vanished = [...this.#accepted].flatMap(([hash, end]) =>
      end === undefined && !waiting.has(hash) && !included.has(hash) ? [hash] : [],
    )
    expectEqual('an accepted transaction waits, is included, or was announced as gone', vanished, [])
    for (const hash of [...this.#accepted.keys()].slice(-8)) await this.#checkStage(hash, waiting, included)
  }

  async #checkStage(hash: Hash, waiting: ReadonlySet<Hash>, included: ReadonlySet<Hash>): Promise<void> {
    const { preconf } = this.#chain
    const status = (await preconf.request({
      method: 'chain_transactionStatus',
      params: [hash],
    })) as TransactionStatus
    const { stage = 'unknown' } = status
    // If a cheat has lowered the nonce, it can wait again; a fork shows that before a forked block (spec.md 72).
    const again = waiting.has(hash) ? ['pending', 'queued'] : []
    // One of a forked block that was sent again is shown as what became of it here.
    const resent = this.#found.includes(hash) ? ['dropped', 'replaced'] : []
    const stages = included.has(hash)
      ? // A block that is older than the history is not found.
        ['preconfirmed', 'sealed', 'unknown', ...again, ...resent]
      : waiting.has(hash)
        ? ['pending', 'queued']
        : ['dropped', 'replaced', 'unknown']
    if (!stages.includes(stage)) expectEqual(`the stage of ${hash}`, stage, stages.join(' or '))
  }

  async #waiting(): Promise<Hash[]> {
    const { pending, queued } = await this.#chain.preconf.request({ method: 'txpool_content' })
    return [...Object.values(pending), ...Object.values(queued)].flatMap((byNonce) =>
      Object.values(byNonce).map(({ hash }) => hash),
    )
  }

  #listen(): void {
    const chain = this.#chain
    chain.on('error', ({ message }) => this.errors.push(message))
    for (const event of ['transaction', 'preconf', 'block', 'dropped', 'retracted'] as const) {
      chain.on(event, () => {
        this.#events += 1
      })
    }
    chain.on('transaction', ({ hash }) => this.#accepted.set(hash, undefined))
    chain.on('preconf', ({ block }) => {
      for (const { hash } of block.transactions) this.#accepted.set(hash, undefined)
    })
    chain.on('block', ({ block }) => {
      for (const { hash } of block.transactions) {
        this.#accepted.set(hash, undefined)
        this.#blockOf.set(hash, block.hash)
      }
      this.#sealed.push(block.hash)
      this.heads.push(block.hash)
    })
    chain.on('dropped', ({ hash, reason }) => this.#accepted.set(hash, reason))
    chain.on('retracted', ({ blocks, transactions }) => {
      for (const hash of transactions) this.#accepted.set(hash, 'retracted')
      if (blocks.length === 0) return
      this.#sealed.length -= blocks.length
      this.heads.push(this.#sealed.at(-1)!)
    })
  }
}
