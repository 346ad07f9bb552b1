/** Which chain and which block a fork continues, and the client that its state is read with. */
import type { ResolvedFork } from '../../config/forkOptions.ts'
import {
  block as anyBlock,
  blockOfHash,
  blockOfNumber,
  json,
  orNull,
  type Reader,
  type RemoteBlock,
  quantity as readQuantity,
} from '../../fork/answers.ts'
import { type CachedFork, type ForkCache, openForkCache } from '../../fork/cache.ts'
import { withCache } from '../../fork/cachedRemote.ts'
import { ForkBlockNotFoundError, NotInForkCacheError } from '../../fork/errors.ts'
import { requireHeaderHash } from '../../fork/headerHash.ts'
import { secretFinder } from '../../fork/httpTarget.ts'
import { withMergedProofs } from '../../fork/mergedProofs.ts'
import { type Recipes, recipesOfProcess } from '../../fork/recipes.ts'
import { createRemote, type Remote, type RemoteRequest } from '../../fork/remote.ts'
import { quantity } from '../../primitives/bytes.ts'
import { systemClock } from '../../primitives/clock.ts'
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
  readonly recipes: Recipes
  /** Refuses further requests, and writes what the cache does not have yet. @throws ForkCacheError */
  close(): Promise<void>
}

/**
 * Finds the block to fork: in the cache if its hash is given or the node is not to be asked, otherwise on the node.
 *
 * @throws ForkBlockNotFoundError, ForkedNodeUnansweredError, InvalidRemoteAnswerError, NotInForkCacheError, ForkCacheError
 */
export async function connectFork(fork: ResolvedFork): Promise<ConnectedFork> {
  const { provider = NO_NODE, url, headers, concurrency, batch, timeout, offline, verify } = fork
  const client = createRemote({
    ...(url === undefined ? { provider } : { url, headers }),
    concurrency,
    batch,
    timeout,
    // Not the chain's, since a manual clock would wait for answers that wait for it.
    clock: systemClock,
  })
  const node = verify ? withMergedProofs(client) : client
  const cache = fork.cache === undefined ? undefined : await openForkCache(fork.cache)
  const close = async (): Promise<void> => {
    node.close()
    await cache?.close()
  }
  try {
    if (cache === undefined) {
      const chain = await askChain(node, fork)
      return { chain, remote: node, recipes: recipesOfProcess(chain.chainId), close }
    }
    const cached = await findCached(cache, fork)
    const hasSecret = url === undefined ? undefined : secretFinder(url, headers)
    const remote = withCache(node, cache, { offline, hasSecret })
    if (cached === undefined) {
      const chain = await askChain(node, fork)
      await cache.load(chain.chainId, chain.block.hash)
      keep(cache, chain, hasSecret)
      return { chain, remote, recipes: await cache.recipes(chain.chainId), close }
    }
    await cache.load(cached.chainId, cached.blockHash)
    const [block, config] = await remote.askAll([blockByHash(cached.blockHash, verify), CONFIG])
    if (block!.status === 'rejected') throw block!.reason
    const found = block!.value as RemoteBlock
    const { chainId } = cached
    const recipes = await cache.recipes(chainId)
    return { chain: { chainId, block: found, config: configOf(config!) }, remote, recipes, close }
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

const blockByHash = (hash: Hash, verify: boolean): RemoteRequest<RemoteBlock | null> => ({
  method: 'eth_getBlockByHash',
  params: [hash, false],
  read: orNull(verify ? verified(blockOfHash(hash)) : blockOfHash(hash)),
  isPinned: true,
})

/** A block whose hash follows from its header. */
function verified(read: Reader<RemoteBlock>): Reader<RemoteBlock> {
  return (answer, path) => {
    const block = read(answer, path)
    requireHeaderHash(block)
    return block
  }
}

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

function keep(cache: ForkCache, { block, config = {} }: ForkedChain, hasSecret = (_: string) => false): void {
  const { method, params } = blockByHash(block.hash, false)
  const answers = [
    [method, params, block],
    [CONFIG.method, CONFIG.params, config],
  ] as const
  for (const [name, own, answer] of answers) {
    if (!cache.has(name, own) && !hasSecret(JSON.stringify(answer))) cache.put(name, own, answer)
  }
}

async function askChain(node: Remote, { block: at, verify }: ResolvedFork): Promise<ForkedChain> {
  const isHash = typeof at === 'string' && at.startsWith('0x')
  const read = typeof at === 'bigint' ? blockOfNumber(at) : anyBlock
  const named = {
    method: 'eth_getBlockByNumber',
    params: [typeof at === 'bigint' ? quantity(at) : at, false],
    read: orNull(verify ? verified(read) : read),
    isPinned: false,
  }
  const answers = await node.askAll([
    { method: 'eth_chainId', params: [], read: readQuantity(53), isPinned: false },
    isHash ? blockByHash(at as Hash, verify) : named,
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
