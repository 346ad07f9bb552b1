/**
 * Opens a chain and connects its parts: everything below the wire.
 *
 *   database ─► store ─► tip (openTip.ts) ─► mempool, sequencer
 */

import type { Clock } from '../../base/clock.ts'
import { type Crypto, loadCrypto } from '../../base/crypto/crypto.ts'
import { Emitter } from '../../base/emitter.ts'
import type { ResolvedImportOptions } from '../../base/options/requests.ts'
import type { DevAccounts, Hex } from '../../base/types.ts'
import { type ChainSpec, extraFeesOf } from '../../ethereum/chainSpec.ts'
import { isDelegation } from '../../ethereum/evm/validate.ts'
import { readCode } from '../../ethereum/state/account.ts'
import type { Transaction } from '../../ethereum/transaction.ts'
import { type SignerSources, Signers } from '../accounts/signers.ts'
import type { CoreOptions } from '../block/attributes.ts'
import { BytesDatabase, type Level } from '../ledger/bytesDatabase.ts'
import { BlockStore } from '../ledger/ethereumjs/blockStore.ts'
import type { SealedEntry } from '../ledger/ledger.ts'
import type { PoolStore } from '../ledger/poolStore.ts'
import { Mempool } from '../mempool/mempool.ts'
import type { MempoolSource } from '../mempool/validate.ts'
import { Faults } from '../sequencer/faults.ts'
import type { Idle } from '../sequencer/idle.ts'
import { Mining } from '../sequencer/mining.ts'
import { Order } from '../sequencer/order.ts'
import { reorg, Snapshots } from '../sequencer/reverts.ts'
import { Sequencer } from '../sequencer/sequencer.ts'
import type { Tip } from '../sequencer/tip.ts'
import { Arrivals } from './arrivals.ts'
import { type OpenedTip, openTip, type TipParts } from './openTip.ts'

/** Parts that replace the chain's own, mostly in tests. */
export interface ChainParts extends TipParts {
  readonly crypto?: (own: Crypto) => Crypto
  /** The chain's rules beyond Ethereum's; undefined on Ethereum. */
  readonly spec?: ChainSpec | undefined
  readonly store?: (own: BlockStore) => BlockStore
  /** The lowest fee cap that the mempool accepts if blocks have a base fee; by default the lowest base fee. */
  readonly lowestFeeCap?: bigint | undefined
  /** Called when the chain is open. */
  readonly inspect?: (core: Core) => void
  /** The clock of requests to a forked node. By default the system clock: a manual clock stands still meanwhile. */
  readonly nodeClock?: Clock
  /** Prints a line that a contract logged to the console, if printing is on. */
  readonly print?: (line: string) => void
}

/** A chain without its providers. Options, rules, state, ledger and fork are in the base of the tip. */
export interface Core {
  readonly accounts: DevAccounts
  readonly mempool: Mempool
  readonly sequencer: Sequencer
  readonly snapshots: Snapshots
  readonly signers: Signers
  readonly mining: Mining
  readonly order: Order
  readonly faults: Faults
  /** Undefined for a chain that never sleeps. */
  readonly idle: Idle | undefined
  /** Emits transactions as they enter the mempool. */
  readonly transactions: Emitter<{ added: (transaction: Transaction) => void }>
  readonly arrivals: Arrivals
  /** Undefined unless the chain has a database. */
  readonly journal: PoolStore | undefined
  /** Starts the timer, and emits the events of a restart. To be called when their listeners are added. */
  begin(): void
  /** See {@link reorg}. @param replace - raw transactions per block. */
  reorg(depth: number, replace: readonly (readonly Uint8Array[])[]): Promise<void>
  /** See `Sequencer.importBlocks`. */
  importBlocks(bytes: Uint8Array, options: ResolvedImportOptions): Promise<SealedEntry>
  /** See `Snapshots.revert`. */
  revert(id: Hex, keep: boolean): Promise<boolean>
  /** See `PresealChain.reopenDatabase`. */
  reopenDatabase(): Promise<void>
  /** Refuses new writers, waits for the earlier ones, and closes the ledger. */
  close(): Promise<void>
}

/**
 * Opens a chain: starts one, or resumes the one in the database.
 *
 * @param onError - receives errors of failed ticks and seals, and errors that listeners throw.
 * @throws as `createChain` does.
 */
export async function openCore(
  options: CoreOptions,
  parts: ChainParts,
  onError: (error: Error) => void,
): Promise<Core> {
  const ownCrypto = await loadCrypto()
  const crypto = parts.crypto?.(ownCrypto) ?? ownCrypto
  const database = options.database && new BytesDatabase(options.database as Level)
  await database?.open()
  const ownStore = new BlockStore(database, options.durability === 'disk')
  const store = parts.store?.(ownStore) ?? ownStore
  try {
    const opened = await openTip(options, crypto, store, parts, onError)
    return await connect(opened, parts.lowestFeeCap, onError)
  } catch (error) {
    await store.close()
    throw error
  }
}

