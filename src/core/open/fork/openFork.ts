/**
 * Starts a chain on a block of an existing chain.
 *
 *   trip 1: chain id, block, eth_config   trip 2: dev accounts, system contracts   ─► the head of the chain
 *
 * `requestEarly` adds most of trip 2 to trip 1 if the block is given by hash, or by a number far behind the head.
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
import type { CoreOptions } from '../../block/attributes.ts'
import { NO_SETTINGS, type Settings } from '../../block/settings.ts'
import {
  type Asked,
  block as anyBlock,
  blockAt,
  chainIdQuantity,
  json,
  orNull,
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
import { ChangesTrie, Origin } from '../../fork/origin.ts'
import {
  askAll,
  type Connection,
  createRemote,
  type Fork,
  type ForkedNode,
  type OnOpen,
  type Remote,
  type RemoteRequest,
  resultOf,
  type SwitchedConnection,
  switched,
  withMergedProofs,
} from '../../fork/remote.ts'
import {
  type BlockParameter,
  hashRequest,
  requestAt,
  requestEarly,
  type StateKey,
} from '../../fork/stateReads.ts'
import { Canonical } from '../../ledger/canonical.ts'
import type { ChainOptions, ResolvedOptions } from '../../options.ts'
import type { GenesisWithRules } from '../genesis.ts'
import type { Predeployed } from '../predeploys/predeploys.ts'
import { createForkExecutor } from './speculation.ts'

/** The forked chain and block, as the node or the cache answered. */
interface ForkedChain {
  readonly chainId: bigint
  readonly block: RemoteBlock
  /** The answer of eth_config (EIP-7910); undefined if the request failed. */
  readonly config: unknown
}

interface ConnectionParts {
  readonly onOpen?: OnOpen | undefined
  /** The system clock by default, since with a manual clock, timeouts and retries would wait until it is advanced. */
  readonly clock?: Clock | undefined
}

interface ConnectedFork {
  readonly chain: ForkedChain
  readonly remote: Remote
  readonly recipes: Recipes
  /** Refuses further requests, and writes the cache. @throws ForkCacheError */
  close(): Promise<void>
}

/**
 * Finds the block to fork: in the cache if its hash is given or the fork is offline, else at the node.
 *
 * @param keys - the state to read first, requested together with the block if possible.
 */
async function connectFork(
  connection: Connection,
  fork: ResolvedFork,
  keys: readonly StateKey[],
): Promise<ConnectedFork> {
  const { offline, verify } = fork
  const node = verify ? withMergedProofs(connection) : connection
  let cache: ForkCache | undefined
  const close = async (): Promise<void> => {
    connection.close()
    await cache?.close()
  }
  try {
    // Only the node can resolve a number or tag. The cache is opened meanwhile.
    const isAskedFirst = fork.cache === undefined || (!offline && !isBlockHash(fork.block))
    let asked = isAskedFirst ? askStart(node, fork, keys) : undefined
    // A failure is reported when `asked.chain` is awaited.
    asked?.chain.catch(() => {})
    cache = fork.cache === undefined ? undefined : await openForkCache(fork.cache)
    const found = asked === undefined ? await findCached(cache!, fork) : undefined
    const options = { offline, hasSecret: (text: string) => connection.hasSecret(text) }
    if (found !== undefined) {
      const { chainId, blockHash } = found
      await cache!.load(chainId, blockHash)
      const remote = withCache(node, cache!, options)
      const [block, config] = await askAll(remote, [blockByHash(blockHash, verify), CONFIG])
      const chain = { chainId, block: resultOf(block)!, config: configOf(config) }
      return { chain, remote, recipes: await cache!.recipes(chainId), close }
    }
    asked ??= askStart(node, fork, keys)
    const chain = await asked.chain
    const { chainId, block } = chain
    const remote = asked.early?.(block.hash.toLowerCase() as Hash) ?? node
    if (cache === undefined) return { chain, remote, recipes: recipesOfProcess(chainId), close }
    await cache.load(chainId, block.hash)
    keep(cache, chain, options.hasSecret)
    return { chain, remote: withCache(remote, cache, options), recipes: await cache.recipes(chainId), close }
  } catch (error) {
    // The first error is the reason.
    await close().catch(() => {})
    throw error
  }
}

