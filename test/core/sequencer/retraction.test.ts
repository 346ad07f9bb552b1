/** Logs, blocks and heads rebuilt from notifications alone equal those of the chain, whatever is withdrawn. */
import fc from 'fast-check'
import { numberToHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { StateUnavailableError } from '../../../src/ethereum/state/errors.ts'
import type { Hash, Hex, PresealRpcLog, Provider } from '../../../src/index.ts'
import { CONFIGURATIONS, type Configuration, runsOf } from '../../configurations.ts'
import { startChain } from '../../harness.ts'
import { holdingOf, mirror } from '../../mirror.ts'
import { type Operation, operations, perform } from '../../operations.ts'
import { ask } from '../../rpc/scene.ts'

type Step =
  | Operation
  | { readonly kind: 'poll' }
  | { readonly kind: 'snapshot' }
  | { readonly kind: 'reset' }
  | { readonly kind: 'join' }
  | { readonly kind: 'mining'; readonly method: string; readonly params: readonly unknown[] }
  | { readonly kind: 'revert'; readonly to: number }

const others: fc.WeightedArbitrary<Step>[] = [
  { weight: 20, arbitrary: fc.constant({ kind: 'poll' as const }) },
  { weight: 7, arbitrary: fc.constant({ kind: 'snapshot' as const }) },
  { weight: 7, arbitrary: fc.record({ kind: fc.constant('revert' as const), to: fc.nat() }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'reset' as const }) },
  { weight: 4, arbitrary: fc.constant({ kind: 'join' as const }) },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom(
        ['anvil_setAutomine', true],
        ['anvil_setAutomine', false],
        ['anvil_setIntervalMining', 1],
        ['miner_stop'],
      )
      .map(([method, ...params]) => ({ kind: 'mining' as const, method: method as string, params })),
  },
]

const steps = operations((operation) =>
  fc.array(fc.oneof({ weight: 50, arbitrary: operation }, ...others), { minLength: 5, maxLength: 30 }),
)

/** A client that follows a view. */
interface Follower {
  readonly name: string
  /** Fetches the changes of a filter; subscribers have none. */
  poll?(): Promise<void>
  /** What it was notified of. @param oldest - number of the oldest block in the history; older ones are ignored. */
  known(oldest: number): unknown
  /** What the chain shows. */
  actual(oldest: number): Promise<unknown>
}

/** The logs that were delivered and not removed since. */
class KnownLogs {
  /** By position, which sealing keeps; the block hash differs in each preconf block. */
  readonly #places = new Set<string>()
  /** Logs delivered twice, or removed without having been delivered. */
  readonly #mistakes: string[] = []

  apply(log: PresealRpcLog): void {
    const place = placeOf(log)
    const isKnown = this.#places.has(place)
    if (isKnown !== log.removed) this.#mistakes.push(`${log.removed ? 'removed' : 'added'}: ${place}`)
    if (log.removed) this.#places.delete(place)
    else this.#places.add(place)
  }