async function connect(
  opened: OpenedTip,
  lowestFeeCap: bigint | undefined,
  onError: (error: Error) => void,
): Promise<Core> {
  const { accounts, decode, stored } = opened
  const { options, config } = opened.tip.base
  const { crypto } = config
  const journal = stored?.journal
  const tip = () => sequencer.tip
  const report = (error: Error): void => {
    if (tip().base.fork?.isExpected(error) !== true) onError(error)
  }
  const mempool = new Mempool(sourceOf(tip, lowestFeeCap), options.mempool, journal?.entries)
  const faults = new Faults(options.faults)
  const order = new Order(mempool.reserve)
  const onActed = (): void => idle?.check()
  const sequencerParts = { mempool, faults, journal, order, onActed, onError: report }
  const sequencer: Sequencer = new Sequencer(sequencerParts, opened.tip)
  const restoring = stored && (await import('./restore.ts'))
  const snapshotStore = restoring?.createSnapshots(stored!, decode, { mempool, faults })
  const snapshots = new Snapshots({ sequencer, mempool }, snapshotStore)
  const idle = options.idle === 'run' ? undefined : await openIdle(options, { sequencer, snapshots, onError })
  const mining = new Mining(sequencer)
  const signerSources: SignerSources = {
    chainId: () => tip().preconf.attributes.chainId,
    settings: () => tip().settings,
    impersonatesEveryone: () => tip().settings.autoImpersonate ?? tip().base.options.autoImpersonate,
    set: (change) => sequencer.exclusive(({ set }) => set(change)),
  }
  const signers = new Signers(accounts, crypto, signerSources)
  sequencer.events.on('impersonationChanged', (before) => signers.impersonationChanged(before))
  snapshots.include(faults)
  const transactions: Core['transactions'] = new Emitter(onError)
  const arrivals = new Arrivals({ decode, mempool, sequencer, mining, journal, transactions })
  const announce = await restoring?.restore(stored!, decode, { mempool, sequencer })
  return {
    accounts,
    mempool,
    sequencer,
    snapshots,
    signers,
    mining,
    order,
    faults,
    idle,
    transactions,
    arrivals,
    journal,
    async reorg(depth, replace) {
      const blocks = await Promise.all(replace.map((raws) => Promise.all(raws.map(arrivals.decode))))
      return reorg({ sequencer, mempool }, depth, blocks)
    },
    begin() {
      void announce?.()
      if (idle === undefined) mining.begin(stored?.draft.slotStart)
      else idle.begin(mining, stored?.draft)
    },
    async importBlocks(bytes, importOptions) {
      const head = await sequencer.importBlocks(bytes, importOptions)
      // The blocks may have closed the nonce gaps of waiting transactions.
      await mining.sealPending()
      return head
    },
    async revert(id, keep) {
      const isKnown = await snapshots.revert(id, keep)
      // Transactions that waited when the snapshot was taken wait again.
      await mining.sealPending()
      return isKnown
    },
    async reopenDatabase() {
      await journal?.reopen()
    },
    async close() {
      const slot = idle?.close()
      // Disconnects first, since a tick may wait for the node.
      const disconnected = tip().base.fork?.close()
      // A failure is thrown below, where the promise is awaited.
      disconnected?.catch(() => {})
      try {
        await sequencer.close()
        if (slot !== undefined) journal?.stopSlot(slot)
        await journal?.close()
        transactions.clear()
        await tip().base.ledger.close()
      } finally {
        await disconnected
      }
    },
  }
}

/** Loaded on demand, since most chains never sleep. */
async function openIdle(...parts: ConstructorParameters<typeof Idle>): Promise<Idle> {
  const { Idle } = await import('../sequencer/idle.ts')
  return new Idle(...parts)
}

/** The lowest base fee by EIP-1559. */
const LOWEST_BASE_FEE = 7n

/** Returns a source that reads the preconf tip at each call. @param lowestFeeCap - see `ChainParts.lowestFeeCap`. */
function sourceOf(tip: () => Tip, lowestFeeCap = LOWEST_BASE_FEE): MempoolSource {
  const state = () => tip().preconf.state
  return {
    nonceOf: (address) => state().account(address)?.nonce ?? 0n,
    balanceOf: (address) => state().account(address)?.balance ?? 0n,
    isContract(address) {
      const code = readCode(state(), address)
      return code.length > 0 && !isDelegation(code)
    },
    nextBaseFee: () => tip().preconf.env.baseFee,
    nextBlobBaseFee: () => tip().preconf.env.blobBaseFee,
    extraFeesOf: (tx) => extraFeesOf(tx, tip().preconf),
    rules() {
      const { base, preconf, settings } = tip()
      const { rules, gasLimit, baseFee } = preconf.env
      return {
        chainId: rules.chainId,
        fork: rules.fork,
        spec: rules.spec,
        maxInitCodeSize: rules.maxInitCodeSize,
        maxTransactionGas: rules.maxTransactionGas,
        blobs: base.options.blobs,
        gasLimit,
        maxBlobGas: rules.blobs.maxGas,
        baseFee,
        minFeeCap: settings.minGasPrice ?? 0n,
        lowestFeeCap,
      }
    },
  }
}