const CHAIN_ID: RemoteRequest<bigint> = {
  method: 'eth_chainId',
  params: [],
  read: chainIdQuantity,
  isPinned: false,
}

/** The answer is cached with the block. */
const CONFIG: RemoteRequest = { method: 'eth_config', params: [], read: json, isPinned: true }

const blockByHash = (hash: Hash, verify: boolean): RemoteRequest<RemoteBlock | null> => ({
  method: 'eth_getBlockByHash',
  params: [hash, false],
  read: readForked({ hash }, verify),
  isPinned: true,
})

/** Returns a reader of the block to fork, or of null. @param verify - whether its hash must follow from its header. */
function readForked(asked: Asked, verify: boolean): RemoteRequest<RemoteBlock | null>['read'] {
  const read = orNull(forkable(blockAt(asked, anyBlock)))
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

/** Finds the block in the cache. Called only if the fork is offline, or names the block by its hash. */
async function findCached(
  cache: ForkCache,
  { block, offline }: ResolvedFork,
): Promise<CachedFork | undefined> {
  const forks = await cache.forks()
  if (isTag(block)) {
    if (forks.length === 1) return forks[0]
    const expected = `the number or hash of a block that the cache has, which has ${forks.length} blocks`
    throw new InvalidOptionError('fork.block', expected)
  }
  const isNumber = typeof block === 'bigint'
  const found = forks.find(({ blockHash, blockNumber }) =>
    isNumber ? blockNumber === block : blockHash === block && blockNumber !== undefined,
  )
  if (found !== undefined || !offline) return found
  if (isNumber) throw new NotInForkCacheError('eth_getBlockByNumber', [quantity(block)], cache.path)
  throw new NotInForkCacheError('eth_getBlockByHash', [block], cache.path)
}

function keep(
  cache: ForkCache,
  { block, config = {} }: ForkedChain,
  hasSecret: (text: string) => boolean,
): void {
  const answers = [
    [blockByHash(block.hash, false), block],
    [CONFIG, config],
  ] as const
  for (const [{ method, params }, answer] of answers) {
    const isKept = cache.get(method, params) === undefined && !hasSecret(JSON.stringify(answer))
    if (isKept) cache.put(method, params, answer)
  }
}

/** Requests the chain. Also requests the first state if the block can be named already and is in no cache. */
function askStart(
  node: Remote,
  fork: ResolvedFork,
  keys: readonly StateKey[],
): { readonly chain: Promise<ForkedChain>; readonly early: ReturnType<typeof requestEarly> | undefined } {
  const { block, cache, verify } = fork
  const chain = askChain(node, fork)
  const isInCache = typeof block === 'bigint' && cache !== undefined && !isNewCache(cache)
  // A tag can name a different block in each answer, and verifying a proof needs a known block.
  if (isTag(block) || verify || isInCache) return { chain, early: undefined }
  return { chain, early: requestEarly(node, block, keys) }
}

async function askChain(node: Remote, { block: at, verify }: ResolvedFork): Promise<ForkedChain> {
  const named: RemoteRequest<RemoteBlock | null> = {
    method: 'eth_getBlockByNumber',
    params: [typeof at === 'bigint' ? quantity(at) : at, false],
    read: readForked(typeof at === 'bigint' ? { number: at } : {}, verify),
    isPinned: false,
  }
  const requests = [CHAIN_ID, isBlockHash(at) ? blockByHash(at, verify) : named, CONFIG] as const
  const [ofChain, ofBlock, config] = await askAll(node, requests)
  const [chainId, block] = [resultOf(ofChain), resultOf(ofBlock)]
  if (block === null) throw new ForkBlockNotFoundError(String(at))
  return { chainId, block, config: configOf(config) }
}

/** Returns the answer of eth_config. Few nodes have the method, so a failure gives undefined. */
function configOf(config: PromiseSettledResult<unknown>): unknown {
  return config.status === 'fulfilled' ? config.value : undefined
}

/**
 * Requires that a node has the forked chain, the forked block and its state.
 *
 * @param named - the hash or number by which requests currently name the block.
 * @returns whether the node takes the block's number only, and refuses its hash (EIP-1898).
 * @throws OtherForkedChainError, and the errors of `Remote.ask`
 */
async function checkNode(
  node: Remote,
  { chainId, number, hash }: Pick<Fork, 'chainId' | 'number' | 'hash'>,
  named: BlockParameter,
): Promise<boolean> {
  const stateAt = (block: BlockParameter): RemoteRequest => ({ ...requestAt(block), stateOf: number })
  const [ownId, block, balance] = await askAll(node, [CHAIN_ID, hashRequest(number), stateAt(named)])
  if (resultOf(ownId) !== chainId) throw new OtherForkedChainError(`chain id ${chainId}`)
  if (resultOf(block) !== hash) throw new OtherForkedChainError(`block ${number} with the hash ${hash}`)
  const isRefused = balance.status === 'rejected' && balance.reason instanceof RemoteRpcError
  if (isRefused && typeof named !== 'string') {
    await node.ask(stateAt(quantity(number)))
    return true
  }
  resultOf(balance)
  return false
}

/** A connected fork, whose forked block has been read. */
export interface OpenedFork extends Fork {
  readonly options: CoreOptions
  readonly origin: Origin
  readonly baseTrie: ChangesTrie
  readonly canonical: Canonical
  /** Returns the settings if the chain begins now. With `fork.time: 'fork'`, time continues from the forked block. */
  settings(): Settings
  /**
   * Returns the forked block as the chain's first, with dev accounts and predeploys written to its state.
   *
   * @throws InvalidOptionError if the forked chain has different code at the address of a predeploy
   */
  begin(accounts: readonly DevAccount[], predeployed?: readonly Predeployed[]): Promise<GenesisWithRules>
  toExecutor(own: Executor, onError: (error: Error) => void): Executor
}

/**
 * Requests the chain and the block to fork.
 *
 * @param given - the options as passed. Omitted options follow the forked chain.
 * @throws ForkBlockNotFoundError, ForkedNodeUnansweredError, InvalidRemoteAnswerError
 * @throws NotInForkCacheError, ForkCacheError
 */
export async function openFork(
  options: CoreOptions & { readonly fork: ResolvedFork },
  given: ChainOptions,
  { onOpen, clock = systemClock }: ConnectionParts = {},
): Promise<OpenedFork> {
  const keys = [...startKeys(options), ...statedAddresses(options).map((address) => ({ address }))]
  const { concurrency, batch, timeout } = options.fork
  const connectTo = (node: ForkedNode): Connection => {
    return createRemote({ ...node, concurrency, batch, timeout, clock })
  }
  const { provider, url, headers } = options.fork
  const node: ForkedNode = { provider, url, headers }
  const connection = switched(connectTo(node))
  onOpen?.(() => connection.close())
  const connecting = connectFork(connection, options.fork, keys)
  // Loaded while the node is asked, like the engine below.
  const loading = loadCrypto()
  loading.catch(() => {})
  if (options.engine === 'preseal') import('../../../ethereum/evm/engine/presealEngine.ts').catch(() => {})
  const connected = await connecting
  try {
    return describeFork(options, given, connected, { node, connection, connectTo, crypto: await loading })
  } catch (error) {
    // The first error is the reason.
    await connected.close().catch(() => {})
    throw error
  }
}

function describeFork(
  options: CoreOptions & { readonly fork: ResolvedFork },
  given: ChainOptions,
  { remote, chain: { chainId: forkedId, block: json, config }, recipes, close }: ConnectedFork,
  source: {
    node: ForkedNode
    connection: SwitchedConnection
    connectTo(_: ForkedNode): Connection
    crypto: Crypto
  },
): OpenedFork {
  const { connection, connectTo, crypto } = source
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
  const check = verify ? requireHeaderHash : undefined
  const earlier = createEarlierHashes(remote, number, header.parentHash, check)
  let { node } = source
  return {
    options: resolved,
    origin,
    baseTrie,
    canonical: new Canonical([hash], { first: Number(number), earlier }),
    settings: () => startSettings(options, given, timestamp),
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
    async begin(accounts, predeployed = []) {
      const own = [...accounts, ...predeployed].map(({ address }) => ({ address }))
      await origin.load([...startKeys(options), ...own])
      const state = new WorldState(origin).head
      const funded = fundAccounts(options, accounts, state)
      const patch = new Map([...predeployedAccounts(predeployed, state), ...funded])
      const changes = patchChanges(state, patch, crypto)
      return { geth, rules, block, changes, stateTrie: baseTrie.update(changes, crypto) }
    },
    toExecutor: (own, onError) => createForkExecutor(own, { origin, recipes, onError }),
    async readFrom(url, onOpen) {
      if (options.fork.offline) throw new ForkOfflineError()
      const next = { url, ...(isSameHost(url, node) && { headers: node.headers }) }
      const opened = connectTo(next)
      onOpen(() => opened.close())
      try {
        const isRefused = await checkNode(opened, { chainId: forkedId, number, hash }, origin.block)
        if (isRefused) origin.nameByNumber()
      } catch (error) {
        opened.close()
        throw error
      }
      connection.switchTo(opened)
      node = next
    },
    suspend() {
      const closed = connectTo(node)
      closed.close()
      connection.switchTo(closed)
      return () => connection.switchTo(connectTo(node))
    },
    isExpected: (error) => error instanceof ForkClosedError,
    close,
  }
}

/** Whether a URL has the origin of the fork's node. If not, it must not get the headers, which can be secrets. */
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
  const addresses = [coinbase, SYSTEM_ADDRESS, BEACON_ROOTS.address, BLOCK_HASHES.address]
  return [...addresses.map((address) => ({ address })), ...queues]
}

