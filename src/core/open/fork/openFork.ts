/**
 * Starts a chain on a block of another chain.
 *
 *   trip 1: chain id, block, eth_config   trip 2: dev accounts, system contracts   ─► the head of the chain
 *
 * What of trip 2 is known by then is asked for in trip 1 if the block is given by its hash, or by a number far behind the
 * head (`EarlyState`): in most cases that is all of it.
 */

import { bigintToBytes32, bytesToHex, hexToBytes } from '../../../base/bytes.ts'
import { type Crypto, loadCrypto } from '../../../base/crypto/crypto.ts'
import { InvalidOptionError } from '../../../base/errors.ts'
import { balanceOf, DEFAULT_MNEMONIC } from '../../../base/options/accountOptions.ts'
import type { ResolvedFork } from '../../../base/options/forkOptions.ts'
import type { ChainOptions, ResolvedOptions } from '../../../base/options/options.ts'
import type { Address, DevAccount, Hash } from '../../../base/types.ts'
import type { Executor } from '../../../ethereum/evm/executor.ts'
import { SYSTEM_ADDRESS } from '../../../ethereum/evm/transition.ts'
import { createChainRules, hardforkConfig } from '../../../ethereum/rules.ts'
import { readCode, type StateReader } from '../../../ethereum/state/account.ts'
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
import { ChangesTrie } from '../../fork/changesTrie.ts'
import { createEarlierHashes } from '../../fork/earlierHashes.ts'
import { ForkClosedError, ForkOfflineError } from '../../fork/errors.ts'
import {
  feeParametersOf,
  hardforkByConfig,
  hardforkByHeader,
  hardforkBySchedule,
  requireHeaderHash,
  toForkedBlock,
} from '../../fork/forkedBlock.ts'
import { Origin } from '../../fork/origin.ts'
import type { StateKey } from '../../fork/stateReads.ts'
import { Canonical } from '../../ledger/canonical.ts'
import type { ForkReads } from '../../view/sources.ts'
import type { GenesisWithRules } from '../genesis.ts'
import type { Predeployed, Predeploys } from '../predeploys/predeploys.ts'
import {
  type ConnectedFork,
  type ConnectionParts,
  checkNode,
  connectFork,
  connectNode,
  type ForkedNode,
  type OnOpen,
} from './forkedChain.ts'
import { createForkExecutor } from './speculation.ts'

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
const QUEUE_SLOTS = [0n, 1n, 2n, 3n].map((slot) => bytesToHex(bigintToBytes32(slot)))

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

const NO_CODE = new Uint8Array(0)

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
