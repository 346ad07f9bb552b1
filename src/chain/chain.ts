/**
 * `createChain`: the wire on top of a chain's parts, and the object users hold. Owns nothing.
 */

import { type FaultPreset, type FaultSettings, resolveFaults } from '../config/faultSettings.ts'
import { check } from '../config/option.ts'
import { type ChainOptions, type ResolvedOptions, resolveOptions } from '../config/options.ts'
import { type ProviderOptions, resolveProviderOptions } from '../config/providerOptions.ts'
import { type ReorgRequest, type RetractRequest, resolveReorg, resolveRetract } from '../config/requests.ts'
import type { Clock } from '../primitives/clock.ts'
import { type AsyncDisposal, toAsyncDisposal } from '../primitives/disposal.ts'
import { Emitter, throwLater } from '../primitives/emitter.ts'
import type { ChainEvents, PreconfBlock, SealedBlock } from '../primitives/eventTypes.ts'
import type { DevAccounts, Hex, ViewKind } from '../primitives/types.ts'
import { holdBack } from '../primitives/yielder.ts'
import { DIALECTS } from '../rpc/dialect.ts'
import { toPreconfBlock, toSealedBlock } from '../rpc/format/format.ts'
import { createProvider, type Provider } from '../rpc/provider.ts'
import { createClosing } from '../rpc/services.ts'
import { retractSnapshots, retractTransactions } from '../sequencer/reorg.ts'
import { FaultyView } from '../view/faultyView.ts'
import { View } from '../view/view.ts'
import { toServices, toSources } from './chainServices.ts'
import { type ChainParts, type Core, openCore } from './core.ts'
import { UnknownSnapshotError } from './errors.ts'
import { type ConsoleOutput, forwardConsole, forwardEvents } from './forwardEvents.ts'

/** What goes wrong on purpose. */
export interface ChainFaults {
  /** The faults that are on, frozen; a preset in detail. */
  readonly current: FaultSettings
  /**
   * Has these faults, and no others, from now on; what happens every nth time is counted from here. A snapshot of the
   * chain covers them: `revert` puts back those there were when it was taken.
   *
   * @throws InvalidOptionError for a fault there is not, or one that cannot be so; nothing has changed then.
   */
  set(faults: FaultPreset | FaultSettings): void
  /** Has none. */
  clear(): void
}

/** An EVM chain inside this process, under a clock of the type it was given. */
export interface Chain<ChainClock extends Clock = Clock> extends AsyncDisposal {
  /** Answers from sealed blocks. */
  readonly standard: Provider
  /** Answers `pending` from the block under construction. */
  readonly preconf: Provider
  /** A further connection, with subscriptions and filters of its own. @throws InvalidOptionError */
  provider(view: ViewKind, options?: ProviderOptions): Provider
  /**
   * The prefunded accounts. The first is taken for granted: there is none only if the options say so, by `accounts` or
   * by a `genesis` without `accounts`.
   */
  readonly accounts: DevAccounts
  /** The clock the chain was given; the system's if there was none. */
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
   * Imports external blocks: their RLP, one after the other, the first on top of the sealed head. Each
   * is executed and validated in full, but for the seal of proof of work, and becomes the head in its turn, with the
   * events of one that was sealed. Blocks the chain has already are passed over.
   *
   * What was pre-confirmed before is withdrawn: the next block is started again, without transactions, and those that an
   * imported block does not include wait again for the next tick, or are `dropped` if they can no longer be
   * included.
   *
   * @returns the newest sealed block.
   * @throws ImportError for the first invalid block, of which nothing stays; the blocks before it do.
   * @throws InvalidOptionError if `bytes` is no Uint8Array, RpcError 4900 after `close`.
   */
  importBlocks(bytes: Uint8Array): Promise<SealedBlock>
  /**
   * Takes a snapshot to return to: of the state, the blocks, what is pre-confirmed and what waits, the chain's time and
   * everything that was asked of the blocks to come. Nothing of the state is copied.
   *
   * @returns an id for {@link Chain.revert}.
   * @throws RpcError 4900 after `close`.
   */
  snapshot(): Promise<Hex>
  /**
   * Returns to a snapshot, which can be returned to again; those taken after it are gone. What was sealed and
   * pre-confirmed since is withdrawn: a `retracted` event, `removed: true` logs, and a new head. The chain's time is
   * what it was then.
   *
   * @throws RpcError -32000 `unknown snapshot ID`; -32000 `state not available` if its block is older
   *   than `history.blocks`, or was withdrawn by something else; 4900 after `close`.
   */
  revert(id: Hex): Promise<void>
  /**
   * Replaces the last sealed blocks by as many others: what apps must survive where a chain reorganises. Each new block
   * has just the transactions given for it, less those that can't be included there; what the old blocks and the block
   * under construction included waits again. A `retracted` event tells of them, then `block` events of the new ones.
   *
   * @returns the newest sealed block.
   * @throws InvalidOptionError for a request of another form; RpcError -32602 for a depth that reaches beyond genesis,
   *   and codes of their own for transactions that cannot be decoded; nothing has changed then. 4900 after `close`.
   */
  reorg(request: ReorgRequest): Promise<SealedBlock>
  /**
   * Breaks promises before they are sealed: withdraws pre-confirmed transactions, each with what cannot be included
   * without it, or the last snapshots of the block under construction. What is withdrawn waits again, and is included
   * by the next tick unless it is dropped; a `retracted` event tells of it.
   *
   * @throws InvalidOptionError for a request of another form; RpcError -32000 where a transaction is not pre-confirmed,
   *   -32602 for more snapshots than there are after the first; nothing has changed then. 4900 after `close`.
   */
  retract(request: RetractRequest): Promise<void>
  /** Promises broken, and views gone wrong, as nodes have done it: what apps must survive. */
  readonly faults: ChainFaults
  /** Calls `listener` at every `event`; while there is one, the chain keeps the process alive. */
  on<Event extends keyof ChainEvents>(event: Event, listener: ChainEvents[Event]): this
  /** Calls `listener` at the next `event` only. */
  once<Event extends keyof ChainEvents>(event: Event, listener: ChainEvents[Event]): this
  /** Takes a listener off. */
  off<Event extends keyof ChainEvents>(event: Event, listener: ChainEvents[Event]): this
  /**
   * Ends everything: no timer and no handle is left, and every request ends with 4900. A `database` that the chain was
   * given has all it is to hold when this resolves, and stays open.
   */
  close(): Promise<void>
}

/** {@link createChain} under a clock of the caller's, whose type `chain.clock` has: `await chain.clock.advance(200)`. */
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

/** @internal {@link createChain}, with parts of the caller's. */
export async function assembleChain(options?: ChainOptions, parts: ChainParts = {}): Promise<Chain> {
  const resolved = resolveOptions(options)
  let core: Core | undefined
  let release: (() => void) | undefined
  let output: ConsoleOutput | undefined
  const events = new Emitter<ChainEvents>(
    // What listens to errors and fails itself would be told of that for ever.
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
    // There is no listener.
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
    // The caller got the error: unlike that of a failed tick it needs no further listener.
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
  const chain: Chain = {
    ...toAsyncDisposal(() => chain.close()),
    // Connected when they are first read: a listener that is added at once hears of it.
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
