/**
 * The parts of a chain, put together: everything below the wire.
 *
 *   options ─► genesis ─► store ─► replay ─► tip ─► mempool, sequencer
 */
import { resolveAccounts } from '../accounts/accounts.ts'
import { Signers } from '../accounts/signers.ts'
import type { ResolvedImportOptions } from '../config/importOptions.ts'
import { type Crypto, loadCrypto } from '../crypto/crypto.ts'
import type { Executor } from '../evm/executor.ts'
import { createExecutor } from '../evm/transition.ts'
import { BlockImporter } from '../import/importBlocks.ts'
import { importFirst } from '../import/importFirst.ts'
import type { resume } from '../import/resume.ts'
import { startAtGenesis } from '../import/startAtGenesis.ts'
import { claimDatabase } from '../ledger/claimDatabase.ts'
import { BlockStore } from '../ledger/ethereumjs/blockStore.ts'
import { Ledger, type SealedEntry } from '../ledger/ledger.ts'
import type { Mempool } from '../mempool/mempool.ts'
import { NO_SETTINGS, nextAttributes } from '../payload/attributes.ts'
import { type PayloadConfig, startPayload } from '../payload/payload.ts'
import { Emitter } from '../primitives/emitter.ts'
import { InvalidOptionError } from '../primitives/errors.ts'
import { whenLoaded } from '../primitives/missing.ts'
import type { Address, DevAccounts, Hex, MaybePromise } from '../primitives/types.ts'
import type { DecodeTransaction } from '../protocol/decodeTransaction.ts'
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
import { createMempool } from './chainMempool.ts'
import { openEngine } from './engine.ts'
import { createEnter } from './enter.ts'
import type { CoreOptions, OpenedFork } from './fork/openFork.ts'
import { openGenesis } from './genesis.ts'
import type { StoredChain } from './restore.ts'

/** Parts that replace the chain's own, mostly in tests. */
export interface ChainParts {
  readonly executor?: (own: Executor) => Executor
  readonly crypto?: (own: Crypto) => Crypto
  readonly store?: (own: BlockStore) => BlockStore
  /** A source that the genesis state is read from, instead of being committed as the first version. */
  readonly source?: (genesis: StateChanges) => StateSource
  /** Called once the chain is open. */
  readonly inspect?: (core: Core) => void
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
  /** Resolves once a transaction that was entered is stored, if there is a database. @throws DatabaseWriteError */
  stored(transaction: Transaction): MaybePromise<void>
  /** Emits the events of a restart, after its listeners were added; undefined without a database. */
  readonly announce: (() => Promise<void>) | undefined
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
 * @throws as `createChain` does.
 */
export async function openCore(
  options: CoreOptions,
  parts: ChainParts,
  onError: (error: Error) => void,
): Promise<Core> {
  const ownCrypto = await loadCrypto()
  const crypto = parts.crypto?.(ownCrypto) ?? ownCrypto
  const release = claimDatabase(options.database)
  let store: BlockStore | undefined
  try {
    const ownStore = await BlockStore.open(options.database, options.durability === 'disk')
    store = parts.store?.(ownStore) ?? ownStore
    const opened = await openTip(options, crypto, store, parts, onError)
    return await connect(options, opened, onError, release)
  } catch (error) {
    await store?.close()
    release()
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
  /** Undefined without a database. */
  readonly stored: StoredChain | undefined
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
  await store.begin(genesis.block, rules, genesis.changes)
  const kept =
    options.database === undefined
      ? undefined
      : await (await import('./restore.ts')).openStored(options, store, onError)

  const { engine, decode } = await openEngine(options.engine, crypto)
  const ownExecutor = createExecutor(engine, crypto)
  const localExecutor = parts.executor?.(ownExecutor) ?? ownExecutor
  const executor = fork?.toExecutor(localExecutor, onError) ?? localExecutor
  const deposits = genesis.geth.config['depositContractAddress'] ?? DEPOSIT_CONTRACT.address
  const depositContract = String(deposits).toLowerCase() as Address
  const config: PayloadConfig = {
    executor,
    crypto,
    rules,
    depositContract,
    revertReason: options.revertReason,
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
  const importer = new BlockImporter({ config, ledger, decode, engine: options.engine, clock: options.clock })
  const resumed =
    options.database === undefined
      ? startAtGenesis(
          genesis,
          { ledger, world },
          { isInSource: source !== undefined && !fork, canonical: fork?.canonical },
        )
      : await resumeStored(genesis, options.history.blocks, {
          config,
          decode,
          store,
          ledger,
          world,
          importer,
        })
  const { head, canonical } = await importFirst(options, resumed, { ledger, world, importer })
  if (fork === undefined && !(await importer.isMerged(head.block))) {
    const [option, expected] =
      options.blocks === undefined
        ? ['genesis', 'a genesis at or after the merge, or the option blocks with all blocks up to the merge']
        : ['blocks', `all blocks up to the merge; the last one, block ${head.block.number}, is before it`]
    throw new InvalidOptionError(option!, expected!)
  }

  const parent = { ...head, stateTrie: head.stateTrie ?? null, hashAt: (at: bigint) => canonical.at(at) }
  const { isRunning = options.mining === 'interval', blockTime = options.blockTime } = kept?.modes ?? {}
  const settings = kept?.settings ?? fork?.settings ?? NO_SETTINGS
  const slotEnd = now + (isRunning ? blockTime : 0)
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
  return {
    accounts,
    config,
    decode,
    world,
    ledger,
    importer,
    genesis: resumed.genesis,
    tip,
    recoveryScript: parts.recoveryScript,
    stored: kept,
    fork,
  }
}

/** Resumes the chain of a database, by a module that most chains do not load. */
async function resumeStored(...stored: Parameters<typeof resume>): ReturnType<typeof resume> {
  const { resume } = await import('../import/resume.ts')
  return resume(...stored)
}

async function connect(
  options: CoreOptions,
  opened: OpenedTip,
  onError: (error: Error) => void,
  release: () => void,
): Promise<Core> {
  const { accounts, config, world, ledger, importer, recoveryScript, stored, fork } = opened
  const journal = stored?.journal
  const tip = () => sequencer.tip
  const mempool = createMempool(tip, options, journal?.entries)
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
      journal,
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
  const mining = new Mining(sequencer, options.mining, journal?.recorder('modes'), stored?.modes)
  const chainId = () => tip().preconf.attributes.chainId
  const signers = new Signers(accounts, chainId, config.crypto, journal?.recorder('impersonation'))
  snapshots.include(signers)
  snapshots.include(faults)
  const batches = new Batches(config.crypto)
  snapshots.include(batches)
  const transactions: Core['transactions'] = new Emitter(onError)
  const enter = createEnter({ mempool, sequencer, transactions }, journal)
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
    if (journal !== undefined) await journal.answer(tx)
    await mining.sealPending()
    return tx
  }
  const restored = { config, ledger, mempool, mining, sequencer, signers }
  const announce = stored && (await (await import('./restore.ts')).restore(stored, opened.decode, restored))
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
      if (journal !== undefined) await journal.answer(tx)
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
    stored: (tx) => journal?.answer(tx),
    announce,
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
      await journal?.close()
      transactions.clear()
      await ledger.close()
      release()
    },
  }
}
