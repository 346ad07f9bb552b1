/**
 * `createChain`: builds the object that users hold (`handle.ts`) from a chain's parts.
 *
 * Owns: the chain's events, and whether it is closed.
 */

import type { Clock } from '../base/clock.ts'
import { toAsyncDisposal } from '../base/disposal.ts'
import { Emitter, throwLater } from '../base/emitter.ts'
import type { ChainEvents } from '../base/eventTypes.ts'
import { type FaultPreset, type FaultSettings, resolveFaults } from '../base/options/faultSettings.ts'
import { check } from '../base/options/option.ts'
import { isManual } from '../base/options/optionSchemas.ts'
import { type ChainOptions, type ResolvedOptions, resolveOptions } from '../base/options/options.ts'
import { type ProviderOptions, resolveProviderOptions } from '../base/options/providerOptions.ts'
import { resolveImportOptions, resolveReorg, resolveRetract } from '../base/options/requests.ts'
import type { ViewKind } from '../base/types.ts'
import { holdBack } from '../base/waiting.ts'
import { type ChainParts, type Core, openCore } from '../core/open/core.ts'
import { ClockNotManualError, UnknownSnapshotError } from '../core/open/errors.ts'
import type { OpenedFork } from '../core/open/fork/openFork.ts'
import { createResets, type Resets } from '../core/open/resets.ts'
import { DisconnectedError } from '../core/sequencer/errors.ts'
import { retractSnapshots, retractTransactions } from '../core/sequencer/reorg.ts'
import { FaultyView, View } from '../core/view/view.ts'
import { DIALECTS } from '../rpc/dialect.ts'
import { toPreconfBlock, toSealedBlock } from '../rpc/format/format.ts'
import { createProvider } from '../rpc/provider.ts'
import { createClosing } from '../rpc/services.ts'
import { createChainCheats } from './chainCheats.ts'
import { ofBase, toServices, toSources } from './chainServices.ts'
import { callCheat, forwardCheats } from './cheatMethods.ts'
import { type ConsoleOutput, forwardConsole, forwardEvents } from './forwardEvents.ts'
import type { AnyChain, ManualTime, PresealChain } from './handle.ts'
import { addViews, type WithoutViews } from './views.ts'

/** {@link createChain} with a given clock, whose type `chain.clock` keeps: `await chain.clock.advance(200)`. */
export function createChain<ChainClock extends Clock>(
  options: ChainOptions & { readonly clock: ChainClock },
): Promise<PresealChain<ChainClock>>
/**
 * Starts a chain.
 *
 * @throws InvalidOptionError if an option is invalid
 * @throws GenesisMismatchError if the database holds a chain with another genesis block
 * @throws DatabaseVersionError if a newer version has written the database, DatabaseCorruptError if it is damaged
 * @throws ImportError if one of `blocks` is invalid
 * @example
 * const chain = await createChain()
 * const client = createPublicClient({ transport: custom(chain.live) })
 */
export function createChain(options?: ChainOptions): Promise<PresealChain>
export function createChain(options?: ChainOptions): Promise<PresealChain> {
  return assembleChain(options)
}

/** @internal {@link createChain}, with some parts passed in. */
export async function assembleChain(options?: ChainOptions, parts: ChainParts = {}): Promise<PresealChain> {
  const exported = options?.settings && (await import('../core/open/readExport.ts')).readExport(options)
  const asked = resolveOptions(exported?.options ?? options)
  const fork = await forkChain(asked, options, parts.nodeClock)
  const resolved = fork?.options ?? asked
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
  const { lowestFeeCap } = DIALECTS[resolved.dialect]
  const own = { ...parts, fork, beginning: exported?.beginning, lowestFeeCap }
  core = await openCore(resolved, own, reportError).catch(async (error) => {
    // The first error is the reason.
    await fork?.close().catch(() => {})
    throw error
  })
  if (exported?.impersonation) core.signers.resume(exported.impersonation)
  parts.inspect?.(core)
  forwardEvents(core, DIALECTS[resolved.dialect], events)
  output = forwardConsole(core, resolved.console, events, parts.print)
  const from = {
    core,
    options: asked,
    given: { ...options },
    parts,
    started: fork === undefined ? core.base.genesis.block.timestamp : undefined,
    onError: reportError,
  }
  const chain = createHandle(resolved, core, output, createResets(from), events, reportError)
  core.mining.begin()
  void core.announce?.()
  return chain
}

