/**
 * Whatever listens to a chain gets each event once, even if the chain begins again: on its genesis, on forks that another chain
 * serves, and on the blocks of a state file. What the events tell is compared with what the chain answers.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createManualClock, type Hash, type Hex, type Provider } from '../../../src/index.ts'
import { runs } from '../../full.ts'
import { startChain, type TestChain } from '../../harness.ts'
import { ask } from '../../rpc/scene.ts'
import { ANVIL_CHAIN } from '../cheats/anvilChain.ts'
import { serveNode } from '../fork/scriptedNode.ts'
import { LOGGING, sign } from '../sequencer/support.ts'

type Operation =
  | { readonly kind: 'send'; readonly from: number; readonly logs: boolean }
  | { readonly kind: 'tick' | 'seal' | 'load' | 'resetToFirst' | 'resetToGenesis' }
  | { readonly kind: 'advance' | 'reorg' | 'retract'; readonly by: number }
  | { readonly kind: 'fork'; readonly node: number; readonly block: number }

const operation = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant('send' as const), from: fc.nat(3), logs: fc.boolean() }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('tick' as const, 'seal') }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('advance' as const, 'reorg', 'retract'),
      by: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom('load' as const, 'resetToFirst', 'resetToGenesis') }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('fork' as const), node: fc.nat(1), block: fc.nat(3) }),
  },
)

/** Operations that begin at once, group after group. */
const groups = fc.array(fc.array(operation, { minLength: 1, maxLength: 4 }), { minLength: 3, maxLength: 8 })

interface Log {
  readonly transactionHash: Hash
  readonly logIndex: Hex
  readonly blockNumber: Hex
  readonly removed?: boolean
}

const keyOf = ({ transactionHash, logIndex }: Log): string => `${transactionHash} ${Number(logIndex)}`

/** Listens to a chain in every way, from its start on. */
class Listener {
  readonly #chain: TestChain
  readonly mistakes: unknown[] = []
  /** The number of the block that the chain began on last. */
  #first = 0
  #hasReset = false
  /** The blocks after it, and whether the block filter has returned them. */
  #sealed: { readonly hash: Hash; readonly transactions: readonly Hash[]; polled: boolean }[] = []
  #pending: readonly Hash[] = []
  readonly #waiting = new Set<Hash>()
  readonly #sent: Hash[] = []
  readonly #preconfBlocks: Hash[] = []
  #lastPreconfBlock = ''
  /** Preconf blocks in a row that were equal: only a reset can repeat one. */
  #repeated = 0
  /** What the subscriptions to heads have to get. */
  readonly #heads: Hash[] = []
  #awaitsHead = false
  /** By subscription or filter. */
  readonly #messages = new Map<string, unknown[]>()
  readonly #logs = new Map<string, Set<string>>()
  readonly #ids = new Map<string, unknown>()
  readonly #chainIds: Hex[] = []

