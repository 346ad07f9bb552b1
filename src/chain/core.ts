/**
 * The parts of a chain, put together: everything below the wire.
 *
 *   options ─► genesis ─► store ─► replay ─► tip ─► mempool, sequencer
 */
import { resolveAccounts } from '../accounts/accounts.ts'
import { Signers } from '../accounts/signers.ts'
import type { ResolvedImportOptions } from '../config/importOptions.ts'
import { type Crypto, loadCrypto } from '../crypto/crypto.ts'
import type { Engine } from '../evm/engine.ts'
import type { Executor } from '../evm/executor.ts'
import { createPresealEngine } from '../evm/preseal/engine.ts'
import { createExecutor } from '../evm/transition.ts'
import { BlockImporter } from '../import/importBlocks.ts'
import { importFirst } from '../import/importFirst.ts'
import type { replay } from '../import/replay.ts'
import { Canonical } from '../ledger/canonical.ts'
import { BlockStore } from '../ledger/ethereumjs/blockStore.ts'
import { Ledger, type SealedEntry } from '../ledger/ledger.ts'
import { addTogether } from '../mempool/addTogether.ts'
import type { Mempool } from '../mempool/mempool.ts'
import { NO_SETTINGS, nextAttributes } from '../payload/attributes.ts'
import { type PayloadConfig, startPayload } from '../payload/payload.ts'
import { Emitter } from '../primitives/emitter.ts'
import { InvalidOptionError } from '../primitives/errors.ts'
import { whenLoaded } from '../primitives/missing.ts'
import type { Address, DevAccounts, EngineName, Hex } from '../primitives/types.ts'
import { type DecodeTransaction, decodeTransaction } from '../protocol/decodeTransaction.ts'
import { DEPOSIT_CONTRACT } from '../protocol/depositContract.ts'
import type { Transaction } from '../protocol/transaction.ts'
import { Batches } from '../rpc/wallet/batches.ts'
import { Faults } from '../sequencer/faults.ts'
import { Mining } from '../sequencer/mining.ts'
import { reorg } from '../sequencer/reorg.ts'
import { Sequencer } from '../sequencer/sequencer.ts'
import { Snapshots } from '../sequencer/snapshots.ts'
import type { Tip } from '../sequencer/tip.ts'
import type { StateChanges } from '../state/account.ts'
import type { StateSource } from '../state/source.ts'
import { WorldState } from '../state/worldState.ts'
import type { ForkReads } from '../view/sources.ts'
import { Arrivals } from './arrivals.ts'
import { createMempool } from './createMempool.ts'
import type { CoreOptions, OpenedFork } from './fork/openFork.ts'
import { openGenesis } from './genesis.ts'

/** Parts that replace the chain's own, mostly in tests. */
export interface ChainParts {
  readonly executor?: (own: Executor) => Executor
  readonly crypto?: (own: Crypto) => Crypto
  readonly store?: (own: BlockStore) => BlockStore
  /** A source that the genesis state is read from, instead of being committed as the first version. */
  readonly source?: (genesis: StateChanges) => StateSource
  /** Prints a line that a contract logged to the console, if printing is on. */
  readonly print?: (line: string) => void
  /** The text of the workers that recover senders; without a build there are none by default. */
  readonly recoveryScript?: string
  /** The forked chain that the chain continues. */
  readonly fork?: OpenedFork | undefined
}

/** A chain without its providers. */
export interface Core {
  readonly accounts: DevAccounts
  /** The forked chain, as views read it. */
  readonly fork: ForkReads | undefined
  readonly config: PayloadConfig
  readonly world: WorldState
  readonly ledger: Ledger
  readonly mempool: Mempool
  readonly sequencer: Sequencer
  readonly snapshots: Snapshots
  readonly signers: Signers
  readonly batches: Batches
  readonly mining: Mining
  readonly faults: Faults
  /** Transactions as they enter the mempool. */
  readonly transactions: Emitter<{ added: (transaction: Transaction) => void }>
  /**
   * Decodes a transaction (a blob transaction with its sidecar) and adds it to the mempool; in `auto` mining resolves
   * once it is sealed.
   */
  submit(raw: Uint8Array): Promise<Transaction>
  /** Adds a transaction to the mempool at once; in `auto` mining resolves once it is sealed. */
  send(transaction: Transaction): Promise<Transaction>
  /** Adds transactions to the mempool at once, all of them or none; seals nothing. */
  enter(transactions: readonly Transaction[]): void
  /** Replaces the last sealed blocks; see {@link reorg}. @param replace - raw transactions per block. */
  reorg(depth: number, replace: readonly (readonly Uint8Array[])[]): Promise<void>
  /** Imports blocks on top of the head; see `Sequencer.importBlocks`. */
  importBlocks(bytes: Uint8Array, options: ResolvedImportOptions): Promise<SealedEntry>
  /** Reverts to a snapshot; see `Snapshots.revert`. */
  revert(id: Hex, keep: boolean): Promise<boolean>
  /** Refuses further writers, waits for those that were admitted, and closes the ledger. */
  close(): Promise<void>
}