/** Publicly known mnemonics. On real chains, thieves have delegated the accounts of these mnemonics (EIP-7702). */
const PUBLIC_MNEMONICS: readonly string[] = [
  DEFAULT_MNEMONIC,
  'myth like bonus scare over problem client lizard pioneer submit female collect',
]

/** Returns a patch that sets the balances of dev accounts, and removes delegations of public ones. Keeps nonces. */
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

/** Returns a patch with the missing predeploys. @throws InvalidOptionError if the address of one has different code */
function predeployedAccounts(contracts: readonly Predeployed[], state: StateReader): StatePatch {
  const patch = new Map<Address, AccountPatch>()
  for (const { name, address, nonce, code, storage = {} } of contracts) {
    const present = bytesToHex(readCode(state, address))
    if (present === code) continue
    if (present !== '0x') {
      const expected = 'contracts whose addresses have no other code on the forked chain'
      throw new InvalidOptionError('predeploys', `${expected}: ${name} is at ${address}`)
    }
    const slots = new Map(Object.entries(storage) as [Hash, Hash][])
    patch.set(address, { nonce, code: hexToBytes(code), state: slots })
  }
  return patch
}

function startSettings(
  { fork, clock }: ResolvedOptions & { readonly fork: ResolvedFork },
  { gasLimit, initialBaseFeePerGas }: ChainOptions,
  timestamp: bigint,
): Settings {
  return {
    ...NO_SETTINGS,
    ...(fork.time === 'fork' && { timeOffset: 1000 * Number(timestamp) - clock.now() }),
    // Given values apply to the first block, however far they are from the forked block's.
    ...(gasLimit !== undefined && { gasLimit }),
    ...(initialBaseFeePerGas !== undefined && { nextBaseFee: initialBaseFeePerGas }),
  }
}
