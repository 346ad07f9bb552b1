/** What is withdrawn is told to everyone who was told of it: who is told of changes alone knows what there is. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Hash, Hex, Provider, RpcLog } from '../src/index.ts'
import { FULL } from './full.ts'
import { startChain } from './harness.ts'
import { type Operation, operation, perform } from './operations.ts'
import { ask } from './rpc/scene.ts'

type Step =
  | Operation
  | { readonly kind: 'poll' }
  | { readonly kind: 'snapshot' }
  | { readonly kind: 'reset' }
  | { readonly kind: 'join' }
  | { readonly kind: 'revert'; readonly to: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 50, arbitrary: operation },
  { weight: 20, arbitrary: fc.constant({ kind: 'poll' as const }) },
  { weight: 7, arbitrary: fc.constant({ kind: 'snapshot' as const }) },
  { weight: 7, arbitrary: fc.record({ kind: fc.constant('revert' as const), to: fc.nat() }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'reset' as const }) },
  { weight: 4, arbitrary: fc.constant({ kind: 'join' as const }) },
)

/** Somebody who follows a view. */
interface Follower {
  readonly name: string
  /** Asks what is new; whoever is told by himself has nothing to ask. */
  poll?(): Promise<void>
  known(): unknown
  /** What is to be known. */
  actual(): Promise<unknown>
}

/** The logs that somebody was told of and that were not withdrawn since. */
class KnownLogs {
  /** By place, which sealing leaves as it is; the hash of the block is another in each snapshot. */
  readonly #places = new Set<string>()
  /** Told twice, or withdrawn without having been told. */
  readonly #mistakes: string[] = []

  take(log: RpcLog): void {
    const place = placeOf(log)
    const isKnown = this.#places.has(place)
    if (isKnown !== log.removed) this.#mistakes.push(`${log.removed ? 'withdrawn' : 'told'}: ${place}`)
    if (log.removed) this.#places.delete(place)
    else this.#places.add(place)
  }