/**
 * Opens a chain: starts one, or resumes the one in its database.
 *
 * @param onError - receives the errors of failed ticks and seals, and those that listeners throw.
 * @throws InvalidOptionError, GenesisMismatchError, ReplayError, ImportError
 */
export async function openCore(
  options: CoreOptions,
  parts: ChainParts,
  onError: (error: Error) => void,
): Promise<Core> {
  const ownCrypto = await loadCrypto()
  const crypto = parts.crypto?.(ownCrypto) ?? ownCrypto
  const ownStore = await BlockStore.open(options.database)
  const store = parts.store?.(ownStore) ?? ownStore
  try {
    const opened = await openTip(options, crypto, store, parts, onError)
    return connect(options, opened, onError)
  } catch (error) {
    await store.close()
    throw error
  }
}

interface OpenedTip {
  readonly accounts: DevAccounts
  readonly config: PayloadConfig
  readonly decode: DecodeTransaction
  readonly world: WorldState
  readonly ledger: Ledger
  readonly importer: BlockImporter
  /** The genesis block, with its state before any cheat wrote to it. */
  readonly genesis: SealedEntry
  readonly tip: Tip
  readonly recoveryScript: string | undefined
  readonly fork: OpenedFork | undefined
}

async function openTip(
  options: CoreOptions,
  crypto: Crypto,
  store: BlockStore,
  parts: ChainParts,
  onError: (error: Error) => void,
): Promise<OpenedTip> {
  const { fork } = parts
  const accounts = await resolveAccounts(options, crypto)
  const now = options.clock.now()
  const stored = await store.storedGenesis()
  const started = stored?.timestamp ?? BigInt(Math.floor(now / 1000))
  const genesis =
    (await fork?.begin(accounts)) ?? openGenesis(options, accounts, started, stored?.hash, crypto)
  const { rules } = genesis
  const storedHead = await store.begin(genesis.block, rules)

  const { engine, decode } = await openEngine(options.engine, crypto)
  const ownExecutor = createExecutor(engine, crypto)
  const localExecutor = parts.executor?.(ownExecutor) ?? ownExecutor
  const executor = fork?.toExecutor(localExecutor, onError) ?? localExecutor
  const deposits = genesis.geth.config['depositContractAddress'] ?? DEPOSIT_CONTRACT.address
  const depositContract = String(deposits).toLowerCase() as Address
  const { revertReason } = options
  const config: PayloadConfig = {
    executor,
    crypto,
    rules,
    depositContract,
    revertReason,
    clock: options.clock,
    ...(fork && { baseTrie: fork.baseTrie }),
  }
  const source = fork?.origin ?? parts.source?.(genesis.changes)
  const world = new WorldState(source)
  const ledger = new Ledger(
    store,
    rules,
    (raw, at, sender) => decode(raw, at, crypto, sender),
    options.history,
  )
  const state = source === undefined || fork ? world.commit(genesis.changes) : world.head
  const first = { block: genesis.block, state, stateTrie: genesis.stateTrie }
  ledger.append(first, () => undefined)
  const importer = new BlockImporter({ config, ledger, decode, engine: options.engine, clock: options.clock })
  const replayed =
    options.database === undefined
      ? { head: first, canonical: fork?.canonical ?? new Canonical([first.block.hash]) }
      : await replayStored(storedHead, first, { config, decode, store, ledger, world, importer })
  const { head, canonical } = await importFirst(options, replayed, { ledger, world, importer })
  if (fork === undefined && !(await importer.isMerged(head.block))) {
    const [option, expected] =
      options.blocks === undefined
        ? ['genesis', 'a genesis at or after the merge, or the option blocks with all blocks up to the merge']
        : ['blocks', `all blocks up to the merge; the last one, block ${head.block.number}, is before it`]
    throw new InvalidOptionError(option!, expected!)
  }

  const parent = { ...head, stateTrie: head.stateTrie ?? null, hashAt: (at: bigint) => canonical.at(at) }
  const slotEnd = now + (options.mining === 'interval' ? options.blockTime : 0)
  const settings = fork?.settings ?? NO_SETTINGS
  const attributes = nextAttributes(options, head.block, slotEnd, crypto, settings)
  const preconf = await startPayload(config, parent, attributes)
  const tip: Tip = {
    head,
    preconf,
    snapshots: [preconf],
    previousSnapshots: [],
    canonical,
    settings,
  }
  const { recoveryScript } = parts
  return { accounts, config, decode, world, ledger, importer, genesis: first, tip, recoveryScript, fork }
}

