/** The object that users hold: `PresealChain`, its members, its cheats and its views. */

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

/** Fault injection: turns the faults of a chain on and off. */
export interface ChainFaults {
  /** The faults that are on, frozen; a preset is expanded to its settings. */
  readonly current: FaultSettings
  /**
   * Turns these faults on and all others off; the counts for every nth time start again. Snapshots of the chain include
   * the faults: `revert` restores those that were on when the snapshot was taken.
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
   * Advances the chain's clock by `ms`. When this resolves, the ticks, seals and timers that were due have run, and
   * code that awaited them has continued; see {@link ManualClock.advance}.
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
  /** Opens another connection, with its own subscriptions and filters. @throws InvalidOptionError */
  provider(view: ViewKind, options?: ProviderOptions): Provider
  /**
   * The prefunded accounts. The type includes a first one, which is missing only if the options ask for none, by
   * `accounts` or by a `genesis` without `accounts`.
   */
  readonly accounts: DevAccounts
  /** The EIP-155 chain id of the blocks to come, as `eth_chainId` returns it; `anvil_setChainId` changes it. */
  readonly chainId: number
  /**
   * Milliseconds from seal to seal while blocks are made by the clock: the option, until `anvil_setIntervalMining` or
   * one of its aliases sets another value. It does not show whether the timer is running.
   */
  readonly blockTime: number
  /**
   * Milliseconds from snapshot to snapshot while blocks are made by the clock: the option, or `blockTime` if that is
   * less, since a seal also publishes a snapshot.
   */
  readonly preconfInterval: number
  /** The clock passed to `createChain`; by default the system's. */
  readonly clock: ChainClock
  /** The number of ticks of the timer that were skipped because they came too late, or by a fault. */
  readonly missedTicks: number
  /** Starts the timer; in `interval` mining it is already running. @throws PresealRpcError 4900 after `close`. */
  start(): void
  /** Stops the timer. */
  stop(): void
  /** Publishes the next snapshot now. @throws PresealRpcError 4900 after `close`. */
  tick(): Promise<PreconfBlock>
  /**
   * Seals the block. It ticks first if a waiting transaction can be included, or if the block is empty and
   * its timestamp is out of date.
   *
   * @throws PresealRpcError 4900 after `close`.
   */
  seal(): Promise<SealedBlock>
  /**
   * Imports external blocks, given as concatenated RLP, the first on top of the sealed head. Each is executed and
   * validated in full, except for its proof of work, and becomes the head in turn, with the events of a sealed
   * block. Blocks that the chain already has are skipped.
   *
   * Pre-confirmed transactions are withdrawn: the next block starts empty, and those that no imported block
   * includes wait for the next tick, or are `dropped` if they can no longer be included.
   *
   * @param options - `verify: 'ethereumjs'` executes each block a second time, by that library's `runBlock`,
   *   and requires the same validity, roots and receipts.
   * @returns the newest sealed block.
   * @throws ImportError for the first invalid block, which has no effect; the blocks before it stay.
   * @throws VerificationError for the first block whose executions differ; it has no effect either.
   * @throws InvalidOptionError if `bytes` is not a Uint8Array or an option is invalid, PresealRpcError 4900
   *   after `close`.
   */
  importBlocks(bytes: Uint8Array, options?: ImportOptions): Promise<SealedBlock>
  /**
   * The chain as plain data: its genesis, its sealed blocks, and what these do not have, such as writes of cheats to states,
   * senders of impersonated accounts, settings of the blocks to come, and options that change blocks. `createChain` takes it,
   * also after `JSON.parse`, and executes the blocks: the chain then has the same head, state, receipts and logs. Not
   * included: what waits or is pre-confirmed, snapshots, faults, keys other than those of the default mnemonic, and options of
   * the process, such as `clock`, `limits` and `engine`.
   *
   * @throws PresealRpcError -32000 (`ExportError`) if the chain is a fork, was loaded from a state file with blocks, or has
   *   more blocks than `history.blocks`; 4900 after `close`.
   * @example
   * const other = await createChain({ ...(await chain.export()), clock: createManualClock() })
   */
  export(): Promise<ExportedChain>
  /**
   * The call tree of a transaction, sealed, pre-confirmed, waiting or dropped, or of a call: contracts, functions, arguments,
   * results, errors, events, console lines, value and gas, as far as the artifacts tell; the rest stays hex. Nothing of it is
   * loaded, and nothing is recorded, before this is called: the transaction is executed again. One that is in no block, as if
   * it were the next of the block under construction, without checks of its nonce, fees and funds. `preseal/explain` makes a
   * text or a page of it.
   *
   * @throws PresealRpcError -32000 if there is no such transaction, it was dropped before the last 256 dropped ones, or its
   *   block is older than the history; InvalidOptionError for an invalid call or option; TransactionRejectedError for a call
   *   or a transaction that cannot be executed at all; 4900 after `close`.
   * @example
   * console.log(explanationToText(await chain.explain(hash, { artifacts: { Token } })))
   */
  explain(target: Hash | ExplainCall, options?: ExplainOptions): Promise<Explanation>
  /**
   * Takes a snapshot of the state, the blocks, the pre-confirmed and the waiting transactions, the chain's time and the
   * settings of the blocks to come. Nothing of the state is copied.
   *
   * @returns an id for {@link PresealChain.revert}.
   * @throws PresealRpcError 4900 after `close`.
   */
  snapshot(): Promise<Hex>
  /**
   * Reverts to a snapshot, which can be reverted to again; those taken after it are removed. Blocks and transactions
   * that were sealed or pre-confirmed since are withdrawn: a `retracted` event, `removed: true` logs, and a new head.
   * The chain's time goes back to the snapshot's.
   *
   * @throws PresealRpcError -32000 `unknown snapshot` if there is none with this id; -32000 `state not available` if
   *   its block is older than `history.blocks`, or was itself withdrawn, as by a reorg; 4900 after `close`.
   */
  revert(id: Hex): Promise<void>
  /**
   * Replaces the last sealed blocks with as many others, as a reorg of a real chain does. Each new block contains only
   * the transactions given for it, without those that cannot be included there; the transactions of the old blocks and
   * of the block under construction wait again. A `retracted` event announces the old blocks, then `block` events the
   * new ones.
   *
   * @returns the newest sealed block.
   * @throws InvalidOptionError for a malformed request; PresealRpcError -32602 for a depth beyond genesis or above
   *   1,000, or for more blocks in `replace` than `depth`, -32000 for a depth beyond the history, and the decoder's
   *   errors for transactions that cannot be decoded; nothing has changed then. 4900 after `close`.
   */
  reorg(request: ReorgRequest): Promise<SealedBlock>
  /**
   * Withdraws pre-confirmed transactions before they are sealed, with those that cannot be included without them, or
   * the last snapshots of the block under construction. Withdrawn transactions wait again, and the next tick includes
   * them unless they are dropped; a `retracted` event announces them.
   *
   * @throws InvalidOptionError for a malformed request; PresealRpcError -32000 if a transaction is not pre-confirmed,
   *   -32602 for more snapshots than there are after the first; nothing has changed then. 4900 after `close`.
   */
  retract(request: RetractRequest): Promise<void>
  /**
   * Closes the `database` of the options and opens it again. After a write to it has failed, the chain refuses all that it
   * would have to write (`DatabaseStoppedError`, -32000 with the cause) until then. It goes on if the database has the head that
   * was stored last. Requests that read the database wait meanwhile. Without a database this does nothing.
   *
   * @throws DatabaseOpenError or DatabaseInUseError if the database cannot be opened, DatabaseHeadError if it has another head,
   *   DatabaseWriteError if it still refuses writes; the chain goes on refusing then, and this can be called again.
   *   PresealRpcError 4900 after `close`.
   */
  reopenDatabase(): Promise<void>
  /** Injects the faults of real nodes: lost pre-confirmations, late ticks, stale or wrong views. */
  readonly faults: ChainFaults
  /** Calls `listener` on every `event`; while there is a listener, a running timer keeps the process alive. */
  on<Event extends keyof ChainEvents>(event: Event, listener: ChainEvents[Event]): this
  /** Calls `listener` on the next `event` only. */
  once<Event extends keyof ChainEvents>(event: Event, listener: ChainEvents[Event]): this
  /** Removes a listener. */
  off<Event extends keyof ChainEvents>(event: Event, listener: ChainEvents[Event]): this
  /**
   * Closes the chain: no timer and no handle is left, and every request fails with 4900. All writes to a `database`
   * passed to `createChain` are done when this resolves; the database stays open.
   */
  close(): Promise<void>
}

