/** Which chain and which block a fork continues, and the client that its state is read with. */
import type { ForkBlock, ResolvedFork } from '../../config/forkOptions.ts'
import { blockOrNull, json, type RemoteBlock, quantity as readQuantity } from '../../fork/answers.ts'
import { type CachedFork, type ForkCache, openForkCache } from '../../fork/cache.ts'
import { withCache } from '../../fork/cachedRemote.ts'
import { ForkBlockNotFoundError, NotInForkCacheError } from '../../fork/errors.ts'
import { createRemote, type Remote, type RemoteRequest } from '../../fork/remote.ts'
import { quantity } from '../../primitives/bytes.ts'
import { type Clock, systemClock } from '../../primitives/clock.ts'
import { InvalidOptionError } from '../../primitives/errors.ts'
import type { Hash } from '../../primitives/types.ts'

/** What the forked node says about its chain. */
export interface ForkedChain {
  readonly chainId: bigint
  readonly block: RemoteBlock
  /** The answer to eth_config (EIP-7910); undefined if the node does not have it. */
  readonly config: unknown
}

/** A forked chain, and how more of it is read. */
export interface ConnectedFork {
  readonly chain: ForkedChain
  readonly remote: Remote
  /** Refuses further requests, and writes what the cache does not have yet. @throws ForkCacheError */
  close(): Promise<void>
}

/**
 * Finds the block to fork: in the cache if its hash is given or the node is not to be asked, otherwise on the node.
 *
 * @param clock - of the requests. Not the chain's, since a manual clock would wait for answers that wait for it.
 * @throws ForkBlockNotFoundError, ForkedNodeUnansweredError, InvalidRemoteAnswerError, NotInForkCacheError, ForkCacheError
 */
export async function connectFork(fork: ResolvedFork, clock: Clock = systemClock): Promise<ConnectedFork> {
  const { provider = NO_NODE, url, headers, concurrency, batch, timeout, offline } = fork
  const node = createRemote({
    ...(url === undefined ? { provider } : { url, headers }),
    concurrency,
    batch,
    timeout,
    clock,
  })
  const cache = fork.cache === undefined ? undefined : await openForkCache(fork.cache)
  const close = async (): Promise<void> => {
    node.close()
    await cache?.close()
  }
  try {
    if (cache === undefined) return { chain: await askChain(node, fork.block), remote: node, close }
    const cached = await findCached(cache, fork)
    const remote = withCache(node, cache, { offline })
    if (cached === undefined) {
      const chain = await askChain(node, fork.block)
      await cache.load(chain.chainId, chain.block.hash)
      keep(cache, chain)
      return { chain, remote, close }
    }
    await cache.load(cached.chainId, cached.blockHash)
    const [block, config] = await remote.askAll([blockByHash(cached.blockHash), CONFIG])
    if (block!.status === 'rejected') throw block!.reason
    const found = block!.value as RemoteBlock
    return { chain: { chainId: cached.chainId, block: found, config: configOf(config!) }, remote, close }
  } catch (error) {
    // The first error is the reason.
    await close().catch(() => {})
    throw error
  }
}

/** In the place of a node that is never asked. */
const NO_NODE = {
  request: ({ method, params }: Pick<RemoteRequest, 'method' | 'params'>) =>
    Promise.reject(new NotInForkCacheError(method, params)),
}

/** The answer of one node is kept with the block that it is about. */
const CONFIG: RemoteRequest = { method: 'eth_config', params: [], read: json, isPinned: true }

const blockByHash = (hash: Hash): RemoteRequest => ({
  method: 'eth_getBlockByHash',
  params: [hash, false],
  read: blockOrNull,
  isPinned: true,
})

/** The block in the cache; undefined if the node is to be asked for it. */
async function findCached(
  cache: ForkCache,
  { block, offline }: ResolvedFork,
): Promise<CachedFork | undefined> {
  const forks = await cache.forks()
  if (typeof block === 'bigint') {
    // Online, the node says which block has the number now.
    if (!offline) return undefined
    const found = forks.find(({ blockNumber }) => blockNumber === block)
    if (found === undefined) throw new NotInForkCacheError('eth_getBlockByNumber', [quantity(block)])
    return found
  }
  if (block.startsWith('0x')) {
    const found = forks.find(({ blockHash, blockNumber }) => blockHash === block && blockNumber !== undefined)
    if (found === undefined && offline) throw new NotInForkCacheError('eth_getBlockByHash', [block])
    return found
  }
  if (!offline) return undefined
  if (forks.length === 1) return forks[0]
  throw new InvalidOptionError(
    'fork.block',
    `the number or hash of a block that the cache has, which has ${forks.length} blocks`,
  )
}

function keep(cache: ForkCache, { block, config = {} }: ForkedChain): void {
  const { method, params } = blockByHash(block.hash)
  if (cache.get(method, params) === undefined) cache.put(method, params, block)
  if (cache.get(CONFIG.method, CONFIG.params) === undefined) cache.put(CONFIG.method, CONFIG.params, config)
}

async function askChain(node: Remote, at: ForkBlock): Promise<ForkedChain> {
  const isHash = typeof at === 'string' && at.startsWith('0x')
  const named = {
    method: 'eth_getBlockByNumber',
    params: [typeof at === 'bigint' ? quantity(at) : at, false],
  }
  const answers = await node.askAll([
    { method: 'eth_chainId', params: [], read: readQuantity(53), isPinned: false },
    isHash ? blockByHash(at as Hash) : { ...named, read: blockOrNull, isPinned: false },
    CONFIG,
  ])
  const [chainId, block, config] = answers as [
    PromiseSettledResult<bigint>,
    PromiseSettledResult<RemoteBlock | null>,
    PromiseSettledResult<unknown>,
  ]
  if (chainId.status === 'rejected') throw chainId.reason
  if (block.status === 'rejected') throw block.reason
  if (block.value === null) throw new ForkBlockNotFoundError(String(at))
  return { chainId: chainId.value, block: block.value, config: configOf(config) }
}

/** Few nodes have eth_config, so its failure means nothing. */
function configOf(config: PromiseSettledResult<unknown>): unknown {
  return config.status === 'fulfilled' ? config.value : undefined
}
