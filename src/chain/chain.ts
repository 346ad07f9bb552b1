/**
 * `createChain`: the wire on top of a chain's parts, and the object users hold. Owns nothing.
 */

import { type FaultPreset, type FaultSettings, resolveFaults } from '../config/faultSettings.ts'
import { check } from '../config/option.ts'
import { isManual } from '../config/optionSchemas.ts'
import { type ChainOptions, type ResolvedOptions, resolveOptions } from '../config/options.ts'
import { type ProviderOptions, resolveProviderOptions } from '../config/providerOptions.ts'
import { type ReorgRequest, type RetractRequest, resolveReorg, resolveRetract } from '../config/requests.ts'
import type { Clock } from '../primitives/clock.ts'
import { type AsyncDisposal, toAsyncDisposal } from '../primitives/disposal.ts'
import { Emitter, throwLater } from '../primitives/emitter.ts'
import type { ChainEvents, PreconfBlock, SealedBlock } from '../primitives/eventTypes.ts'
import type { ManualClock } from '../primitives/manualClock.ts'
import type { DevAccounts, Hex, ViewKind } from '../primitives/types.ts'
import { holdBack } from '../primitives/yielder.ts'
import { DIALECTS } from '../rpc/dialect.ts'
import { toPreconfBlock, toSealedBlock } from '../rpc/format/format.ts'
import { createProvider, type Provider } from '../rpc/provider.ts'
import { createClosing } from '../rpc/services.ts'
import { DisconnectedError } from '../sequencer/errors.ts'
import { retractSnapshots, retractTransactions } from '../sequencer/reorg.ts'
import { FaultyView } from '../view/faultyView.ts'
import { View } from '../view/view.ts'
import { toServices, toSources } from './chainServices.ts'
import { type ChainParts, type Core, openCore } from './core.ts'
import { ClockNotManualError, UnknownSnapshotError } from './errors.ts'
import { type ConsoleOutput, forwardConsole, forwardEvents } from './forwardEvents.ts'

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
   * @throws InvalidOptionError if `ms` is negative or not finite, the error of a timer's callback, RpcError 4900 after
   *   `close`, ClockNotManualError under another clock.
   */
  advance(ms: number): Promise<void>
}

/** An EVM chain inside this process; `ChainClock` is the type of its clock, and a manual one adds `advance`. */
export type Chain<ChainClock extends Clock = Clock> = AnyChain<ChainClock> &
  (ChainClock extends Pick<ManualClock, 'advance'> ? ManualTime : unknown)