// The cheats that are methods of a chain, and how calls are forwarded to them. All other cheats are requests, such as
// `chain.standard.request({ method: 'anvil_setNonce', … })`.

/**
 * Changes of a chain without transactions. Changes of the state are visible at `latest` on every view as soon as the
 * promise resolves. Pre-confirmed transactions are executed again on the new state: a `retracted` event, then a
 * snapshot.
 *
 * Each throws PresealRpcError -32602 for an invalid argument and 4900 after `close`; nothing has changed then.
 */
export interface ChainCheats {
  /**
   * Seals blocks, one after the other; the first includes waiting transactions (`anvil_mine`). It does not move the
   * clock.
   *
   * @param blocks - how many, 1 by default; 0 seals none.
   * @returns the newest sealed block.
   * @throws PresealRpcError -32602 for more than 1,000,000. If the chain is closed meanwhile, the blocks sealed so far
   *   stay.
   * @example
   * const { block } = await chain.mine(3)
   */
  mine(blocks?: number): Promise<SealedBlock>
  /**
   * Moves the chain's time forward, but not its clock: the blocks to come have later timestamps (`evm_increaseTime`).
   * The next one comes `seconds` after the chain's time, or after the head's timestamp if that is later. Ticks, seals and
   * timers still follow the clock; see `advance`.
   *
   * @param seconds - an integer >= 0. The chain's time can be at most 2^52 ms ahead of the clock's.
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
   * Allows `eth_sendTransaction` from an account without its key (`anvil_impersonateAccount`), on every connection. The
   * account pays for gas like any other.
   */
  impersonateAccount(address: Address): Promise<void>
  /** Ends the impersonation (`anvil_stopImpersonatingAccount`); transactions that were already sent stay. */
  stopImpersonatingAccount(address: Address): Promise<void>
  /**
   * Sets an account's balance of an ERC-20 token (`anvil_dealERC20`), by writing to the storage slot that `balanceOf`
   * reads. The total supply does not change, nor do other values in that slot.
   *
   * @param amount - in the token's smallest unit, from 0 to 2^256 - 1.
   * @throws PresealRpcError -32000 if no single slot controls the value.
   */
  deal(token: Address, address: Address, amount: bigint): Promise<void>
}

