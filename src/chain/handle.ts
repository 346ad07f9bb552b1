/** The types of the object that users hold: `PresealChain` and its members. */

import type { FaultPreset, FaultSettings } from '../config/faultSettings.ts'
import type { ProviderOptions } from '../config/providerOptions.ts'
import type { ReorgRequest, RetractRequest } from '../config/requests.ts'
import type { Clock } from '../primitives/clock.ts'
import type { AsyncDisposal } from '../primitives/disposal.ts'
import type { ChainEvents, ChainSchedule, PreconfBlock, SealedBlock } from '../primitives/eventTypes.ts'
import type { ManualClock } from '../primitives/manualClock.ts'
import type { DevAccounts, Hex, ViewKind } from '../primitives/types.ts'
import type { Provider } from '../rpc/provider.ts'
import type { ChainCheats } from './cheatMethods.ts'
import type { ChainViews } from './views.ts'

/** Fault injection: what goes wrong on purpose. */
export interface ChainFaults {
  /** The faults that are on, frozen; a preset in detail. */
  readonly current: FaultSettings
  /**
   * Turns these faults on and all others off; faults of every nth time count from here. Snapshots of the chain include
   * the faults: `revert` restores those that were on when it was taken.
   *
   * @throws InvalidOptionError for an unknown fault or an invalid value; nothing has changed then.
   */
  set(faults: FaultPreset | FaultSettings): void
  /** Turns all faults off. */
  clear(): void
}

/** The members that only a chain under a manual clock has in its type. */
export interface ManualTime {
  /**
   * Advances the chain's clock by `ms`. When this resolves, the ticks, seals and timers that were due have run, and so
   * have the promises that waited for them; see {@link ManualClock.advance}.
   *
   * @throws InvalidOptionError if `ms` is negative or not finite, the error of a timer's callback, PresealRpcError 4900
   *   after `close`, ClockNotManualError under another clock.
   */
  advance(ms: number): Promise<void>
}

/** An EVM chain inside this process; `ChainClock` is the type of its clock, and a manual one adds `advance`. */
export type PresealChain<ChainClock extends Clock = Clock> = AnyChain<ChainClock> &
  (ChainClock extends Pick<ManualClock, 'advance'> ? ManualTime : unknown)

/** The members of a chain under any clock. */
export interface AnyChain<ChainClock extends Clock>
  extends AsyncDisposal,
    ChainSchedule,
    ChainViews,
    ChainCheats {
  /** A further connection, with subscriptions and filters of its own. @throws InvalidOptionError */
  provider(view: ViewKind, options?: ProviderOptions): Provider
  /**
   * The prefunded accounts. The type has a first one: it is missing only if the options say so, by `accounts` or by a
   * `genesis` without `accounts`.
   */
  readonly accounts: DevAccounts
  /** The EIP-155 chain id of the blocks to come, as `eth_chainId` answers it; `anvil_setChainId` changes it. */
  readonly chainId: number
  /**
   * Milliseconds from seal to seal while blocks are made by the clock: the option, until `anvil_setIntervalMining` or
   * one of its aliases sets another value. It does not tell whether the timer runs.
   */
  readonly blockTime: number
  /**
   * Milliseconds from snapshot to snapshot while blocks are made by the clock: the option, or `blockTime` if that is
   * less, as a seal publishes a snapshot, too.
   */
  readonly preconfInterval: number
  /** The clock passed to `createChain`; by default the system's. */
  readonly clock: ChainClock
  /** Ticks that were skipped because they came too late. */
  readonly missedTicks: number
  /** Starts the timer; in `interval` mining it runs already. @throws PresealRpcError 4900 after `close`. */
  start(): void
  /** Stops the timer. */
  stop(): void
  /** Publishes the next snapshot now. @throws PresealRpcError 4900 after `close`. */
  tick(): Promise<PreconfBlock>
  /** Publishes what waits, then seals the block. @throws PresealRpcError 4900 after `close`. */
  seal(): Promise<SealedBlock>
  /**
   * Imports external blocks: their RLP, one after the other, the first on top of the sealed head. Each is executed and
   * validated in full, except for the seal of proof of work, and becomes the head in turn, with the events of a sealed
   * block. Blocks that the chain already has are skipped.
   *
   * What was pre-confirmed is withdrawn: the next block is started again without transactions, and those that no
   * imported block includes wait for the next tick, or are `dropped` if they can no longer be included.
   *
   * @returns the newest sealed block.
   * @throws ImportError for the first invalid block, which leaves no trace; the blocks before it stay.
   * @throws InvalidOptionError if `bytes` is not a Uint8Array, PresealRpcError 4900 after `close`.
   */
  importBlocks(bytes: Uint8Array): Promise<SealedBlock>
  /**
   * Takes a snapshot: of the state, the blocks, what is pre-confirmed and what waits, the chain's time and the settings
   * of the blocks to come. Nothing of the state is copied.
   *
   * @returns an id for {@link PresealChain.revert}.
   * @throws PresealRpcError 4900 after `close`.
   */
  snapshot(): Promise<Hex>
  /**
   * Reverts to a snapshot, which can be reverted to again; those taken after it are gone. What was sealed and
   * pre-confirmed since is withdrawn: a `retracted` event, `removed: true` logs, and a new head. The chain's time is
   * what it was then.
   *
   * @throws PresealRpcError -32000 `unknown snapshot` if there is none with this id; -32000 `state not available` if
   *   its block is older than `history.blocks`, or was withdrawn by something else; 4900 after `close`.
   */
  revert(id: Hex): Promise<void>
  /**
   * Replaces the last sealed blocks by as many others, as a reorg of a real chain does. Each new block has just the
   * transactions given for it, except those that can't be included there; what the old blocks and the block under
   * construction included waits again. A `retracted` event announces the old blocks, then `block` events the new ones.
   *
   * @returns the newest sealed block.
   * @throws InvalidOptionError for a request of another form; PresealRpcError -32602 for a depth that reaches beyond
   *   genesis, and the decoder's errors for transactions that cannot be decoded; nothing has changed then. 4900 after `close`.
   */
  reorg(request: ReorgRequest): Promise<SealedBlock>
  /**
   * Withdraws pre-confirmed transactions before they are sealed, each with what cannot be included without it, or the
   * last snapshots of the block under construction. What is withdrawn waits again, and the next tick includes it
   * unless it is dropped; a `retracted` event announces it.
   *
   * @throws InvalidOptionError for a request of another form; PresealRpcError -32000 if a transaction is not
   *   pre-confirmed,
   *   -32602 for more snapshots than there are after the first; nothing has changed then. 4900 after `close`.
   */
  retract(request: RetractRequest): Promise<void>
  /** Injects the faults of real nodes: lost pre-confirmations, late ticks, stale or wrong views. */
  readonly faults: ChainFaults
  /** Calls `listener` at every `event`; while there is a listener, the chain keeps the process alive. */
  on<Event extends keyof ChainEvents>(event: Event, listener: ChainEvents[Event]): this
  /** Calls `listener` at the next `event` only. */
  once<Event extends keyof ChainEvents>(event: Event, listener: ChainEvents[Event]): this
  /** Removes a listener. */
  off<Event extends keyof ChainEvents>(event: Event, listener: ChainEvents[Event]): this
  /**
   * Closes the chain: no timer and no handle is left, and every request fails with 4900. All writes to a `database`
   * passed to `createChain` are done when this resolves; the database stays open.
   */
  close(): Promise<void>
}
