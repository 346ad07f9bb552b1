/** Chains that continue another one, whose node fails. */
import { MemoryLevel } from 'memory-level'
import { openForkCache } from '../../src/core/fork/cache.ts'
import { decodeLines, referredCode } from '../../src/core/fork/cacheStore.ts'
import { type ChainOptions, createChain, createManualClock, type Provider } from '../../src/index.ts'
import { LOGGING, send } from '../core/sequencer/support.ts'
import { CONTRACT, STRANGER } from '../operations.ts'
import { ask } from '../rpc/scene.ts'
import type { Failures } from './failures.ts'
import { BrokenLawError, expectEqual } from './model.ts'
import { UnreliableNode } from './node.ts'
import type { Medium, OpenMedium } from './round.ts'

/** The options that the forked chain has too. */
const SHARED = ['hardfork', 'genesis', 'accounts', 'fixedBaseFee', 'allowBlocksWithSameTimestamp'] as const

/** The block that is forked. */
const FORKED = 3n

/** Increments slot 1. */
const COUNTER = '0x600154600101600155'

/** A chain with contracts, transactions and logs. It goes on after the block that is forked, with a transaction that rounds send too. */
async function startRemote(options: ChainOptions) {
  const shared = Object.fromEntries(
    SHARED.flatMap((name) => (name in options ? [[name, options[name]]] : [])),
  )
  const chain = await createChain({ ...shared, mining: 'manual', clock: createManualClock() })
  for (const [method, ...params] of [
    ['anvil_setCode', CONTRACT, COUNTER],
    ['anvil_setStorageAt', CONTRACT, '0x1', '0x2'],
    ['anvil_setBalance', STRANGER, '0xde0b6b3a7640000'],
  ] as const) {
    await ask(chain.standard, method, params)
  }
  await send(chain, { nonce: 0 })
  await send(chain, { nonce: 1, ...LOGGING })
  await send(chain, { from: 1, nonce: 0, to: CONTRACT, gas: 100_000n, value: 0n })
  await chain.seal()
  await chain.seal()
  await send(chain, { from: 2, nonce: 0, ...LOGGING })
  await chain.seal()
  await send(chain, { nonce: 2 })
  await chain.seal()
  return chain
}

async function openFork(given: ChainOptions, failures: Failures, cache?: object): Promise<OpenMedium> {
  const remote = await startRemote(given)
  const { genesis: _, ...options } = given
  const node = new UnreliableNode(remote.standard, failures.of('node'), () => failures.pending!.node)
  const fork = { block: FORKED }
  return {
    options: {
      ...options,
      fork: { ...fork, provider: node, ...(cache && { cache: failures.database(cache) as never }) },
    },
    plain: { ...options, fork: { ...fork, provider: remote.standard as never } },
    parts: { nodeClock: node.clock },
    node,
    check: async () => {
      const { asked } = node
      expectEqual('a closed fork has no timers', node.clock.timers.length, 0)
      if (cache !== undefined) await checkCache(cache, remote.standard)
      expectEqual('a closed fork asks nothing', node.asked, asked)
    },
    close: () => remote.close(),
  }
}

/** What a cache holds is what the node answers. */
async function checkCache(level: object, node: Provider): Promise<void> {
  const cache = await openForkCache(level as never)
  const forks = await cache.forks()
  if (forks.length === 0) throw new BrokenLawError('the cache has no fork')
  for (const { chainId, blockHash } of forks) {
    await cache.load(chainId, blockHash)
    await checkLines(cache.toText(), node)
  }
}

async function checkLines(text: string, node: Provider): Promise<void> {
  const { answers, codes } = decodeLines(text)
  for (const one of answers) {
    // Our chains do not have it; the cache keeps an object without fields for that.
    if (one.method === 'eth_config') continue
    const code = referredCode(one)
    const kept = code === undefined ? one.answer : codes.get(code)
    expectEqual(`the cache has the node's answer to ${one.method}`, kept, await node.request(one as never))
  }
}

/** A fork, and a fork that keeps what the node answers. */
export const FORKS: readonly Medium[] = [
  { name: 'fork', places: ['node', 'node', 'node', 'node'], open: (...args) => openFork(...args) },
  {
    name: 'fork with a cache',
    isFork: true,
    places: ['node', 'node', 'node', 'database'],
    open: (options, failures) => openFork(options, failures, new MemoryLevel({ storeEncoding: 'view' })),
  },
]
