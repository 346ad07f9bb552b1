/** Which chain and which block a fork continues, and the client that its state is read with. */

import { quantity } from '../../../base/bytes.ts'
import { type Clock, systemClock } from '../../../base/clock.ts'
import { loadCrypto } from '../../../base/crypto/crypto.ts'
import { InvalidOptionError } from '../../../base/errors.ts'
import type { ResolvedFork } from '../../../base/options/forkOptions.ts'
import type { Hash } from '../../../base/types.ts'
import {
  block as anyBlock,
  blockOfHash,
  blockOfNumber,
  blockOrNull,
  chainIdQuantity,
  json,
  orNull,
  type Reader,
  type RemoteBlock,
} from '../../fork/answers.ts'
import { type CachedFork, type ForkCache, isNewCache, openForkCache, withCache } from '../../fork/cache.ts'
import { EarlyState } from '../../fork/earlyState.ts'
import {
  ForkBlockNotFoundError,
  NotInForkCacheError,
  OtherForkedChainError,
  RemoteRpcError,
} from '../../fork/errors.ts'
import { forkable, requireHeaderHash } from '../../fork/forkedBlock.ts'
import { secretFinder } from '../../fork/httpRoute.ts'
import { withMergedProofs } from '../../fork/mergedProofs.ts'
import { type Recipes, recipesOfProcess } from '../../fork/recipes.ts'
import { createRemote, type Remote, type RemoteRequest, SwitchedRemote } from '../../fork/remote.ts'
import { type BlockParameter, requestAt, type StateKey } from '../../fork/stateReads.ts'

/** What the forked node says about its chain. */
export interface ForkedChain {
  readonly chainId: bigint
  readonly block: RemoteBlock
  /** The answer to eth_config (EIP-7910); undefined if the node does not have it. */
  readonly config: unknown
}

/** The node of a fork: an EIP-1193 provider, or a URL with the headers of its requests; neither offline. */
export type ForkedNode = Partial<Pick<ResolvedFork, 'provider' | 'url' | 'headers'>>

/** Gets a function that ends a connection, once that is opened. */
export type OnOpen = (close: () => void) => void

/** How a node is connected to, beside the options of the fork. */
export interface ConnectionParts {
  /** Called before the first request. */
  readonly onOpen?: OnOpen | undefined
  /** The clock of the requests; by default the system's, since under a manual clock an answer would wait for the clock. */
  readonly clock?: Clock | undefined
}

/** A forked chain, and how more of it is read. */
export interface ConnectedFork {
  readonly chain: ForkedChain
  readonly remote: Remote
  readonly recipes: Recipes
  /** Lets `remote` ask another node, over a connection to it; see `SwitchedRemote`. */
  switchTo(node: ForkedNode, connection: Remote): void
  /** Refuses further requests, and writes what the cache does not have yet. @throws ForkCacheError */
  close(): Promise<void>
}

/**
 * Finds the block to fork: in the cache if its hash is given or the node is not to be asked, otherwise on the node.
 *
 * @param keys - the state that is read first; it is asked for together with the block if that is possible.
 * @throws ForkBlockNotFoundError, ForkedNodeUnansweredError, InvalidRemoteAnswerError, NotInForkCacheError, ForkCacheError
 */
export async function connectFork(
  fork: ResolvedFork,
  keys: readonly StateKey[],
  parts: ConnectionParts = {},
): Promise<ConnectedFork> {
  const { offline, verify } = fork
  const switched = new SwitchedRemote(connectNode(fork, fork, parts))
  parts.onOpen?.(() => switched.close())
  let findSecret = secretFinderOf(fork)
  const switchTo = (node: ForkedNode, connection: Remote): void => {
    findSecret = secretFinderOf(node)
    switched.switchTo(connection)
  }
  const node = verify ? withMergedProofs(switched) : switched
  let cache: ForkCache | undefined
  const close = async (): Promise<void> => {
    node.close()
    await cache?.close()
  }
  try {
    // Only the node can say which block has a number or a tag. The cache is opened while it is asked.
    const isAskedFirst = fork.cache === undefined || (!offline && !isBlockHash(fork.block))
    const asked = isAskedFirst ? askStart(node, fork, keys) : undefined
    // Reported below.
    asked?.chain.catch(() => {})
    cache = fork.cache === undefined ? undefined : await openForkCache(fork.cache)
    const cached = asked === undefined ? await findCached(cache!, fork) : undefined
    const options = { offline, hasSecret: (text: string) => findSecret(text) }
    if (cached === undefined) {
      const { chain: asking, early } = asked ?? askStart(node, fork, keys)
      const chain = await asking
      const { chainId, block } = chain
      const remote = early?.at(block.hash.toLowerCase() as Hash) ?? node
      if (cache === undefined) return { chain, remote, recipes: recipesOfProcess(chainId), switchTo, close }
      await cache.load(chainId, block.hash)
      keep(cache, chain, findSecret)
      const recipes = await cache.recipes(chainId)
      return { chain, remote: withCache(remote, cache, options), recipes, switchTo, close }
    }
    const remote = withCache(node, cache!, options)
    await cache!.load(cached.chainId, cached.blockHash)
    const [block, config] = await remote.askAll([blockByHash(cached.blockHash, verify), CONFIG])
    if (block!.status === 'rejected') throw block!.reason
    const { chainId } = cached
    const chain = { chainId, block: block!.value as RemoteBlock, config: configOf(config!) }
    return { chain, remote, recipes: await cache!.recipes(chainId), switchTo, close }
  } catch (error) {
    // The first error is the reason.
    await close().catch(() => {})
    throw error
  }
}