  constructor(chain: TestChain) {
    this.#chain = chain
    chain.on('error', (error) => this.mistakes.push(error))
    chain.on('transaction', ({ hash }) => {
      this.#sent.push(hash)
      this.#waiting.add(hash)
    })
    chain.on('dropped', ({ hash }) => {
      if (!this.#waiting.delete(hash)) this.mistakes.push(`dropped: ${hash}`)
    })
    chain.on('preconf', ({ block, index, added }) => {
      const preconfBlock = `${block.hash} ${index}`
      if (preconfBlock === this.#lastPreconfBlock) this.#repeated += 1
      this.#lastPreconfBlock = preconfBlock
      if (this.#hasReset) this.#first = Number(block.number) - 1
      this.#hasReset = false
      if (Number(block.number) !== this.#first + this.#sealed.length + 1)
        this.mistakes.push(`on ${block.number}`)
      this.#preconfBlocks.push(block.hash)
      this.#pending = block.transactions.map(({ hash }) => hash)
      for (const hash of this.#pending.slice(added)) this.#waiting.delete(hash)
    })
    chain.on('block', ({ block }) => {
      const transactions = block.transactions.map(({ hash }) => hash)
      const parent = this.#sealed.at(-1)?.hash ?? block.parentHash
      if (block.parentHash !== parent) this.mistakes.push(`sealed on another block: ${block.number}`)
      for (const hash of transactions) this.#waiting.delete(hash)
      this.#sealed.push({ hash: block.hash, transactions, polled: false })
      this.#pending = []
      this.#heads.push(block.hash)
    })
    chain.on('retracted', ({ reason, blocks, transactions }) => {
      const included = new Set([...this.#sealed.flatMap((one) => one.transactions), ...this.#pending])
      const isLoaded = blocks.length > this.#sealed.length
      for (const hash of transactions) {
        // Loaded blocks have transactions that were never announced.
        if (!included.delete(hash) && !isLoaded) this.mistakes.push(`not included: ${hash}`)
        if (reason !== 'reset') this.#waiting.add(hash)
      }
      const known = blocks.slice(0, this.#sealed.length)
      // A reorg can replace loaded blocks too.
      if (reason !== 'reset') this.#first -= blocks.length - known.length
      for (const hash of known)
        if (this.#sealed.pop()?.hash !== hash) this.mistakes.push(`not the head: ${hash}`)
      if (new Set(blocks).size < blocks.length) this.mistakes.push('withdrawn twice')
      this.#hasReset = reason === 'reset'
      this.#pending = this.#pending.filter((hash) => !transactions.includes(hash))
      this.#awaitsHead = blocks.length > 0
    })
    chain.preconf.on('chainChanged', (id) => this.#chainIds.push(id))
  }

  /** Subscribes on both views, and installs filters. */
  async subscribe(): Promise<void> {
    const { standard, preconf } = this.#chain
    const subscriptions = [
      [standard, 'newHeads'],
      [standard, 'newPendingTransactions'],
      [standard, 'logs'],
      [preconf, 'newHeads'],
      [preconf, 'pendingLogs'],
      [preconf, 'newPreconfBlocks'],
    ] as const
    for (const [provider, kind] of subscriptions) {
      const name = `${provider === standard ? 'standard' : 'preconf'} ${kind}`
      const id = await ask(provider, 'eth_subscribe', [kind])
      const messages: unknown[] = []
      this.#messages.set(name, messages)
      this.#logs.set(name, new Set())
      provider.on('message', ({ data }) => {
        if (data.subscription !== id) return
        messages.push(data.result)
        if (kind === 'logs' || kind === 'pendingLogs') this.#add(name, data.result as Log)
        if (kind === 'newHeads' && this.#awaitsHead) {
          const { hash } = data.result as { hash: Hash }
          if (provider === standard) this.#heads.push(hash)
          this.#awaitsHead = provider === standard
        }
      })
    }
    const filters = [
      ['blocks', standard, 'eth_newBlockFilter', []],
      ['transactions', standard, 'eth_newPendingTransactionFilter', []],
      ['logs', standard, 'eth_newFilter', [{}]],
      ['pendingLogs', preconf, 'eth_newFilter', [{ toBlock: 'pending' }]],
    ] as const
    for (const [name, provider, method, params] of filters) {
      this.#logs.set(name, new Set())
      this.#ids.set(name, await ask(provider, method, params))
    }
  }

  #add(name: string, log: Log): void {
    const logs = this.#logs.get(name)!
    const key = keyOf(log)
    if (!log.removed) {
      if (logs.has(key)) this.mistakes.push(`${name}, twice: ${key}`)
      logs.add(key)
      // The logs of loaded blocks were never announced.
    } else if (!logs.delete(key) && Number(log.blockNumber) > this.#first) {
      this.mistakes.push(`${name}, not there: ${key}`)
    }
  }

  async #poll(name: string, provider: Provider): Promise<unknown[]> {
    return (await ask(provider, 'eth_getFilterChanges', [this.#ids.get(name)])) as unknown[]
  }

  /**
   * Compares all that was told with what the chain answers, once nothing is under way.
   *
   * @param sent - the hashes that the sends since the last check returned.
   * @param resets - how many resets there were since then.
   */
  async check(sent: readonly unknown[], resets: number): Promise<void> {
    expect(this.#repeated).toBeLessThanOrEqual(resets)
    this.#repeated = 0
    expect(this.#sent.slice(this.#polledSends).sort()).toEqual([...sent].sort())
    const { standard, preconf } = this.#chain
    const head = (await ask(standard, 'eth_getBlockByNumber', ['latest', false])) as {
      hash: Hash
      number: Hex
    }
    const { hash: pending, transactions } = (await ask(preconf, 'eth_getBlockByNumber', [
      'pending',
      false,
    ])) as {
      hash: Hash
      transactions: Hash[]
    }
    expect(this.#first + this.#sealed.length).toBe(Number(head.number))
    for (const [i, { hash }] of this.#sealed.entries()) {
      const number = `0x${(this.#first + 1 + i).toString(16)}`
      expect(await ask(standard, 'eth_getBlockByNumber', [number, false])).toMatchObject({ hash })
    }
    if (this.#preconfBlocks.length > 0) expect(this.#preconfBlocks.at(-1)).toBe(pending)
    expect(this.#pending).toEqual(transactions)

    const pool = (await ask(preconf, 'txpool_content')) as Record<
      string,
      Record<string, Record<string, { hash: Hash }>>
    >
    const waiting = Object.values(pool).flatMap((bySender) =>
      Object.values(bySender).flatMap((byNonce) => Object.values(byNonce).map(({ hash }) => hash)),
    )
    expect([...this.#waiting].sort()).toEqual(waiting.sort())

    expect(this.#messages.get('standard newPendingTransactions')).toEqual(this.#sent)
    expect(hashesOf(this.#messages.get('standard newHeads')!)).toEqual(this.#heads)
    expect(hashesOf(this.#messages.get('preconf newHeads')!)).toEqual(this.#heads)
    const blocks = this.#messages.get('preconf newPreconfBlocks') as { block: { hash: Hash } }[]
    expect(hashesOf(blocks.map(({ block }) => block))).toEqual(this.#preconfBlocks)
    expect([...new Set(this.#chainIds)].length === 0 || this.#chainIds.at(-1)).toBe(
      this.#chainIds.length === 0 || (await ask(standard, 'eth_chainId')),
    )
    expect(this.#chainIds.some((id, i) => id === this.#chainIds[i - 1])).toBe(false)

    expect(await this.#poll('transactions', standard)).toEqual(this.#sent.slice(this.#polledSends))
    this.#polledSends = this.#sent.length
    const fresh = this.#sealed.filter(({ polled }) => !polled)
    expect(await this.#poll('blocks', standard)).toEqual(fresh.map(({ hash }) => hash))
    for (const one of fresh) one.polled = true

    const fromBlock = `0x${(this.#first + 1).toString(16)}`
    for (const [filter, subscription, provider, toBlock] of [
      ['logs', 'standard logs', standard, 'latest'],
      ['pendingLogs', 'preconf pendingLogs', preconf, 'pending'],
    ] as const) {
      for (const log of await this.#poll(filter, provider)) this.#add(filter, log as Log)
      const isAfterHead = toBlock === 'latest' && this.#sealed.length === 0
      const logs = isAfterHead
        ? []
        : ((await ask(provider, 'eth_getLogs', [{ fromBlock, toBlock }])) as Log[])
      const keys = logs.map(keyOf).sort()
      expect([...this.#logs.get(subscription)!].sort()).toEqual(keys)
      expect([...this.#logs.get(filter)!].sort()).toEqual(keys)
    }
    expect(this.mistakes).toEqual([])
  }

  #polledSends = 0
}

const hashesOf = (blocks: readonly unknown[]): Hash[] => (blocks as { hash: Hash }[]).map(({ hash }) => hash)

async function perform(chain: TestChain, operation: Operation, urls: readonly string[]): Promise<unknown> {
  const { standard, live } = chain
  switch (operation.kind) {
    case 'send': {
      const { address } = chain.accounts[operation.from]!
      const nonce = Number(await ask(live, 'eth_getTransactionCount', [address]))
      const { from, logs } = operation
      const raw = await sign(chain, { from, nonce, chainId: chain.chainId, ...(logs && LOGGING) })
      return ask(live, 'eth_sendRawTransaction', [raw])
    }
    case 'tick':
      return chain.tick()
    case 'seal':
      return chain.seal()
    case 'advance':
      return chain.advance(1000 * operation.by)
    case 'reorg':
      return chain.reorg({ depth: operation.by })
    case 'retract':
      return chain.retract({ preconfBlocks: operation.by })
    case 'load':
      return ask(standard, 'anvil_loadState', [ANVIL_CHAIN])
    case 'resetToFirst':
      return ask(standard, 'anvil_reset', [{ forking: {} }])
    case 'resetToGenesis':
      return ask(standard, 'anvil_reset')
    case 'fork': {
      const { node, block } = operation
      return ask(standard, 'anvil_reset', [{ forking: { jsonRpcUrl: urls[node], blockNumber: block } }])
    }
  }
}

describe('a chain that begins again', () => {
  it.each(['manual', 'interval'] as const)(
    'tells whatever listens each event once, in %s mining',
    async (mining) => {
      const urls: string[] = []
      for (const chainId of [31_337, 777]) {
        const remote = await startChain({ chainId, clock: createManualClock(chainId * 1_000_000) })
        await ask(remote.standard, 'anvil_mine', [3])
        urls.push((await serveNode(remote)).url)
      }
      await fc.assert(
        fc.asyncProperty(groups, async (groups) => {
          const chain = await startChain({ mining }, {}, { skipHeaderValidation: true })
          const listener = new Listener(chain)
          await listener.subscribe()
          for (const group of groups) {
            const results = await Promise.all(
              group.map((operation) => perform(chain, operation, urls).catch(() => undefined)),
            )
            const sends = results.filter((_, i) => group[i]!.kind === 'send')
            const sent = sends.filter((one) => !String(one).startsWith('error'))
            const resets = group.filter(({ kind }) => !['send', 'tick', 'seal', 'advance'].includes(kind))
            await listener.check(sent, resets.length)
          }
          await chain.close()
        }),
        runs(8, 200),
      )
    },
  )
})