const NAMES: Readonly<Record<keyof ChainCheats, true>> = {
  mine: true,
  increaseTime: true,
  setBalance: true,
  setCode: true,
  setStorageAt: true,
  impersonateAccount: true,
  stopImpersonatingAccount: true,
  deal: true,
}

/** Cheats whose calls are forwarded to `call`, with their name. */
export function forwardCheats(
  call: (name: keyof ChainCheats, args: readonly unknown[]) => Promise<unknown>,
): ChainCheats {
  const forwarded = Object.keys(NAMES).map((name) => [
    name,
    (...args: readonly unknown[]) => call(name as keyof ChainCheats, args),
  ])
  return Object.fromEntries(forwarded) as ChainCheats
}

/** Calls a cheat by its name; the cheat checks the arguments. */
export function callCheat(
  cheats: ChainCheats,
  name: keyof ChainCheats,
  args: readonly unknown[],
): Promise<unknown> {
  return (cheats[name] as (...args: readonly unknown[]) => Promise<unknown>)(...args)
}

// The named connections of a chain.

/** Connections, each opened on first access, so that a listener added right after that receives `connect`. */
export interface ChainViews {
  /** Answers from sealed blocks. */
  readonly standard: Provider
  /** Answers `pending` from the block under construction, exactly as the wire specification says. */
  readonly preconf: Provider
  /**
   * The preconf view for stock clients, such as viem, ethers and web3.js: requests that name no block mean `pending`,
   * and the pending nonce also counts waiting transactions. The same as
   * `provider('preconf', { defaultBlock: 'pending', pendingNonce: 'pool' })`.
   *
   * @example
   * const client = createPublicClient({ chain: preseal, transport: custom(chain.live) })
   */
  readonly live: Provider
}

/** The connections by name, each with its view and its options. */
export const VIEWS: Readonly<Record<keyof ChainViews, readonly [view: ViewKind, options?: ProviderOptions]>> =
  {
    standard: ['standard'],
    preconf: ['preconf'],
    live: ['preconf', LIVE_OPTIONS],
  }

/** A chain without its views. */
export type WithoutViews<Chain> = Omit<Chain, keyof ChainViews>

/** Adds the views to the other members of a chain. @param connect - called at most once per view. */
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