  get content(): unknown {
    return { places: [...this.#places].sort(), mistakes: this.#mistakes }
  }
}

function placeOf({ blockNumber, transactionHash, transactionIndex, logIndex }: RpcLog): string {
  return [blockNumber, transactionIndex, logIndex, transactionHash].join(' ')
}

async function placesOf(provider: Provider, toBlock: 'latest' | 'pending'): Promise<string[]> {
  const filter = { fromBlock: 'earliest', toBlock } as const
  const logs = await provider.request({ method: 'eth_getLogs', params: [filter] })
  return (logs as readonly RpcLog[]).map(placeOf).sort()
}

/** It knows nothing of the logs there were before it, but for those that are withdrawn and come again. */
async function filterOfLogs(name: string, provider: Provider, to: 'latest' | 'pending'): Promise<Follower> {
  const id = await provider.request({ method: 'eth_newFilter', params: [{ toBlock: to }] })
  const before = new Set(await placesOf(provider, to))
  await subscribe<RpcLog>(provider, to === 'latest' ? 'logs' : 'pendingLogs', (log) => {
    if (log.removed) before.delete(placeOf(log))
  })
  const logs = new KnownLogs()
  return {
    name,
    async poll() {
      for (const log of await changes<RpcLog>(provider, id)) logs.take(log)
    },
    known: () => logs.content,
    async actual() {
      const places = await placesOf(provider, to)
      return { places: places.filter((place) => !before.has(place)), mistakes: [] }
    },
  }
}

async function subscriberOfLogs(
  name: string,
  provider: Provider,
  kind: 'logs' | 'pendingLogs',
  to: 'latest' | 'pending',
): Promise<Follower> {
  const logs = new KnownLogs()
  await subscribe<RpcLog>(provider, kind, (log) => logs.take(log))
  const actual = async () => ({ places: await placesOf(provider, to), mistakes: [] })
  return { name, known: () => logs.content, actual }
}

/** The head that was told last is the head. */
async function subscriberOfHeads(provider: Provider): Promise<Follower> {
  let [last] = (await hashesOf(provider)).slice(-1)
  await subscribe<{ hash: Hash }>(provider, 'newHeads', ({ hash }) => {
    last = hash
  })
  return {
    name: 'a subscriber of heads',
    known: () => last,
    actual: async () => (await hashesOf(provider)).at(-1),
  }
}

/** Blocks that are withdrawn are not told of; those there are were, in their order. */
async function filterOfBlocks(provider: Provider): Promise<Follower> {
  const id = await provider.request({ method: 'eth_newBlockFilter' })
  const told = await hashesOf(provider)
  let actual: readonly Hash[] = told
  return {
    name: 'a filter of blocks',
    async poll() {
      told.push(...(await changes<Hash>(provider, id)))
      actual = await hashesOf(provider)
    },
    known() {
      const latest = [...new Set(told.toReversed())].reverse()
      return latest.filter((hash) => actual.includes(hash))
    },
    actual: async () => actual,
  }
}

/** Of the sealed blocks, from genesis on. */
async function hashesOf(provider: Provider): Promise<Hash[]> {
  const head = Number(await provider.request({ method: 'eth_blockNumber' }))
  const hashes: Hash[] = []
  for (let number = 0; number <= head; number++) {
    const params = [`0x${number.toString(16)}`, false] as const
    hashes.push((await provider.request({ method: 'eth_getBlockByNumber', params }))!.hash!)
  }
  return hashes
}

async function changes<T>(provider: Provider, id: Hex): Promise<readonly T[]> {
  return (await provider.request({ method: 'eth_getFilterChanges', params: [id] })) as unknown as readonly T[]
}

async function subscribe<T>(provider: Provider, kind: string, listener: (item: T) => void): Promise<void> {
  const id = await provider.request({ method: 'eth_subscribe', params: [kind] })
  provider.on('message', ({ data }) => {
    if (data.subscription === id) listener(data.result as T)
  })
}

async function follow(steps: readonly Step[]): Promise<void> {
  const chain = await startChain({}, {}, { skipHeaderValidation: true })
  const { standard, preconf } = chain
  const followers = [
    await filterOfLogs('a filter on standard', standard, 'latest'),
    await filterOfLogs('a filter on preconf', preconf, 'latest'),
    await filterOfLogs('a filter of what is pre-confirmed', preconf, 'pending'),
    await subscriberOfLogs('a subscriber on standard', standard, 'logs', 'latest'),
    await subscriberOfLogs('a subscriber on preconf', preconf, 'logs', 'latest'),
    await subscriberOfLogs('a subscriber of what is pre-confirmed', preconf, 'pendingLogs', 'pending'),
    await subscriberOfHeads(preconf),
    await filterOfBlocks(standard),
  ]
  const check = async () => {
    for (const { name, poll, known, actual } of followers) {
      await poll?.()
      expect(known(), name).toEqual(await actual())
    }
  }
  const snapshots: Hex[] = []
  for (const one of steps) {
    switch (one.kind) {
      case 'poll':
        await check()
        break
      case 'join':
        followers.push(
          await filterOfLogs('a late filter on standard', standard, 'latest'),
          await filterOfLogs('a late filter of what is pre-confirmed', preconf, 'pending'),
        )
        break
      case 'snapshot':
        snapshots.push(await chain.snapshot())
        break
      case 'revert':
        await ask(standard, 'evm_revert', [snapshots[one.to % snapshots.length] ?? '0x0'])
        break
      case 'reset':
        await ask(standard, 'anvil_reset')
        break
      default:
        await perform(chain, one)
    }
  }
  await check()
  await chain.finish()
}

it('whoever follows logs, blocks and heads knows what the chain holds', async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), follow), {
    numRuns: FULL ? 300 : 15,
  })
}, 300_000)