/** Loaded on first use, since most chains are no forks. */
async function forkChain(
  { fork, ...others }: ResolvedOptions,
  given: ChainOptions = {},
  nodeClock?: Clock,
): Promise<OpenedFork | undefined> {
  if (fork === undefined) return undefined
  const { openFork } = await import('../core/open/fork/openFork.ts')
  const opening = openFork({ ...others, fork }, given, { clock: nodeClock })
  // While the node is asked, since requests will need it.
  import('../rpc/fork/forwarding.ts').catch(() => {})
  return opening
}

function createHandle(
  options: ResolvedOptions,
  core: Core,
  output: ConsoleOutput,
  resets: Resets,
  events: Emitter<ChainEvents>,
  reportError: (error: Error) => void,
): PresealChain {
  const { sequencer, order } = core
  const closing = createClosing()
  const services = toServices(core, output, resets, closing)
  const sources = ofBase(core, (base) => toSources(base, core))
  const reports = {
    onListenerError: reportError,
    // The caller receives this error, so, unlike a failed tick's, it is not thrown if there is no listener.
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

  let closed: Promise<void> | undefined
  const close = async (): Promise<void> => {
    closing.close()
    await resets.close()
    await core.close()
    events.clear()
  }
  const setFaults = (faults?: FaultPreset | FaultSettings) => core.faults.set(resolveFaults(faults))
  const head = () => toSealedBlock(sequencer.tip.head.block, dialect)
  const cheats = createChainCheats(services, head)
  const rest: WithoutViews<AnyChain<Clock>> & ManualTime = {
    provider: connect,
    accounts: core.accounts,
    get chainId() {
      return Number(services.read.chainId)
    },
    get blockTime() {
      return sequencer.blockTime
    },
    get preconfInterval() {
      return Math.min(options.preconfInterval, sequencer.blockTime)
    },
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
      return toPreconfBlock(await holdBack(order.run(() => sequencer.tick())), dialect)
    },
    async seal() {
      return toSealedBlock((await holdBack(order.run(() => sequencer.seal()))).block, dialect)
    },
    async importBlocks(bytes, importOptions) {
      check(bytes instanceof Uint8Array, 'bytes', 'a Uint8Array')
      const resolved = resolveImportOptions(importOptions)
      const imported = order.run(() => core.importBlocks(bytes, resolved))
      return toSealedBlock((await holdBack(imported)).block, dialect)
    },
    async export() {
      const { exportChain } = await import('../core/open/exportChain.ts')
      return holdBack(exportChain(core))
    },
    async explain(target, explainOptions) {
      if (closed !== undefined) throw new DisconnectedError()
      const { explain } = await import('./explain.ts')
      const view = new View('preconf', resolveProviderOptions('preconf', {}), sources)
      const context = { viewed: view.capture(), read: services.read, dialect, closed: closing }
      return holdBack(explain(context, target, explainOptions))
    },
    snapshot: () => holdBack(order.run(() => core.snapshots.take())),
    async revert(id) {
      if (!(await holdBack(order.run(() => core.revert(id, true))))) throw new UnknownSnapshotError(id)
    },
    async reorg(request) {
      const { depth, replace } = resolveReorg(request)
      await holdBack(order.run(() => core.reorg(depth, replace)))
      return head()
    },
    async retract(request) {
      const target = resolveRetract(request)
      await holdBack(
        order.run(() =>
          typeof target === 'number' ? retractSnapshots(core, target) : retractTransactions(core, target),
        ),
      )
    },
    async reopenDatabase() {
      if (closed !== undefined) throw new DisconnectedError()
      await holdBack(core.reopenDatabase())
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
    // Last, since members that follow a spread are added one by one.
    ...toAsyncDisposal(() => chain.close()),
    ...forwardCheats((name, args) => {
      if (closed !== undefined) return Promise.reject(new DisconnectedError())
      return holdBack(order.run(() => callCheat(cheats, name, args)))
    }),
  }
  const chain = addViews(rest, connect)
  sequencer.events.on('blockTimeChanged', (blockTime) =>
    events.emit('schedule', { blockTime, preconfInterval: chain.preconfInterval }),
  )
  return chain
}
