/**
 * `createChain`: builds the object that users hold (`handle.ts`) from the parts of a chain.
 *
 * Owns: the events of the chain, and whether it is closed.
 */

import { quantity } from '../base/bytes.ts'
import type { Clock } from '../base/clock.ts'
import type { Crypto } from '../base/crypto/crypto.ts'
import { toAsyncDisposal } from '../base/disposal.ts'
import { Emitter, throwLater } from '../base/emitter.ts'
import type { ChainEvents, SealedBlock } from '../base/eventTypes.ts'
import { type FaultPreset, type FaultSettings, resolveFaults } from '../base/options/faultSettings.ts'
import { check } from '../base/options/option.ts'
import { isManual } from '../base/options/optionSchemas.ts'
import { type ProviderOptions, resolveProviderOptions } from '../base/options/providerOptions.ts'
import { resolveImportOptions, resolveReorg, resolveRetract } from '../base/options/requests.ts'
import { printableLines } from '../base/printable.ts'
import type { Schema } from '../base/schema.ts'
import type { ViewKind } from '../base/types.ts'
import { holdBack } from '../base/waiting.ts'
import type { CoreOptions } from '../core/block/attributes.ts'
import { dealERC20, patchAccount } from '../core/cheats/accounts.ts'
import { increaseTime, mine } from '../core/cheats/blocks.ts'
import { type ChainParts, type Core, openCore } from '../core/open/core.ts'
import { ClockNotManualError, NeverIdleError, UnknownSnapshotError } from '../core/open/errors.ts'
import type { OpenedFork } from '../core/open/fork/openFork.ts'
import { createResets, type Resets } from '../core/open/resets.ts'
import {
  type ChainOptions,
  type ResolvedOptions,
  resolveOptions,
  type StackTraceSource,
} from '../core/options.ts'
import { DisconnectedError } from '../core/sequencer/errors.ts'
import { retractPreconfBlocks, retractTransactions } from '../core/sequencer/reverts.ts'
import { ConsoleDecoder } from '../core/trace/consoleDecoder.ts'
import type { ViewOptions } from '../core/view/sources.ts'
import { View } from '../core/view/view.ts'
import type { ConsoleEntry } from '../ethereum/evm/hooks.ts'
import type { ClosingChain } from '../inspect/solidity/failures.ts'
import { DIALECTS, type DialectRules } from '../rpc/dialect.ts'
import { toPreconfBlock, toRetraction, toRpcTransaction, toSealedBlock } from '../rpc/format/format.ts'
import { amount, integer } from '../rpc/params/dev.ts'
import { address, data, parseParam, storageKey } from '../rpc/params/params.ts'
import { createProvider } from '../rpc/provider.ts'
import { type Closing, createClosing, type RpcServices, type TraceFailure } from '../rpc/services.ts'
import { Feed } from '../rpc/subscriptions/feed.ts'
import { Filters } from '../rpc/subscriptions/filters.ts'
import { Batches } from '../rpc/wallet/batches.ts'
import {
  type AnyChain,
  addViews,
  type ChainCheats,
  type ManualTime,
  type PresealChain,
  type WithoutViews,
} from './handle.ts'

