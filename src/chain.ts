/**
 * `createChain`: wires the parts, and owns nothing else.
 *
 *   options ─► genesis ─► store ─► replay ─► mempool, sequencer ─► views ─► providers
 */
import { mnemonicToAccounts } from './accounts.ts'
import type { Clock } from './clock.ts'
import { type Crypto, loadCrypto, loadSecp256k1 } from './crypto.ts'
import { Emitter } from './emitter.ts'
import { StateUnavailableError } from './errors.ts'
import { createEthereumjsExecutor } from './execution/ethereumjs/engine.ts'
import type { Executor } from './execution/executor.ts'
import { nextAttributes, type PayloadConfig, startPayload } from './execution/payload.ts'
import { replay } from './execution/replay.ts'
import { isDelegation } from './execution/validate.ts'
import { buildGenesis, toGethGenesis } from './genesis.ts'
import { decodeTransaction } from './ledger/decodeTransaction.ts'
import { Ledger } from './ledger/ledger.ts'
import { BlockStore } from './ledger/store.ts'
import { Mempool } from './mempool/mempool.ts'
import { type ChainOptions, type ResolvedOptions, resolveOptions } from './options.ts'
import { toPreconfBlock, toRpcTransaction, toSealedBlock } from './rpc/format.ts'
import { createProvider, type Provider } from './rpc/provider.ts'
import type { Closing, RpcServices } from './rpc/services.ts'
import { createChainRules } from './rules.ts'
import { Sequencer } from './sequencer.ts'
import { readCode } from './state/account.ts'
import { WorldState } from './state/worldState.ts'
import { DEPOSIT_CONTRACT } from './systemContracts.ts'
import type { Transaction } from './transaction.ts'
import type { Address, ChainEvents, DevAccount, PreconfBlock, SealedBlock, ViewKind } from './types.ts'
import { View, type ViewOptions, type ViewSources } from './view.ts'

/** How a further connection wants unnamed and pending things read. */
export interface ProviderOptions {
  /** What a request that names no block means; 'latest'. */
  readonly defaultBlock?: 'latest' | 'pending'
  /** Whether the pending nonce on preconf counts waiting transactions too ('pool'); 'preconf'. */
  readonly pendingNonce?: 'preconf' | 'pool'
}

/** An EVM chain inside this process. */
export interface Chain {
  /** Answers from sealed blocks. */
  readonly standard: Provider
  /** Answers `pending` from the block under construction. */
  readonly preconf: Provider
  /** A further connection, with subscriptions and filters of its own. */
  provider(view: ViewKind, options?: ProviderOptions): Provider
  /** The prefunded accounts. */
  readonly accounts: readonly DevAccount[]
  readonly clock: Clock
  /** Ticks that were skipped because they came too late. */
  readonly missedTicks: number
  /** Starts the timer; in `interval` mining it runs already. */
  start(): void
  /** Stops the timer. */
  stop(): void
  /** Publishes the next snapshot now. @throws DisconnectedError after `close`. */
  tick(): Promise<PreconfBlock>
  /** Publishes what waits, then seals the block. @throws DisconnectedError after `close`. */
  seal(): Promise<SealedBlock>
  on<Event extends keyof ChainEvents>(event: Event, listener: ChainEvents[Event]): this
  once<Event extends keyof ChainEvents>(event: Event, listener: ChainEvents[Event]): this
  off<Event extends keyof ChainEvents>(event: Event, listener: ChainEvents[Event]): this
  /** Ends everything: no timer and no handle is left, and every request ends with 4900. */
  close(): Promise<void>
}

/** Parts a test may put in place of the chain's own. */
export interface ChainParts {
  readonly executor?: (own: Executor) => Executor
  readonly crypto?: (own: Crypto) => Crypto
  readonly store?: (own: BlockStore) => BlockStore
}

/**
 * Starts a chain.
 *
 * @throws InvalidOptionError where an option cannot be used
 * @throws GenesisMismatchError, ReplayError where the database holds something else
 * @example
 * const chain = await createChain()
 * const client = createPublicClient({ transport: custom(chain.preconf) })
 */
export function createChain(options?: ChainOptions): Promise<Chain> {
  return assembleChain(options)
}

