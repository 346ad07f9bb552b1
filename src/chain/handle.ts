/** The object that users hold: `PresealChain` with its members, cheats and views. */

import type { Clock } from '../base/clock.ts'
import type { AsyncDisposal } from '../base/disposal.ts'
import type { ChainEvents, ChainSchedule, PreconfBlock, SealedBlock } from '../base/eventTypes.ts'
import type { ManualClock } from '../base/manualClock.ts'
import type { FaultPreset, FaultSettings } from '../base/options/faultSettings.ts'
import { LIVE_OPTIONS, type ProviderOptions } from '../base/options/providerOptions.ts'
import type { ImportOptions, ReorgRequest, RetractRequest } from '../base/options/requests.ts'
import type { Address, DevAccounts, Hash, Hex, ViewKind } from '../base/types.ts'
import type { ExportedChain } from '../core/options.ts'
import type { ExplainCall, ExplainOptions, Explanation } from '../inspect/explain/tree.ts'
import type { Provider } from '../rpc/provider.ts'

/** Turns the faults of a chain on and off. */
export interface ChainFaults {
  /** The active faults, frozen. A preset is expanded to its settings. */
  readonly current: FaultSettings
  /**
   * Turns these faults on and all others off. Faults that happen every nth time begin to count anew. Snapshots include
   * the faults: `revert` restores the faults of its snapshot.
   *
   * @throws InvalidOptionError for an unknown fault or an invalid value. Nothing has changed then.
   */
  set(faults: FaultPreset | FaultSettings): void
  /** Turns all faults off. */
  clear(): void
}

/** The members that the type of a chain has only with a manual clock. */
export interface ManualTime {
  /**
   * Advances the chain's clock by `ms`. When this resolves, all due ticks, seals and timers have run, and code that
   * awaited them has continued; see {@link ManualClock.advance}.
   *
   * @throws InvalidOptionError if `ms` is negative or not finite; ClockNotManualError if the clock is not manual;
   *   PresealRpcError 4900 after `close`; the error of a timer's callback.
   */
  advance(ms: number): Promise<void>
}

/** An EVM chain inside this process. `ChainClock` is the type of its clock; a manual clock adds `advance`. */
export type PresealChain<ChainClock extends Clock = Clock> = AnyChain<ChainClock> &
  (ChainClock extends Pick<ManualClock, 'advance'> ? ManualTime : unknown)

