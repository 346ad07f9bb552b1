/**
 * Starts a chain on a block of another chain.
 *
 *   trip 1: chain id, block, eth_config   trip 2: dev accounts, system contracts   ─► the head of the chain
 *
 * What of trip 2 is known by then is asked for in trip 1 if the block is given by its hash, or by a number far behind the
 * head (`EarlyState`): in most cases that is all of it.
 */

import { bytesToHex, hexToBytes, quantity, toWord } from '../../../base/bytes.ts'
import { type Clock, systemClock } from '../../../base/clock.ts'
import { type Crypto, loadCrypto } from '../../../base/crypto/crypto.ts'
import { InvalidOptionError } from '../../../base/errors.ts'
import { balanceOf, DEFAULT_MNEMONIC } from '../../../base/options/accountOptions.ts'
import type { ResolvedFork } from '../../../base/options/forkOptions.ts'
import type { Address, DevAccount, Hash } from '../../../base/types.ts'
import type { Executor } from '../../../ethereum/evm/executor.ts'
import { SYSTEM_ADDRESS } from '../../../ethereum/evm/transition.ts'
import { createChainRules, hardforkConfig } from '../../../ethereum/rules.ts'
import { NO_CODE, readCode, type StateReader } from '../../../ethereum/state/account.ts'
import { type AccountPatch, patchChanges, type StatePatch } from '../../../ethereum/state/patch.ts'
import { WorldState } from '../../../ethereum/state/worldState.ts'
import {
  BEACON_ROOTS,
  BLOCK_HASHES,
  CONSOLIDATION_REQUESTS,
  WITHDRAWAL_REQUESTS,
} from '../../../ethereum/systemContracts.ts'
import { statedAddresses } from '../../accounts/accounts.ts'
import { type AttributeOptions, type BlockSettings, NO_SETTINGS } from '../../block/attributes.ts'
import {
  block as anyBlock,
  blockOfHash,
  blockOfNumber,
  chainIdQuantity,
  json,
  orNull,
  type Reader,
  type RemoteBlock,
} from '../../fork/answers.ts'
import {
  type CachedFork,
  type ForkCache,
  isNewCache,
  openForkCache,
  type Recipes,
  recipesOfProcess,
  withCache,
} from '../../fork/cache.ts'
import {
  ForkBlockNotFoundError,
  ForkClosedError,
  ForkOfflineError,
  NotInForkCacheError,
  OtherForkedChainError,
  RemoteRpcError,
} from '../../fork/errors.ts'
import {
  createEarlierHashes,
  feeParametersOf,
  forkable,
  hardforkByConfig,
  hardforkByHeader,
  hardforkBySchedule,
  requireHeaderHash,
  toForkedBlock,
} from '../../fork/forkedBlock.ts'
import { secretFinder } from '../../fork/httpRoute.ts'
import { ChangesTrie, Origin } from '../../fork/origin.ts'
import {
  createRemote,
  type Remote,
  type RemoteRequest,
  SwitchedRemote,
  withMergedProofs,
} from '../../fork/remote.ts'
import {
  type BlockParameter,
  EarlyState,
  hashRequest,
  requestAt,
  type StateKey,
} from '../../fork/stateReads.ts'
import { Canonical } from '../../ledger/canonical.ts'
import type { ChainOptions, ResolvedOptions } from '../../options.ts'
import type { ForkReads } from '../../view/sources.ts'
import type { GenesisWithRules } from '../genesis.ts'
import type { Predeployed, Predeploys } from '../predeploys/predeploys.ts'
import { createForkExecutor } from './speculation.ts'

// Which chain and which block a fork continues, and the client that its state is read with.

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

const CHAIN_ID: RemoteRequest = { method: 'eth_chainId', params: [], read: chainIdQuantity, isPinned: false }

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
  const answers = await node.askAll([CHAIN_ID, isBlockHash(at) ? blockByHash(at, verify) : named, CONFIG])
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
  const [ownId, block, balance] = await node.askAll([CHAIN_ID, hashRequest(number), stateAt(named)])
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

// Opens a fork: the chain that begins at the forked block.

/** The options of a chain, with those that only a fork has. */
export type CoreOptions = ResolvedOptions & Pick<AttributeOptions, 'feeParameters'>