/** Whether a text has a secret of a node's URL or headers; a provider has neither. */
function secretFinderOf({ url, headers }: ForkedNode): (text: string) => boolean {
  return url === undefined ? () => false : secretFinder(url, headers)
}

/** Connects to a node, as the options of a fork say. @throws InvalidOptionError */
export function connectNode(
  { provider = NO_NODE, url, headers }: ForkedNode,
  { concurrency, batch, timeout }: ResolvedFork,
  { clock = systemClock }: ConnectionParts,
): Remote {
  return createRemote({
    ...(url === undefined ? { provider } : { url, headers }),
    concurrency,
    batch,
    timeout,
    clock,
  })
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
  read: readForked(blockOfHash(hash), verify),
  isPinned: true,
})

/** The block to fork, or null. @param verify - whether its hash has to follow from its header. */
function readForked(of: Reader<RemoteBlock>, verify: boolean): RemoteRequest<RemoteBlock | null>['read'] {
  const read = orNull(forkable(of))
  if (!verify) return read
  return async (answer) => {
    const block = read(answer)
    // The node may answer before the hash function is loaded.
    await loadCrypto()
    if (block !== null) requireHeaderHash(block)
    return block
  }
}

const isBlockHash = (block: ResolvedFork['block']): block is Hash =>
  typeof block === 'string' && block.startsWith('0x')

const isTag = (block: ResolvedFork['block']): block is Exclude<ResolvedFork['block'], bigint | Hash> =>
  typeof block === 'string' && !isBlockHash(block)

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
    if (found === undefined)
      throw new NotInForkCacheError('eth_getBlockByNumber', [quantity(block)], cache.path)
    return found
  }
  if (isBlockHash(block)) {
    const found = forks.find(({ blockHash, blockNumber }) => blockHash === block && blockNumber !== undefined)
    if (found === undefined && offline)
      throw new NotInForkCacheError('eth_getBlockByHash', [block], cache.path)
    return found
  }
  if (!offline) return undefined
  if (forks.length === 1) return forks[0]
  throw new InvalidOptionError(
    'fork.block',
    `the number or hash of a block that the cache has, which has ${forks.length} blocks`,
  )
}

function keep(
  cache: ForkCache,
  { block, config = {} }: ForkedChain,
  hasSecret: (text: string) => boolean,
): void {
  const { method, params } = blockByHash(block.hash, false)
  const answers = [
    [method, params, block],
    [CONFIG.method, CONFIG.params, config],
  ] as const
  for (const [name, own, answer] of answers) {
    if (!cache.has(name, own) && !hasSecret(JSON.stringify(answer))) cache.put(name, own, answer)
  }
}

/** Asks for the chain, and for the state that is read first if it can be named yet and no cache may have it. */
function askStart(
  node: Remote,
  fork: ResolvedFork,
  keys: readonly StateKey[],
): { readonly chain: Promise<ForkedChain>; readonly early: EarlyState | undefined } {
  const { block, cache, verify } = fork
  const chain = askChain(node, fork)
  const isInCache = typeof block === 'bigint' && cache !== undefined && !isNewCache(cache)
  // A tag can mean another block in each answer, and a proof is checked against the root of a known block.
  if (isTag(block) || verify || isInCache) return { chain, early: undefined }
  return { chain, early: new EarlyState(node, block, keys) }
}

async function askChain(node: Remote, { block: at, verify }: ResolvedFork): Promise<ForkedChain> {
  const named = {
    method: 'eth_getBlockByNumber',
    params: [typeof at === 'bigint' ? quantity(at) : at, false],
    read: readForked(typeof at === 'bigint' ? blockOfNumber(at) : anyBlock, verify),
    isPinned: false,
  }
  const answers = await node.askAll([
    { method: 'eth_chainId', params: [], read: chainIdQuantity, isPinned: false },
    isBlockHash(at) ? blockByHash(at, verify) : named,
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

// Whether a fork can be read from another node.

/** The forked block, and its chain. */
export interface ForkedPlace {
  readonly chainId: bigint
  readonly number: bigint
  readonly hash: Hash
}

/**
 * Requires that a node has the forked chain, the forked block and its state.
 *
 * @param named - how requests name the block.
 * @returns how they name it at that node: `number` if it takes no hashes (EIP-1898).
 * @throws OtherForkedChainError, RemoteRpcError, ForkedStateUnavailableError, ForkedNodeUnansweredError,
 * InvalidRemoteAnswerError, ForkClosedError
 */
export async function checkNode(
  node: Remote,
  { chainId, number, hash }: ForkedPlace,
  named: BlockParameter,
): Promise<'hash' | 'number'> {
  const stateAt = (block: BlockParameter): RemoteRequest => ({ ...requestAt(block), stateOf: number })
  const [ownId, block, balance] = await node.askAll([
    { method: 'eth_chainId', params: [], read: chainIdQuantity, isPinned: false },
    {
      method: 'eth_getBlockByNumber',
      params: [quantity(number), false],
      read: (answer) => blockOrNull(answer)?.hash.toLowerCase(),
      isPinned: false,
    },
    stateAt(named),
  ])
  if (requireValue(ownId!) !== chainId) throw new OtherForkedChainError(`chain id ${chainId}`)
  if (requireValue(block!) !== hash) throw new OtherForkedChainError(`block ${number} with the hash ${hash}`)
  const isByHash = typeof named !== 'string'
  if (isByHash && balance!.status === 'rejected' && balance!.reason instanceof RemoteRpcError) {
    await node.ask(stateAt(quantity(number)))
    return 'number'
  }
  requireValue(balance!)
  return isByHash ? 'hash' : 'number'
}

function requireValue(settled: PromiseSettledResult<unknown>): unknown {
  if (settled.status === 'rejected') throw settled.reason
  return settled.value
}