/** The members of a chain under any clock. */
export interface AnyChain<ChainClock extends Clock>
  extends AsyncDisposal,
    ChainSchedule,
    ChainViews,
    ChainCheats {
  /** Opens a new connection with separate subscriptions and filters. @throws InvalidOptionError */
  provider(view: ViewKind, options?: ProviderOptions): Provider
  /** The prefunded accounts. Typed with a first account, which is missing if the options ask for none. */
  readonly accounts: DevAccounts
  /** The EIP-155 chain id of blocks to come, as `eth_chainId` returns it. `anvil_setChainId` changes it. */
  readonly chainId: number
  /**
   * Milliseconds from seal to seal while the clock makes blocks. The option of this name sets it, and
   * `anvil_setIntervalMining` and its aliases change it. Does not show whether the timer is running.
   */
  readonly blockTime: number
  /**
   * Milliseconds from preconf block to preconf block while the clock makes blocks: the option of this name, or
   * `blockTime` if that is less, since a seal also publishes a preconf block.
   */
  readonly preconfInterval: number
  /** The clock passed to `createChain`; default: the system's. */
  readonly clock: ChainClock
  /** How many ticks the timer has skipped, because they were late or because of a fault. */
  readonly missedTicks: number
  /** Starts the timer; in `interval` mining, it runs already. @throws PresealRpcError 4900 after `close`. */
  start(): void
  /** Stops the timer. */
  stop(): void
  /** Publishes the next preconf block now. @throws PresealRpcError 4900 after `close`. */
  tick(): Promise<PreconfBlock>
  /**
   * Seals the block under construction. Ticks first if a waiting transaction can be included, or if the block is empty
   * and its timestamp is out of date.
   *
   * @throws PresealRpcError 4900 after `close`.
   */
  seal(): Promise<SealedBlock>
  /**
   * Imports external blocks from concatenated RLP on top of the sealed head. Each is executed and fully validated,
   * except its proof of work, and then becomes the head, with the events of a sealed block. Known blocks are skipped.
   *
   * Pre-confirmed transactions are withdrawn: the next block starts empty. Transactions that no imported block includes
   * wait for the next tick, or are `dropped` if they can no longer be included.
   *
   * @param options - `verify: 'ethereumjs'` executes each block a second time, by that library's `runBlock`, and
   *   requires equal validity, roots and receipts.
   * @returns the newest sealed block.
   * @throws ImportError for the first invalid block, which has no effect; earlier blocks stay.
   * @throws VerificationError for the first block whose executions differ, which has no effect either.
   * @throws InvalidOptionError if `bytes` is not a Uint8Array or an option is invalid, PresealRpcError 4900 after
   *   `close`.
   */
  importBlocks(bytes: Uint8Array, options?: ImportOptions): Promise<SealedBlock>
  /**
   * Exports the chain as plain data: its genesis, its sealed blocks, and everything that blocks lack, such as cheats'
   * writes to states, senders of impersonated accounts, settings of blocks to come, and options that change blocks.
   * `createChain` takes the data, also after `JSON.parse`, and executes the blocks: the new chain has the same head,
   * state, receipts and logs. Leaves out waiting and pre-confirmed transactions, snapshots, faults, keys that are not
   * of the default mnemonic, and options of the process, such as `clock`, `limits` and `engine`.
   *
   * @throws PresealRpcError -32000 (`ExportError`) if the chain is a fork, was loaded from a state file with blocks, or
   *   has more blocks than `history.blocks`. PresealRpcError 4900 after `close`.
   * @example
   * const other = await createChain({ ...(await chain.export()), clock: createManualClock() })
   */
  export(): Promise<ExportedChain>
  /**
   * Returns the call tree of a call, or of a sealed, pre-confirmed, waiting or dropped transaction: contracts,
   * functions, arguments, results, errors, events, console lines, value and gas. Data that no artifact describes stays
   * hex. Executes the transaction again, since nothing is recorded before this is called. A transaction that no block
   * contains is executed at the end of the block under construction, without checks of its nonce, fees and funds.
   * `preseal/explain` writes the tree as text or as an HTML page.
   *
   * @throws PresealRpcError -32000 if there is no such transaction, if 256 transactions were dropped after it, or if
   *   its block is older than the history. PresealRpcError 4900 after `close`.
   * @throws InvalidOptionError for an invalid call or option.
   * @throws TransactionRejectedError for a call or a transaction that cannot be executed at all.
   * @example
   * console.log(explanationToText(await chain.explain(hash, { artifacts: { Token } })))
   */
  explain(target: Hash | ExplainCall, options?: ExplainOptions): Promise<Explanation>
  /**
   * Takes a snapshot of the state, the blocks, pre-confirmed and waiting transactions, the chain's time and the
   * settings of blocks to come. Copies no state.
   *
   * @returns an id for {@link PresealChain.revert}.
   * @throws PresealRpcError 4900 after `close`.
   */
  snapshot(): Promise<Hex>
  /**
   * Reverts to a snapshot, which can be reverted to again. Later snapshots are removed. Blocks and transactions that
   * were sealed or pre-confirmed since are withdrawn: a `retracted` event, `removed: true` logs, and a new head. The
   * chain's time goes back to the time of the snapshot.
   *
   * @throws PresealRpcError -32000 `unknown snapshot` if no snapshot has this id; -32000 `state not available` if the
   *   snapshot's block is older than `history.blocks`, or was withdrawn, as by a reorg; 4900 after `close`.
   */
  revert(id: Hex): Promise<void>
  /**
   * Replaces the last sealed blocks with as many new ones, as a reorg of a real chain does. Each new block contains
   * the transactions given for it, except transactions that cannot be included there. Transactions of the old blocks
   * and of the block under construction wait again. A `retracted` event announces the old blocks; then each new block
   * has a `block` event.
   *
   * If this throws, nothing has changed.
   *
   * @returns the newest sealed block.
   * @throws InvalidOptionError for a malformed request.
   * @throws PresealRpcError -32602 for a depth beyond genesis or above 1,000, or for more blocks in `replace` than
   *   `depth`; -32000 for a depth beyond the history; 4900 after `close`.
   * @throws the decoder's errors for transactions that cannot be decoded.
   */
  reorg(request: ReorgRequest): Promise<SealedBlock>
  /**
   * Withdraws pre-confirmed transactions and their dependents before they are sealed, or the last preconf blocks of the
   * block under construction. Withdrawn transactions wait again, and the next tick includes them unless they are
   * dropped. A `retracted` event announces them.
   *
   * If this throws, nothing has changed.
   *
   * @throws InvalidOptionError for a malformed request.
   * @throws PresealRpcError -32000 if a transaction is not pre-confirmed; -32602 for more preconf blocks than follow
   *   the first one; 4900 after `close`.
   */
  retract(request: RetractRequest): Promise<void>
  /**
   * Closes the `database` of the options and opens it again. After a failed write, the chain refuses all further writes
   * (`DatabaseStoppedError`, -32000 with the cause) until this succeeds. The database must still have the head that was
   * stored last. Requests that read the database wait meanwhile. Does nothing without a database.
   *
   * If this throws, the chain keeps refusing writes. Call it again to retry.
   *
   * @throws DatabaseOpenError or DatabaseInUseError if the database cannot be opened.
   * @throws DatabaseHeadError if the database has a different head.
   * @throws DatabaseWriteError if the database still refuses writes.
   * @throws PresealRpcError 4900 after `close`.
   */
  reopenDatabase(): Promise<void>
  /**
   * Falls asleep now, without waiting for `idleAfter`, until the next request. Requests in flight end first. With
   * `idle: 'sleep'`, if the clock makes blocks, seals transactions that are pre-confirmed or can be included. With
   * `'catch-up'`, they are sealed when they are due. Snapshots in memory do not prevent it, and stay as long as the
   * process.
   *
   * @throws NeverIdleError if the option `idle` is `'run'`; PresealRpcError 4900 after `close`.
   */
  sleep(): Promise<void>
  /** Injects the faults of real nodes: lost pre-confirmations, late ticks, stale or wrong views. */
  readonly faults: ChainFaults
  /** Calls `listener` on each `event`; while the chain has a listener, a running timer keeps the process alive. */
  on<Event extends keyof ChainEvents>(event: Event, listener: ChainEvents[Event]): this
  /** Calls `listener` on the next `event` only. */
  once<Event extends keyof ChainEvents>(event: Event, listener: ChainEvents[Event]): this
  /** Removes a listener. */
  off<Event extends keyof ChainEvents>(event: Event, listener: ChainEvents[Event]): this
  /**
   * Closes the chain: no timer and no handle is left, and every request fails with 4900. When this resolves, all writes
   * to a `database` passed to `createChain` are done. The database itself stays open.
   */
  close(): Promise<void>
}