/** What a forked chain is started from. */
export interface OpenedFork {
  readonly options: CoreOptions
  readonly origin: Origin
  /** What its first tries are built on. */
  readonly baseTrie: ChangesTrie
  readonly canonical: Canonical
  readonly reads: ForkReads
  /** The settings of the blocks after the forked one, now: its time goes on from the forked block, unless the options say otherwise. */
  settings(): BlockSettings
  /**
   * The forked block as the first of the chain, with the dev accounts and the predeploys written to its state.
   *
   * @throws InvalidOptionError if the forked chain has other code at the address of a predeploy.
   */
  begin(accounts: readonly DevAccount[], predeploys?: Predeploys): Promise<GenesisWithRules>
  /** An executor that loads what it needs. */
  toExecutor(own: Executor, onError: (error: Error) => void): Executor
  /** The node that it is read from now. */
  node(): ForkedNode
  /**
   * Reads from another node from now on, also what is being read. Headers are kept only for the same host.
   *
   * @throws PresealRpcError if that node cannot be used; nothing has changed then.
   * @throws InvalidOptionError for an unusable URL.
   */
  readFrom(url: string, onOpen: OnOpen): Promise<void>
  /** Rejects what is being read, and all that is asked, until the returned function is called. */
  suspend(): () => void
  /** Whether an error is a consequence of `suspend` or `close`. */
  isExpected(error: Error): boolean
  /** Refuses what is asked from now on, and writes what its cache does not have yet. @throws ForkCacheError */
  close(): Promise<void>
}

/**
 * Asks a node for the chain and the block to fork.
 *
 * @param given - the options as they were passed: those that are left out follow the forked chain.
 * @param connection - how the node is connected to; `onOpen` gets a function that ends the connection.
 * @throws ForkBlockNotFoundError, ForkedNodeUnansweredError, InvalidRemoteAnswerError, NotInForkCacheError, ForkCacheError
 */
export async function openFork(
  options: ResolvedOptions & { readonly fork: ResolvedFork },
  given: ChainOptions,
  connection: ConnectionParts = {},
): Promise<OpenedFork> {
  const keys = [...startKeys(options), ...statedAddresses(options).map((address) => ({ address }))]
  const connecting = connectFork(options.fork, keys, connection)
  // While the node is asked: the hash function, and the engine.
  const loading = loadCrypto()
  loading.catch(() => {})
  if (options.engine === 'preseal') import('../../../ethereum/evm/engine/presealEngine.ts').catch(() => {})
  const connected = await connecting
  try {
    return await describeFork(options, given, { ...connected, ...connection }, await loading)
  } catch (error) {
    // The first error is the reason.
    await connected.close().catch(() => {})
    throw error
  }
}

async function describeFork(
  options: ResolvedOptions & { readonly fork: ResolvedFork },
  given: ChainOptions,
  {
    remote,
    switchTo,
    chain: { chainId: forkedId, block: json, config },
    recipes,
    clock,
    close,
  }: ConnectedFork & ConnectionParts,
  crypto: Crypto,
): Promise<OpenedFork> {
  const timestamp = BigInt(json.timestamp)
  const hardfork =
    given.hardfork ??
    hardforkByConfig(config, timestamp) ??
    hardforkBySchedule(forkedId, timestamp) ??
    hardforkByHeader(json)
  const chainId = given.chainId ?? Number(forkedId)
  const geth = { config: hardforkConfig(chainId, hardfork), alloc: {}, gasLimit: json.gasLimit }
  const rules = createChainRules(geth, options)
  const block = toForkedBlock(json, rules.at(BigInt(json.number), timestamp))
  const { header, hash, number } = block
  const resolved: CoreOptions = {
    ...options,
    chainId,
    hardfork,
    gasLimit: given.gasLimit ?? header.gasLimit,
    feeParameters: feeParametersOf(header.extraData),
  }
  const { verify } = options.fork
  const stateRoot = verify ? header.stateRoot : undefined
  const origin = new Origin({ remote, crypto, number, hash, stateRoot })
  const baseTrie = new ChangesTrie(header.stateRoot, origin)
  const earlier = createEarlierHashes(
    remote,
    number,
    header.parentHash,
    verify ? requireHeaderHash : undefined,
  )
  let node: ForkedNode = options.fork
  return {
    options: resolved,
    origin,
    baseTrie,
    canonical: new Canonical([hash], { first: Number(number), earlier }),
    settings: () => startSettings(options, given, timestamp),
    reads: {
      number,
      hash,
      chainId: forkedId,
      get url() {
        return node.url === undefined ? undefined : new URL(node.url).origin
      },
      get node() {
        return node
      },
      ask: (method, params, read, isPinned = true) => remote.ask({ method, params, read, isPinned }),
    },
    async begin(accounts, { contracts } = { names: [], contracts: [] }) {
      const own = [...accounts, ...contracts].map(({ address }) => ({ address }))
      await origin.load([...startKeys(options), ...own])
      const state = new WorldState(origin).head
      const patch = new Map([
        ...predeployedAccounts(contracts, state),
        ...fundAccounts(options, accounts, state),
      ])
      const changes = patchChanges(state, patch, crypto)
      return { geth, rules, block, changes, stateTrie: baseTrie.update(changes, crypto) }
    },
    toExecutor: (own, onError) => createForkExecutor(own, { origin, recipes, onError }),
    node: () => toNode(node),
    async readFrom(url, onOpen) {
      if (options.fork.offline) throw new ForkOfflineError()
      const next = { url, ...(isSameHost(url, node) && { headers: node.headers }) }
      const opened = connectNode(next, options.fork, { clock })
      onOpen(() => opened.close())
      try {
        const naming = await checkNode(opened, { chainId: forkedId, number, hash }, origin.block)
        if (naming === 'number') origin.nameByNumber()
      } catch (error) {
        opened.close()
        throw error
      }
      switchTo(next, opened)
      node = next
    },
    suspend() {
      const closed = connectNode(node, options.fork, { clock })
      closed.close()
      switchTo(node, closed)
      return () => switchTo(node, connectNode(node, options.fork, { clock }))
    },
    isExpected: (error) => error instanceof ForkClosedError,
    close,
  }
}