/** What the option `engine` selects. The second engine is loaded on demand, since most chains never use it. */
async function openEngine(
  name: EngineName,
  crypto: Crypto,
): Promise<{ readonly engine: Engine; readonly decode: DecodeTransaction }> {
  if (name === 'preseal') return { engine: createPresealEngine(crypto), decode: decodeTransaction }
  const [{ createEthereumjsEngine }, { decodeEthereumjsTransaction }] = await Promise.all([
    import('../evm/ethereumjs/engine.ts'),
    import('../import/ethereumjsTransaction.ts'),
  ])
  return { engine: createEthereumjsEngine(crypto), decode: decodeEthereumjsTransaction }
}

/** Replays the chain of a database. The module is loaded on first use, since most chains have no database. */
async function replayStored(...stored: Parameters<typeof replay>): ReturnType<typeof replay> {
  const { replay } = await import('../import/replay.ts')
  return replay(...stored)
}

function connect(options: CoreOptions, opened: OpenedTip, onError: (error: Error) => void): Core {
  const { accounts, config, world, ledger, importer, recoveryScript, fork } = opened
  const tip = () => sequencer.tip
  const mempool = createMempool(tip, options)
  const faults = new Faults(options.faults)
  const sequencer: Sequencer = new Sequencer(
    {
      clock: options.clock,
      config,
      attributes: options,
      schedule: options,
      mempool,
      ledger,
      world,
      importer,
      faults,
      afterArrivals: (earlier) => arrivals.before(earlier),
      onError,
    },
    opened.tip,
  )
  const snapshots = new Snapshots({
    sequencer,
    mempool,
    ledger,
    clock: options.clock,
    genesis: opened.genesis,
  })
  const mining = new Mining(sequencer, options.mining)
  const signers = new Signers(accounts, () => tip().preconf.attributes.chainId, config.crypto)
  snapshots.include(signers)
  snapshots.include(faults)
  const batches = new Batches(config.crypto)
  snapshots.include(batches)
  const transactions: Core['transactions'] = new Emitter(onError)
  const enter = (entering: readonly Transaction[]): void => {
    const drops = addTogether(mempool, entering)
    for (const { transaction, reason } of drops) sequencer.events.emit('dropped', transaction.hash, reason)
    sequencer.wake()
    for (const tx of entering) transactions.emit('added', tx)
  }
  const arrivals: Arrivals = new Arrivals({
    decode: opened.decode,
    crypto: config.crypto,
    clock: options.clock,
    blobs: options.blobs,
    recoveryScript,
    rules: () => tip().preconf.env.rules,
    enter: (tx) => enter([tx]),
  })
  const send = async (tx: Transaction): Promise<Transaction> => {
    await whenLoaded(() => enter([tx]))
    await mining.sealPending()
    return tx
  }
  return {
    accounts,
    fork: fork?.reads,
    config,
    world,
    ledger,
    mempool,
    sequencer,
    snapshots,
    signers,
    batches,
    mining,
    faults,
    transactions,
    async submit(raw) {
      const tx = await arrivals.add(raw)
      if (mining.automine) await mining.sealPending()
      return tx
    },
    async reorg(depth, replace) {
      const blocks = await arrivals.decode(replace)
      const { clock } = options
      return reorg({ sequencer, mempool, ledger, crypto: config.crypto, clock }, depth, blocks)
    },
    send,
    enter,
    async importBlocks(bytes, importOptions) {
      const head = await sequencer.importBlocks(bytes, importOptions)
      // The blocks may have closed nonce gaps that transactions waited for.
      await mining.sealPending()
      return head
    },
    async revert(id, keep) {
      const isKnown = await snapshots.revert(id, keep)
      // Transactions that waited when the snapshot was taken wait again.
      await mining.sealPending()
      return isKnown
    },
    async close() {
      // First, since a tick may wait for it.
      fork?.close()
      await Promise.all([arrivals.close(), sequencer.close()])
      transactions.clear()
      await ledger.close()
    },
  }
}