// Cheats that are methods of a chain. All other cheats are requests, such as
// `chain.standard.request({ method: 'anvil_setNonce', … })`.

/**
 * Changes a chain without transactions. Changes of the state are visible at `latest` on every view when the promise
 * resolves. Pre-confirmed transactions are executed again on the new state: a `retracted` event, then a preconf block.
 *
 * Each throws PresealRpcError -32602 for an invalid argument and 4900 after `close`. Nothing has changed then.
 */
export interface ChainCheats {
  /**
   * Seals blocks one after another; the first includes waiting transactions (`anvil_mine`). Does not move the clock.
   *
   * @param blocks - the number of blocks; default: 1; 0 seals none.
   * @returns the newest sealed block.
   * @throws PresealRpcError -32602 for more than 1,000,000. If the chain closes meanwhile, blocks sealed so far stay.
   * @example
   * const { block } = await chain.mine(3)
   */
  mine(blocks?: number): Promise<SealedBlock>
  /**
   * Moves the chain's time forward, but not its clock: blocks to come have later timestamps (`evm_increaseTime`). The
   * next block's timestamp is `seconds` after the chain's time or the head's timestamp, whichever is later. Ticks,
   * seals and timers still follow the clock; see `advance`.
   *
   * @param seconds - an integer >= 0. The chain's time can be at most 2^52 ms ahead of the clock.
   */
  increaseTime(seconds: number): Promise<void>
  /** Sets an account's balance (`anvil_setBalance`). @param wei - from 0 to 2^256 - 1. */
  setBalance(address: Address, wei: bigint): Promise<void>
  /** Sets an account's code (`anvil_setCode`). @param code - the runtime code; `0x` for none. */
  setCode(address: Address, code: Hex): Promise<void>
  /**
   * Sets a storage slot (`anvil_setStorageAt`).
   *
   * @param slot - up to 32 bytes of hex, with or without leading zeros, or the number of the slot.
   * @param value - in the same forms; 0 clears the slot.
   */
  setStorageAt(address: Address, slot: Hex | bigint, value: Hex | bigint): Promise<void>
  /**
   * Lets an account send by `eth_sendTransaction` without its key (`anvil_impersonateAccount`), on every connection.
   * The account pays for gas as usual.
   */
  impersonateAccount(address: Address): Promise<void>
  /** Ends the impersonation (`anvil_stopImpersonatingAccount`); transactions sent before stay. */
  stopImpersonatingAccount(address: Address): Promise<void>
  /**
   * Sets an account's balance of an ERC-20 token (`anvil_dealERC20`), by writing to the storage slot that `balanceOf`
   * reads. The total supply and the rest of the slot do not change.
   *
   * @param amount - in the token's smallest unit, from 0 to 2^256 - 1.
   * @throws PresealRpcError -32000 if no single slot controls the value.
   */
  deal(token: Address, address: Address, amount: bigint): Promise<void>
}