  content(oldest: number): unknown {
    return { places: within(oldest, [...this.#places]).sort(), mistakes: this.#mistakes }
  }
}

function placeOf({ blockNumber, transactionHash, transactionIndex, logIndex }: PresealRpcLog): string {
  return [blockNumber, transactionIndex, logIndex, transactionHash].join(' ')
}

function within(oldest: number, places: readonly string[]): string[] {
  return places.filter((place) => Number.parseInt(place, 16) >= oldest)
}

async function placesOf(
  provider: Provider,
  toBlock: 'latest' | 'pending',
  oldest: number,
): Promise<string[]> {
  const filter = { fromBlock: numberToHex(oldest), toBlock } as const
  const logs = await provider.request({ method: 'eth_getLogs', params: [filter] })
  return (logs as readonly PresealRpcLog[]).map(placeOf).sort()
}

/** Ignores the logs before it, except those that are removed and included again. */
async function filterOfLogs(
  name: string,
  provider: Provider,
  to: 'latest' | 'pending',
  oldest = 0,
): Promise<Follower> {
  const id = await provider.request({ method: 'eth_newFilter', params: [{ toBlock: to }] })
  const before = new Set(await placesOf(provider, to, oldest))
  await subscribe<PresealRpcLog>(provider, to === 'latest' ? 'logs' : 'pendingLogs', (log) => {
    if (log.removed) before.delete(placeOf(log))
  })
  const logs = new KnownLogs()
  return {
    name,
    async poll() {
      for (const log of await changes<PresealRpcLog>(provider, id)) logs.apply(log)
    },
    known: (oldest) => logs.content(oldest),
    async actual(oldest) {
      const places = await placesOf(provider, to, oldest)
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
  await subscribe<PresealRpcLog>(provider, kind, (log) => logs.apply(log))
  return {
    name,
    known: (oldest) => logs.content(oldest),
    actual: async (oldest) => ({ places: await placesOf(provider, to, oldest), mistakes: [] }),
  }
}

/** The last notified head is the head. */
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

/** The canonical blocks were delivered in order; a filter of blocks does not report withdrawn ones. */
async function filterOfBlocks(provider: Provider): Promise<Follower> {
  const id = await provider.request({ method: 'eth_newBlockFilter' })
  const delivered = await hashesOf(provider)
  let actual: readonly Hash[] = delivered
  return {
    name: 'a filter of blocks',
    async poll() {
      delivered.push(...(await changes<Hash>(provider, id)))
      actual = await hashesOf(provider)
    },
    known() {
      const latest = [...new Set(delivered.toReversed())].reverse()
      return latest.filter((hash) => actual.includes(hash))
    },
    actual: async () => actual,
  }
}

/** The hashes of the sealed blocks, from genesis on. */
async function hashesOf(provider: Provider): Promise<Hash[]> {
  const head = Number(await provider.request({ method: 'eth_blockNumber' }))
  const hashes: Hash[] = []
  for (let number = 0; number <= head; number++) {
    const params = [numberToHex(number), false] as const
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

async function follow({ options }: Configuration, steps: readonly Step[]): Promise<void> {
  const chain = await startChain(options, {}, { skipHeaderValidation: true })
  const { standard, preconf } = chain
  const history = options.history?.blocks
  const followers = [
    await filterOfLogs('a filter on standard', standard, 'latest'),
    await filterOfLogs('a filter on preconf', preconf, 'latest'),
    await filterOfLogs('a filter of pre-confirmed logs', preconf, 'pending'),
    await subscriberOfLogs('a subscriber on standard', standard, 'logs', 'latest'),
    await subscriberOfLogs('a subscriber on preconf', preconf, 'logs', 'latest'),
    await subscriberOfLogs('a subscriber of pre-confirmed logs', preconf, 'pendingLogs', 'pending'),
    await subscriberOfHeads(preconf),
    await filterOfBlocks(standard),
    { name: "a listener of the chain's events", known: await mirror(chain), actual: () => holdingOf(chain) },
  ]
  let oldest = 0
  /** A filter that is polled too late for the history fails, since it missed logs. */
  const poll = async () => {
    for (const [at, follower] of [...followers.entries()].reverse()) {
      await follower.poll?.().catch((error) => {
        if (history === undefined || !(error instanceof StateUnavailableError)) throw error
        followers.splice(at, 1)
      })
    }
  }
  const check = async () => {
    await poll()
    for (const { name, known, actual } of followers) {
      expect(known(oldest), name).toEqual(await actual(oldest))
    }
  }
  const snapshots: Hex[] = []
  for (const step of steps) {
    switch (step.kind) {
      case 'advance':
        await chain.clock.advance(history === undefined ? step.ms : step.ms % (1000 * history))
        break
      case 'poll':
        await check()
        break
      case 'join':
        followers.push(
          await filterOfLogs('a late filter on standard', standard, 'latest', oldest),
          await filterOfLogs('a late filter of pre-confirmed logs', preconf, 'pending', oldest),
        )
        break
      case 'snapshot':
        snapshots.push(await chain.snapshot())
        break
      case 'revert':
        await ask(standard, 'evm_revert', [snapshots[step.to % snapshots.length] ?? '0x0'])
        break
      case 'reset':
        await ask(standard, 'anvil_reset')
        break
      case 'mining':
        await ask(standard, step.method, step.params)
        break
      default:
        await perform(chain, step, options)
    }
    const head = Number(await standard.request({ method: 'eth_blockNumber' }))
    oldest = Math.max(oldest, head + 1 - (history ?? head + 1))
    if (history !== undefined) await poll()
  }
  await check()
  await chain.finish()
}

describe('retraction', () => {
  it.each(CONFIGURATIONS)(
    'is notified such that logs, blocks and heads can be followed: $name',
    async (configuration) => {
      const property = fc.asyncProperty(steps, (all) => follow(configuration, all))
      await fc.assert(property, runsOf(configuration))
    },
  )
})