/** Starts a chain with the option `clock`. `chain.clock` keeps its type, as in `await chain.clock.advance(200)`. */
export function createChain<ChainClock extends Clock>(
  options: ChainOptions & { readonly clock: ChainClock },
): Promise<PresealChain<ChainClock>>
/**
 * Starts a chain.
 *
 * @throws InvalidOptionError if an option is invalid
 * @throws DatabaseOpenError if the database cannot be opened, DatabaseInUseError if it is open elsewhere
 * @throws GenesisMismatchError if the database holds a chain with a different genesis block
 * @throws DatabaseVersionError if a newer version has written the database, DatabaseCorruptError if it is damaged
 * @throws ImportError if one of `blocks` is invalid
 * @throws ForkBlockNotFoundError, ForkedNodeUnansweredError, ForkCacheError and further errors of a fork
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
  const exported =
    options?.settings && (await import('../core/open/exportedChain.ts')).readExport(options, parts.spec)
  const asked: CoreOptions = { ...resolveOptions(exported?.options ?? options), spec: parts.spec }
  const fork = await forkChain(asked, options, parts.nodeClock)
  const resolved = fork?.options ?? asked
  let core: Core | undefined
  let release: (() => void) | undefined
  let output: ConsoleOutput | undefined
  const events = new Emitter<ChainEvents>(
    // Errors of `error` listeners are thrown: as `error` events, they would reach the same listeners forever.
    (error, event) => (event === 'error' ? throwLater(error) : reportError(error)),
    (listeners) => {
      output?.listen()
      if (listeners > 0) {
        release ??= core?.sequencer.timer.hold()
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
  const own = { ...parts, fork, given: options, beginning: exported?.beginning, lowestFeeCap }
  core = await openCore(resolved, own, reportError).catch(async (error) => {
    // Ignores errors of closing, which would hide why the chain did not open.
    await fork?.close().catch(() => {})
    throw error
  })
  parts.inspect?.(core)
  forwardEvents(core, DIALECTS[resolved.dialect], events)
  output = forwardConsole(core, resolved.console, events, parts.print)
  const { base } = core.sequencer.tip
  const from = {
    core,
    options: asked,
    given: { ...options },
    parts,
    started: fork === undefined ? base.first.block.timestamp : undefined,
    onError: reportError,
  }
  const opened = core
  const chain = await createHandle(
    base.options,
    opened,
    output,
    createResets(from),
    events,
    reportError,
  ).catch(async (error) => {
    await opened.close().catch(() => {})
    throw error
  })
  core.begin()
  return chain
}

/** Opens the fork that the options ask for. Loads the code of forks on demand, since most chains are not forks. */
async function forkChain(
  { fork, ...others }: CoreOptions,
  given: ChainOptions = {},
  nodeClock?: Clock,
): Promise<OpenedFork | undefined> {
  if (fork === undefined) return undefined
  const { openFork } = await import('../core/open/fork/openFork.ts')
  const opening = openFork({ ...others, fork }, given, { clock: nodeClock })
  // Loads code that requests will need, while the forked node answers.
  import('../rpc/fork/forwarding.ts').catch(() => {})
  return opening
}