const toNode = ({ provider, url, headers }: ForkedNode): ForkedNode => ({
  ...(provider && { provider }),
  ...(url !== undefined && { url }),
  ...(headers && { headers }),
})

/** Headers can be secrets of the node that they are for. */
function isSameHost(url: string, before: ForkedNode): boolean {
  if (before.url === undefined || !URL.canParse(url)) return false
  return new URL(url).origin === new URL(before.url).origin
}

/** The slots of a request queue (EIP-7002, EIP-7251) that the end of each block reads. */
const QUEUE_SLOTS = [0, 1, 2, 3].map(toWord)

function startKeys({ coinbase }: ResolvedOptions): StateKey[] {
  const queues = [WITHDRAWAL_REQUESTS, CONSOLIDATION_REQUESTS].flatMap(({ address }) => [
    { address },
    ...QUEUE_SLOTS.map((slot) => ({ address, slot })),
  ])
  return [
    { address: coinbase },
    { address: SYSTEM_ADDRESS },
    { address: BEACON_ROOTS.address },
    { address: BLOCK_HASHES.address },
    ...queues,
  ]
}

/** Mnemonics whose keys everyone knows: on real chains their accounts have the code of thieves (EIP-7702). */
const PUBLIC_MNEMONICS: readonly string[] = [
  DEFAULT_MNEMONIC,
  'myth like bonus scare over problem client lizard pioneer submit female collect',
]

/** Gives dev accounts their balance; they keep their nonce. */
function fundAccounts(
  { accounts: option }: ResolvedOptions,
  accounts: readonly DevAccount[],
  state: StateReader,
): StatePatch {
  const isPublic = 'mnemonic' in option && PUBLIC_MNEMONICS.includes(option.mnemonic)
  const patch = new Map<Address, AccountPatch>()
  for (const [i, { address }] of accounts.entries()) {
    const hasCode = readCode(state, address).length > 0
    patch.set(address, { balance: balanceOf(option, i), ...(isPublic && hasCode && { code: NO_CODE }) })
  }
  return patch
}

/** The contracts that the forked chain does not have. @throws InvalidOptionError if it has another one at an address. */
function predeployedAccounts(contracts: readonly Predeployed[], state: StateReader): StatePatch {
  const patch = new Map<Address, AccountPatch>()
  for (const { name, address, nonce, code, storage = {} } of contracts) {
    const present = bytesToHex(readCode(state, address))
    if (present === code) continue
    if (present !== '0x') {
      throw new InvalidOptionError(
        'predeploys',
        `contracts whose addresses have no other code on the forked chain: ${name} is at ${address}`,
      )
    }
    patch.set(address, {
      nonce,
      code: hexToBytes(code),
      state: new Map(Object.entries(storage) as [Hash, Hash][]),
    })
  }
  return patch
}

function startSettings(
  { fork, clock }: ResolvedOptions & { readonly fork: ResolvedFork },
  { gasLimit, initialBaseFeePerGas }: ChainOptions,
  timestamp: bigint,
): BlockSettings {
  return {
    ...NO_SETTINGS,
    ...(fork.time === 'fork' && { timeOffset: 1000 * Number(timestamp) - clock.now() }),
    // Given, they apply at once, however far they are from the forked block's.
    ...(gasLimit !== undefined && { gasLimit }),
    ...(initialBaseFeePerGas !== undefined && { nextBaseFee: initialBaseFeePerGas }),
  }
}