/** {@link createChain}, with parts of the caller's. */
export async function assembleChain(options?: ChainOptions, parts: ChainParts = {}): Promise<Chain> {
  const resolved = resolveOptions(options)
  const { clock } = resolved
  const ownCrypto = await loadCrypto()
  const crypto = parts.crypto?.(ownCrypto) ?? ownCrypto
  const ownStore = await BlockStore.open(resolved.database)
  const store = parts.store?.(ownStore) ?? ownStore
  try {
    return await startChain(resolved, clock, crypto, store, parts)
  } catch (error) {
    await store.close()
    throw error
  }
}

async function startChain(
  options: ResolvedOptions,
  clock: Clock,
  crypto: Crypto,
  store: BlockStore,
  parts: ChainParts,
): Promise<Chain> {
  const accounts = await resolveAccounts(options, crypto)
  const started = (await store.genesisTimestamp()) ?? BigInt(Math.floor(clock.now() / 1000))
  const gethGenesis = toGethGenesis(options, accounts, started)
  const rules = createChainRules(gethGenesis, crypto)
  const genesis = buildGenesis(gethGenesis, rules, crypto)
  const storedHead = await store.begin(genesis.block, rules)

  const ownExecutor = createEthereumjsExecutor(crypto)
  const executor = parts.executor?.(ownExecutor) ?? ownExecutor
  const depositContract = String(
    gethGenesis.config['depositContractAddress'] ?? DEPOSIT_CONTRACT.address,
  ).toLowerCase() as Address
  const config: PayloadConfig = { executor, crypto, rules, depositContract }
  const world = new WorldState()
  const ledger = new Ledger(store, rules, crypto, options.history)

  const first = { block: genesis.block, state: world.commit(genesis.changes), stateTrie: genesis.stateTrie }
  ledger.append(first, () => undefined)
  if (storedHead !== genesis.block.hash) await loadSecp256k1()
  const { head, canonical } = await replay(storedHead, first, { config, store, ledger, world })

  const attributes = { ...options, coinbase: options.coinbase }
  const parent = { ...head, stateTrie: head.stateTrie ?? null, hashAt: (at: bigint) => canonical.at(at) }
  const timestamp = firstTimestamp(options, head.block.timestamp)
  const preconf = await startPayload(
    config,
    parent,
    nextAttributes(attributes, head.block, timestamp, crypto),
  )

  let release: (() => void) | undefined
  const events = new Emitter<ChainEvents>(
    // What listens to errors and fails itself would be told of that for ever.
    (error, event) => (event === 'error' ? throwLater(error) : reportError(error)),
    (listeners) => {
      if (listeners > 0) {
        release ??= sequencer.hold()
      } else {
        release?.()
        release = undefined
      }
    },
  )
  const reportError = (error: Error): void => {
    if (events.count('error') > 0) events.emit('error', error)
    // Nobody listens: as an uncaught exception it cannot be overlooked.
    else throwLater(error)
  }
  const tip = () => sequencer.tip
  const mempool = new Mempool(
    {
      nonceOf: (address) => tip().preconf.state.account(address)?.nonce ?? 0n,
      balanceOf: (address) => tip().preconf.state.account(address)?.balance ?? 0n,
      isContract: (address) => {
        const code = readCode(tip().preconf.state, address)
        return code.length > 0 && !isDelegation(code)
      },
      nextBaseFee: () => tip().preconf.env.baseFee,
      rules: () => {
        const { env } = tip().preconf
        return { fork: env.rules.fork, blobs: false, gasLimit: env.gasLimit }
      },
    },
    options.mempool,
  )
  const sequencer: Sequencer = new Sequencer(
    { clock, config, attributes, schedule: options, mempool, ledger, world, onError: reportError },
    { head, preconf, snapshots: [preconf], previousSnapshots: [], canonical },
  )

  const closing = createClosing()
  const transactions = new Emitter<{ added: (tx: Transaction) => void }>(reportError)
  const submit = async (raw: Uint8Array): Promise<Transaction> => {
    await loadSecp256k1()
    const tx = decodeTransaction(raw, tip().preconf.env.rules, crypto)
    const { replaced, evicted } = mempool.add(tx)
    if (replaced) sequencer.events.emit('dropped', replaced.hash, 'replaced')
    for (const { hash } of evicted) sequencer.events.emit('dropped', hash, 'evicted')
    transactions.emit('added', tx)
    if (options.mining === 'auto') await sequencer.settle()
    return tx
  }
  const services: RpcServices = {
    chainId: rules.chainId,
    coinbase: options.coinbase,
    mining: options.mining,
    blockTime: options.blockTime,
    limits: options.limits,
    clock,
    crypto,
    executor,
    mempool,
    events: sequencer.events,
    onTransaction: (listener) => {
      transactions.on('added', listener)
      return () => transactions.off('added', listener)
    },
    hold: () => sequencer.hold(),
    submit,
    closed: closing,
  }
  const sources: ViewSources = {
    tip,
    candidateAttributes: (block) => nextAttributes(attributes, block, sequencer.nextTimestamp(block), crypto),
    sealed: (hash) => ledger.get(hash),
    pruned: (hash) => ledger.getPruned(hash),
    sealedTransaction: (hash) => ledger.findTransaction(hash),
    contiguousNonce: (address, from) => mempool.contiguousNonce(address, from),
    queryLogs(query, from, to, hashAt) {
      // What the history no longer holds is not the same as what never was.
      if (from <= tip().head.block.number - BigInt(options.history.blocks)) throw new StateUnavailableError()
      return ledger.logs.query(query, from, to, (number) => hashAt(BigInt(number)), options.limits.logResults)
    },
    rules,
    finality: options.finality,
  }
  const connect = (kind: ViewKind, providerOptions: ProviderOptions = {}): Provider => {
    const viewOptions: ViewOptions = {
      defaultBlock: providerOptions.defaultBlock ?? 'latest',
      pendingNonce: providerOptions.pendingNonce ?? 'preconf',
    }
    return createProvider(new View(kind, viewOptions, sources), services, reportError)
  }

  transactions.on('added', (tx) => {
    if (events.count('transaction') > 0) events.emit('transaction', toRpcTransaction(tx))
  })
  sequencer.events.on('preconf', (payload) => {
    if (events.count('preconf') > 0) events.emit('preconf', toPreconfBlock(payload))
  })
  sequencer.events.on('block', ({ block }) => {
    if (events.count('block') > 0) events.emit('block', toSealedBlock(block))
  })
  sequencer.events.on('dropped', (hash, reason) => events.emit('dropped', { hash, reason }))

  let closed: Promise<void> | undefined
  const close = async (): Promise<void> => {
    closing.close()
    await sequencer.close()
    transactions.clear()
    events.clear()
    await ledger.close()
  }
  const chain: Chain = {
    standard: connect('standard'),
    preconf: connect('preconf'),
    provider: connect,
    accounts,
    clock,
    get missedTicks() {
      return sequencer.missedTicks
    },
    start: () => sequencer.start(),
    stop: () => sequencer.stop(),
    async tick() {
      return toPreconfBlock(await sequencer.tick())
    },
    async seal() {
      return toSealedBlock((await sequencer.seal()).block)
    },
    on(event, listener) {
      events.on(event, listener)
      return chain
    },
    once(event, listener) {
      events.once(event, listener)
      return chain
    },
    off(event, listener) {
      events.off(event, listener)
      return chain
    },
    close() {
      closed ??= close()
      return closed
    },
  }
  // Node 20 and browsers of its age lack the symbol unless somebody brought it.
  if (typeof Symbol.asyncDispose === 'symbol') {
    Object.defineProperty(chain, Symbol.asyncDispose, { value: () => chain.close() })
  }
  if (options.mining === 'interval') sequencer.start()
  return chain
}

async function resolveAccounts(
  { accounts }: ResolvedOptions,
  crypto: Crypto,
): Promise<readonly DevAccount[]> {
  if (!('mnemonic' in accounts)) return accounts
  return mnemonicToAccounts(accounts.mnemonic, accounts.count, crypto)
}

/** The first payload's context, as the sequencer gives later ones theirs. */
function firstTimestamp(options: ResolvedOptions, parent: bigint): bigint {
  const ms = options.clock.now() + (options.mining === 'interval' ? options.blockTime : 0)
  const least = parent + (options.sameSecondBlocks ? 0n : 1n)
  const at = BigInt(Math.floor(ms / 1000))
  return at > least ? at : least
}

function createClosing(): Closing & { close(): void } {
  const listeners = new Set<() => void>()
  let isClosed = false
  return {
    onClose(fn) {
      if (isClosed) fn()
      else listeners.add(fn)
      return () => listeners.delete(fn)
    },
    close() {
      isClosed = true
      for (const listener of [...listeners]) listener()
      listeners.clear()
    },
  }
}

function throwLater(error: Error): void {
  queueMicrotask(() => {
    throw error
  })
}