async function createHandle(
  options: ResolvedOptions,
  core: Core,
  output: ConsoleOutput,
  resets: Resets,
  events: Emitter<ChainEvents>,
  reportError: (error: Error) => void,
): Promise<PresealChain> {
  const { sequencer, order, idle } = core
  const closing = createClosing()
  const earlierFilters = new Map<ViewKind, Filters>()
  const services = toServices(options, core, output, resets, closing, earlierFilters)
  const reports = {
    onListenerError: reportError,
    // Without a listener the error is not thrown, unlike the error of a failed tick: the request's caller receives it.
    onInternalError: (error: Error) => events.emit('error', error),
  }
  const dialect = DIALECTS[options.dialect]
  const viewOf = (kind: ViewKind, viewOptions: ViewOptions) =>
    new View(kind, viewOptions, core, kind === 'preconf' ? core.faults : undefined)
  const connect = (kind: ViewKind, providerOptions?: ProviderOptions) => {
    const { dialect: own, ...viewOptions } = resolveProviderOptions(kind, providerOptions)
    return createProvider(
      viewOf(kind, viewOptions),
      own === undefined ? dialect : DIALECTS[own],
      services,
      reports,
    )
  }
  if (core.journal !== undefined) {
    const stored = await core.journal.readFilters()
    for (const kind of ['standard', 'preconf'] as const) {
      const filters = new Filters(viewOf(kind, resolveProviderOptions(kind, {})), dialect, services.read)
      await filters.restore(stored, sequencer.tip)
      closing.onClose(() => filters.close())
      earlierFilters.set(kind, filters)
    }
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
  const use = <T>(request: () => Promise<T>): Promise<T> =>
    holdBack(idle === undefined ? request() : idle.use(request))
  const inTurn = <T>(change: () => Promise<T>): Promise<T> => use(() => order.run(change))
  const rest: WithoutViews<AnyChain<Clock>> & ManualTime = {
    provider: connect,
    accounts: core.accounts,
    get chainId() {
      return Number(services.read.chainId)
    },
    get blockTime() {
      return sequencer.timer.blockTime
    },
    get preconfInterval() {
      return Math.min(options.preconfInterval, sequencer.timer.blockTime)
    },
    clock: options.clock,
    get missedTicks() {
      return sequencer.timer.missedTicks
    },
    async advance(ms) {
      const { clock } = options
      if (closed !== undefined) throw new DisconnectedError()
      if (!isManual(clock)) throw new ClockNotManualError()
      await clock.advance(ms)
    },
    start() {
      sequencer.timer.start()
      void idle?.use(async () => {})
    },
    stop: () => sequencer.timer.stop(),
    tick: async () => toPreconfBlock(await inTurn(() => sequencer.tick()), dialect),
    seal: async () => toSealedBlock((await inTurn(() => sequencer.seal())).block, dialect),
    async importBlocks(bytes, importOptions) {
      check(bytes instanceof Uint8Array, 'bytes', 'a Uint8Array')
      const resolved = resolveImportOptions(importOptions)
      return toSealedBlock((await inTurn(() => core.importBlocks(bytes, resolved))).block, dialect)
    },
    async export() {
      const { exportChain } = await import('../core/open/exportedChain.ts')
      return use(() => exportChain(core))
    },
    async explain(target, explainOptions) {
      if (closed !== undefined) throw new DisconnectedError()
      const { explain } = await import('./explain.ts')
      const view = new View('preconf', resolveProviderOptions('preconf', {}), core)
      const parts = { read: services.read, dialect, closed: closing }
      return use(() => explain({ viewed: view.capture(), ...parts }, target, explainOptions))
    },
    snapshot: () => inTurn(() => core.snapshots.take()),
    async revert(id) {
      if (!(await inTurn(() => core.revert(id, true)))) throw new UnknownSnapshotError(id)
    },
    async reorg(request) {
      const { depth, replace } = resolveReorg(request)
      await inTurn(() => core.reorg(depth, replace))
      return head()
    },
    async retract(request) {
      const target = resolveRetract(request)
      await inTurn(() =>
        typeof target === 'number'
          ? retractPreconfBlocks(sequencer, target)
          : retractTransactions(sequencer, target),
      )
    },
    async reopenDatabase() {
      if (closed !== undefined) throw new DisconnectedError()
      await holdBack(core.reopenDatabase())
    },
    async sleep() {
      if (closed !== undefined) throw new DisconnectedError()
      if (idle === undefined) throw new NeverIdleError()
      await holdBack(idle.sleep())
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
    // Spreads come last, since JavaScript engines add each member after a spread one by one.
    ...toAsyncDisposal(() => chain.close()),
    ...runEach(createChainCheats(services, head), (change) =>
      closed === undefined ? inTurn(change) : Promise.reject(new DisconnectedError()),
    ),
  }
  const chain = addViews(rest, connect)
  sequencer.events.on('blockTimeChanged', (blockTime) =>
    events.emit('schedule', { blockTime, preconfInterval: chain.preconfInterval }),
  )
  return chain
}

// The services of methods.

function toServices(
  options: ResolvedOptions,
  core: Core,
  output: ConsoleOutput,
  resets: Resets,
  closed: Closing,
  earlierFilters: ReadonlyMap<ViewKind, Filters>,
): RpcServices {
  const { sequencer, mempool, mining, snapshots, transactions } = core
  const { clock, mempool: limits } = options
  const { crypto } = sequencer.tip.base.config
  const batches = new Batches(crypto)
  snapshots.include(batches)
  return {
    read: {
      get chainId() {
        return sequencer.tip.preconf.attributes.chainId
      },
      clientVersion: options.clientVersion,
      coinbase: options.coinbase,
      gasPrice: options.gasPrice,
      limits: options.limits,
      history: options.history,
      clock,
      crypto,
      traceFailure: options.stackTraces ? createTraceFailure(options.stackTraces, crypto, closed) : undefined,
      mempool,
      events: sequencer.events,
      feed: new Feed(),
      journal: core.journal,
      earlierFilters: (view) => earlierFilters.get(view),
      onTransaction: (listener) => transactions.listen('added', listener),
      hold: () => sequencer.timer.hold(),
      closed,
    },
    send: {
      signers: core.signers,
      batches,
      maxPerSender: limits.maxPerSender,
      mining,
      ...core.arrivals,
    },
    order: core.order,
    idle: core.idle,
    control: {
      cheats: core,
      resets,
      ordering: limits.ordering,
      printConsole: (on) => output.print(on),
    },
  }
}

/** Returns a function that adds stack traces to errors. It loads and reads nothing before the first failure. */
function createTraceFailure(source: StackTraceSource, crypto: Crypto, closed: ClosingChain): TraceFailure {
  let loaded: Promise<{ explain: TraceFailure }> | undefined
  return async (error, execute) => {
    loaded ??= import('../inspect/solidity/failures.ts').then(
      ({ Failures }) => new Failures(source, crypto, closed),
    )
    return (await loaded).explain(error, execute)
  }
}

/** Returns the same cheats, each called through `run`. */
function runEach(
  cheats: ChainCheats,
  run: (change: () => Promise<unknown>) => Promise<unknown>,
): ChainCheats {
  const all: [string, (...args: never[]) => Promise<unknown>][] = Object.entries(cheats)
  const inOrder = all.map(([name, cheat]) => [name, (...args: never[]) => run(() => cheat(...args))])
  return Object.fromEntries(inOrder) as ChainCheats
}

/** Returns the cheats that are methods of a chain. The schemas of the wire methods parse their arguments. */
function createChainCheats(
  { control: { cheats }, send: { signers } }: RpcServices,
  head: () => SealedBlock,
): ChainCheats {
  const readAddress = (value: unknown) => parseParam(value, 'address', address)
  return {
    async mine(blocks = 1) {
      await mine(cheats, { blocks: parseParam(blocks, 'blocks', integer) })
      return head()
    },
    async increaseTime(seconds) {
      await increaseTime(cheats, parseParam(seconds, 'seconds', integer))
    },
    async setBalance(of, wei) {
      const [account, balance] = [readAddress(of), readNumber(wei, 'wei', amount)]
      await patchAccount(cheats, account, () => ({ balance }))
    },
    async setCode(of, hex) {
      const [account, code] = [readAddress(of), parseParam(hex, 'code', data)]
      await patchAccount(cheats, account, () => ({ code }))
    },
    async setStorageAt(of, slot, value) {
      const account = readAddress(of)
      const entry = [readNumber(slot, 'slot', storageKey), readNumber(value, 'value', storageKey)] as const
      await patchAccount(cheats, account, () => ({ stateDiff: new Map([entry]) }))
    },
    async impersonateAccount(account) {
      await signers.impersonate(readAddress(account))
    },
    async stopImpersonatingAccount(account) {
      await signers.stopImpersonating(readAddress(account))
    },
    async deal(token, owner, units) {
      const contract = parseParam(token, 'token', address)
      await dealERC20(cheats, readAddress(owner), contract, readNumber(units, 'amount', amount))
    },
  }
}

/** Parses a bigint, or a number in a form that the wire accepts. */
function readNumber<T>(value: unknown, name: string, schema: Schema<T>): T {
  return parseParam(typeof value === 'bigint' ? quantity(value) : value, name, schema)
}

// The events of the chain object.

/** Forwards the events of the chain's parts to users, in the wire format. Formats values only for listeners. */
function forwardEvents(
  { transactions, sequencer }: Core,
  dialect: DialectRules,
  events: Emitter<ChainEvents>,
): void {
  transactions.on('added', (tx) => {
    if (events.count('transaction') > 0) events.emit('transaction', toRpcTransaction(tx))
  })
  sequencer.events.on('preconf', (payload) => {
    if (events.count('preconf') > 0) events.emit('preconf', toPreconfBlock(payload, dialect))
  })
  sequencer.events.on('block', ({ block }) => {
    if (events.count('block') > 0) events.emit('block', toSealedBlock(block, dialect))
  })
  sequencer.events.on('retracted', (retraction) => {
    if (events.count('retracted') > 0) events.emit('retracted', toRetraction(retraction))
  })
  sequencer.events.on('sleep', () => events.emit('sleep'))
  sequencer.events.on('wake', () => events.emit('wake'))
  sequencer.events.on('dropped', (hash, reason, message) =>
    events.emit('dropped', { hash, reason, ...(message !== undefined && { message }) }),
  )
}

type ConsoleOutput = ReturnType<typeof forwardConsole>

/** Emits the console output of contracts, and prints it while printing is on. */
function forwardConsole(
  { sequencer }: Core,
  printed: boolean,
  events: Emitter<ChainEvents>,
  print = printLine,
) {
  let prints = printed
  const decoder = new ConsoleDecoder(sequencer.tip.base.config.crypto)
  const forward = ({ transactionHash, calls }: ConsoleEntry): void => {
    for (const call of calls) {
      const log = { ...decoder.decode(call), address: call.address, transactionHash }
      if (prints) print(printableLines(log.message))
      events.emit('console', log)
    }
  }
  const output = {
    /** Starts or stops forwarding. Called when printing is turned on or off, and when listeners change. */
    listen(): void {
      // The sequencer collects console output only while this event has a listener.
      if (prints || events.count('console') > 0) sequencer.events.on('console', forward)
      else sequencer.events.off('console', forward)
    },
    print(on: boolean): void {
      prints = on
      output.listen()
    },
  }
  output.listen()
  return output
}

function printLine(line: string): void {
  // biome-ignore lint/suspicious/noConsole: the option prints to the console
  console.log(line)
}