/** The members of a chain under any clock. */
export interface AnyChain<ChainClock extends Clock> extends AsyncDisposal {
  /** Answers from sealed blocks. */
  readonly standard: Provider
  /** Answers `pending` from the block under construction. */
  readonly preconf: Provider
  /** A further connection, with subscriptions and filters of its own. @throws InvalidOptionError */
  provider(view: ViewKind, options?: ProviderOptions): Provider
  /**
   * The prefunded accounts. The type has a first one: it is missing only if the options say so, by `accounts` or by a
   * `genesis` without `accounts`.
   */
  readonly accounts: DevAccounts
  /** The clock passed to `createChain`; by default the system's. */
  readonly clock: ChainClock
  /** Ticks that were skipped because they came too late. */
  readonly missedTicks: number
  /** Starts the timer; in `interval` mining it runs already. @throws RpcError 4900 after `close`. */
  start(): void
  /** Stops the timer. */
  stop(): void
  /** Publishes the next snapshot now. @throws RpcError 4900 after `close`. */
  tick(): Promise<PreconfBlock>
  /** Publishes what waits, then seals the block. @throws RpcError 4900 after `close`. */
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
   * @throws InvalidOptionError if `bytes` is not a Uint8Array, RpcError 4900 after `close`.
   */
  importBlocks(bytes: Uint8Array): Promise<SealedBlock>
  /**
   * Takes a snapshot: of the state, the blocks, what is pre-confirmed and what waits, the chain's time and the settings
   * of the blocks to come. Nothing of the state is copied.
   *
   * @returns an id for {@link Chain.revert}.
   * @throws RpcError 4900 after `close`.
   */
  snapshot(): Promise<Hex>
  /**
   * Reverts to a snapshot, which can be reverted to again; those taken after it are gone. What was sealed and
   * pre-confirmed since is withdrawn: a `retracted` event, `removed: true` logs, and a new head. The chain's time is
   * what it was then.
   *
   * @throws RpcError -32000 `unknown snapshot` if there is none with this id; -32000 `state not available` if its block
   *   is older than `history.blocks`, or was withdrawn by something else; 4900 after `close`.
   */
  revert(id: Hex): Promise<void>
  /**
   * Replaces the last sealed blocks by as many others, as a reorg of a real chain does. Each new block has just the
   * transactions given for it, except those that can't be included there; what the old blocks and the block under
   * construction included waits again. A `retracted` event announces the old blocks, then `block` events the new ones.
   *
   * @returns the newest sealed block.
   * @throws InvalidOptionError for a request of another form; RpcError -32602 for a depth that reaches beyond genesis,
   *   and the decoder's errors for transactions that cannot be decoded; nothing has changed then. 4900 after `close`.
   */
  reorg(request: ReorgRequest): Promise<SealedBlock>
  /**
   * Withdraws pre-confirmed transactions before they are sealed, each with what cannot be included without it, or the
   * last snapshots of the block under construction. What is withdrawn waits again, and the next tick includes it
   * unless it is dropped; a `retracted` event announces it.
   *
   * @throws InvalidOptionError for a request of another form; RpcError -32000 if a transaction is not pre-confirmed,
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

/** {@link createChain} with a clock of the caller's; `chain.clock` has its type: `await chain.clock.advance(200)`. */
export function createChain<ChainClock extends Clock>(
  options: ChainOptions & { readonly clock: ChainClock },
): Promise<Chain<ChainClock>>
/**
 * Starts a chain.
 *
 * @throws InvalidOptionError if an option cannot be used
 * @throws GenesisMismatchError, ReplayError if the database holds something else
 * @throws ImportError if one of `blocks` is invalid
 * @example
 * const chain = await createChain()
 * const client = createPublicClient({ transport: custom(chain.preconf) })
 */
export function createChain(options?: ChainOptions): Promise<Chain>
export function createChain(options?: ChainOptions): Promise<Chain> {
  return assembleChain(options)
}

/** @internal {@link createChain}, with some parts passed in. */
export async function assembleChain(options?: ChainOptions, parts: ChainParts = {}): Promise<Chain> {
  const resolved = resolveOptions(options)
  let core: Core | undefined
  let release: (() => void) | undefined
  let output: ConsoleOutput | undefined
  const events = new Emitter<ChainEvents>(
    // A failing `error` listener would receive its own errors forever.
    (error, event) => (event === 'error' ? throwLater(error) : reportError(error)),
    (listeners) => {
      output?.listen()
      if (listeners > 0) {
        release ??= core?.sequencer.hold()
      } else {
        release?.()
        release = undefined
      }
    },
  )
  const reportError = (error: Error): void => {
    if (events.count('error') > 0) events.emit('error', error)
    else throwLater(error)
  }
  core = await openCore(resolved, parts, reportError)
  forwardEvents(core, DIALECTS[resolved.dialect], events)
  output = forwardConsole(core, resolved.console, events, parts.print)
  const chain = createHandle(resolved, core, output, events, reportError)
  if (resolved.mining === 'interval') chain.start()
  return chain
}

function createHandle(
  options: ResolvedOptions,
  core: Core,
  output: ConsoleOutput,
  events: Emitter<ChainEvents>,
  reportError: (error: Error) => void,
): Chain {
  const { sequencer } = core
  const closing = createClosing()
  const services = toServices(options, core, output, closing)
  const sources = toSources(options, core)
  const reports = {
    onListenerError: reportError,
    // The caller has the error, so that, unlike a failed tick's, it is not thrown if there is no listener.
    onInternalError: (error: Error) => events.emit('error', error),
  }
  const dialect = DIALECTS[options.dialect]
  const connect = (kind: ViewKind, providerOptions?: ProviderOptions) => {
    const { dialect: own, ...viewOptions } = resolveProviderOptions(kind, providerOptions)
    const view =
      kind === 'preconf'
        ? new FaultyView(viewOptions, sources, core.faults)
        : new View(kind, viewOptions, sources)
    return createProvider(view, own === undefined ? dialect : DIALECTS[own], services, reports)
  }

  let standard: Provider | undefined
  let preconf: Provider | undefined
  let closed: Promise<void> | undefined
  const close = async (): Promise<void> => {
    closing.close()
    await core.close()
    events.clear()
  }
  const setFaults = (faults?: FaultPreset | FaultSettings) => core.faults.set(resolveFaults(faults))
  const chain: AnyChain<Clock> & ManualTime = {
    ...toAsyncDisposal(() => chain.close()),
    // Connected at the first read, so that a listener added right after it receives `connect`.
    get standard() {
      standard ??= connect('standard')
      return standard
    },
    get preconf() {
      preconf ??= connect('preconf')
      return preconf
    },
    provider: connect,
    accounts: core.accounts,
    clock: options.clock,
    get missedTicks() {
      return sequencer.missedTicks
    },
    async advance(ms) {
      const { clock } = options
      if (closed !== undefined) throw new DisconnectedError()
      if (!isManual(clock)) throw new ClockNotManualError()
      await clock.advance(ms)
    },
    start: () => sequencer.start(),
    stop: () => sequencer.stop(),
    async tick() {
      return toPreconfBlock(await holdBack(sequencer.tick()), dialect)
    },
    async seal() {
      return toSealedBlock((await holdBack(sequencer.seal())).block, dialect)
    },
    async importBlocks(bytes) {
      check(bytes instanceof Uint8Array, 'bytes', 'a Uint8Array')
      return toSealedBlock((await holdBack(core.importBlocks(bytes))).block, dialect)
    },
    snapshot: () => holdBack(core.snapshots.take()),
    async revert(id) {
      if (!(await holdBack(core.revert(id, true)))) throw new UnknownSnapshotError(id)
    },
    async reorg(request) {
      const { depth, replace } = resolveReorg(request)
      await holdBack(core.reorg(depth, replace))
      return toSealedBlock(sequencer.tip.head.block, dialect)
    },
    async retract(request) {
      const what = resolveRetract(request)
      await holdBack(
        typeof what === 'number' ? retractSnapshots(core, what) : retractTransactions(core, what),
      )
    },
    faults: {
      get current() {
        return core.faults.current
      },
      set: setFaults,
      clear: () => setFaults(),
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
  return chain
}