/** Connections, opened on first access, so that a listener added right afterwards receives `connect`. */
export interface ChainViews {
  /** Answers from sealed blocks. */
  readonly standard: Provider
  /** Answers `pending` from the block under construction, exactly as the wire specification says. */
  readonly preconf: Provider
  /**
   * The preconf view for stock clients, such as viem, ethers and web3.js: requests without a block mean `pending`, and
   * the pending nonce also counts waiting transactions. The same as
   * `provider('preconf', { defaultBlock: 'pending', pendingNonce: 'pool' })`.
   *
   * @example
   * const client = createPublicClient({ chain: preseal, transport: custom(chain.live) })
   */
  readonly live: Provider
}

/** The view and the options of each connection. */
export const VIEWS: Readonly<Record<keyof ChainViews, readonly [view: ViewKind, options?: ProviderOptions]>> =
  {
    standard: ['standard'],
    preconf: ['preconf'],
    live: ['preconf', LIVE_OPTIONS],
  }

/** A chain without its views. */
export type WithoutViews<Chain> = Omit<Chain, keyof ChainViews>

/** Adds views to the members of a chain. @param connect - called at most once per view. */
export function addViews<Rest extends object>(
  rest: Rest,
  connect: (...args: readonly [view: ViewKind, options?: ProviderOptions]) => Provider,
): Rest & ChainViews {
  for (const [name, args] of Object.entries(VIEWS)) {
    let provider: Provider | undefined
    const get = (): Provider => {
      provider ??= connect(...args)
      return provider
    }
    Object.defineProperty(rest, name, { configurable: true, enumerable: true, get })
  }
  return rest as Rest & ChainViews
}
