/** Builds the services of methods and the sources of views from a chain's parts. Owns nothing. */

import { nextBaseFee } from '../core/block/attributes.ts'
import type { Core } from '../core/open/core.ts'
import type { OpenedTip } from '../core/open/openTip.ts'
import type { Resets } from '../core/open/resets.ts'
import { Reexecutions } from '../core/trace/reexecution.ts'
import type { ViewSources } from '../core/view/sources.ts'
import { StateUnavailableError } from '../ethereum/state/errors.ts'
import { updateStateTrie } from '../ethereum/state/stateTrie.ts'
import { createPause } from '../rpc/pause.ts'
import type { Closing, ReadServices, RpcServices } from '../rpc/services.ts'
import { Feed } from '../rpc/subscriptions/feed.ts'
import { createTraceFailure } from '../rpc/traceFailure.ts'
import { Batches } from '../rpc/wallet/batches.ts'
import type { ConsoleOutput } from './forwardEvents.ts'

/** The parts of a chain that methods may use. */
export function toServices(core: Core, output: ConsoleOutput, resets: Resets, closed: Closing): RpcServices {
  const { sequencer, mempool, mining, snapshots } = core
  const { sendRaw, send, sendTogether, decode, stored } = core.arrivals
  const { clock, mempool: limits } = core.base.options
  const feed = new Feed()
  const batches = new Batches(core.config.crypto)
  snapshots.include(batches)
  const read = ofBase(core, (base) => toRead(base, core, feed, closed))
  return {
    get read() {
      return read()
    },
    send: {
      signers: core.signers,
      batches,
      maxPerSender: limits.maxPerSender,
      mining,
      sendRaw,
      send,
      sendTogether,
      decode,
      stored,
    },
    order: core.order,
    control: {
      cheats: {
        sequencer,
        mempool,
        mining,
        snapshots,
        clock,
        get attributes() {
          return core.base.options
        },
        get config() {
          return core.config
        },
        get ledger() {
          return core.ledger
        },
        get world() {
          return core.world
        },
        get genesisAccounts() {
          return core.base.genesisAccounts
        },
      },
      ordering: limits.ordering,
      snapshot: () => snapshots.take(),
      revert: (id, keep) => core.revert(id, keep),
      reset: (forking, turn) => resets.reset(forking, turn),
      setForkUrl: (url) => resets.setForkUrl(url),
      loadChain: (file) => resets.loadChain(file),
      reorg: (depth, replace) => core.reorg(depth, replace),
      printConsole: (on) => output.print(on),
    },
  }
}

/** `make` for what a chain is built on now, made again once that was replaced. */
export function ofBase<T>(core: Core, make: (base: OpenedTip) => T): () => T {
  let { base } = core
  let made = make(base)
  return () => {
    if (base !== core.base) {
      base = core.base
      made = make(base)
    }
    return made
  }
}

function toRead({ options, config }: OpenedTip, core: Core, feed: Feed, closed: Closing): ReadServices {
  const { mempool, sequencer, transactions } = core
  return {
    get chainId() {
      return sequencer.tip.preconf.attributes.chainId
    },
    clientVersion: options.clientVersion,
    coinbase: options.coinbase,
    gasPrice: options.gasPrice,
    limits: options.limits,
    history: options.history,
    clock: options.clock,
    crypto: config.crypto,
    executor: config.executor,
    config,
    traceFailure: options.stackTraces
      ? createTraceFailure(options.stackTraces, config.crypto, closed)
      : undefined,
    reexecutions: new Reexecutions(config.executor, createPause({ read: options, closed })),
    mempool,
    events: sequencer.events,
    feed,
    onTransaction(listener) {
      transactions.on('added', listener)
      return () => transactions.off('added', listener)
    },
    hold: () => sequencer.hold(),
    closed,
  }
}

/** The parts of a chain that views read. */
export function toSources(
  { options, config, world, ledger, fork }: OpenedTip,
  { mempool, sequencer }: Core,
): ViewSources {
  const { limits, finality } = options
  return {
    tip: () => sequencer.tip,
    candidateAttributes: (head) => sequencer.nextAttributes(head),
    sealed: (hash, number) => ledger.get(hash, number),
    pruned: (hash) => ledger.getPruned(hash),
    sealedTransaction: (hash) => ledger.findTransaction(hash),
    storedTransaction: (hash) => ledger.findStored(hash),
    firstInMemory: () => ledger.first,
    storedNonceRises: (address, nonce) => ledger.storedNonceRises(address, nonce),
    nonceRises: (address, nonce) => world.nonceRises(address, nonce),
    contiguousNonce(address, from) {
      // The mempool is current, but the view's tip may be older, so the search starts at the current nonce.
      const used = sequencer.tip.preconf.state.account(address)?.nonce ?? 0n
      return mempool.contiguousNonce(address, used > from ? used : from)
    },
    nextBaseFee(block) {
      const { number, timestamp, header } = block
      const { fork } = config.rules.at(number + 1n, timestamp + 1n, header.difficulty)
      const { head, settings } = sequencer.tip
      const set = block.hash === head.block.hash ? settings.nextBaseFee : undefined
      return fork.london ? (set ?? nextBaseFee(options, block)) : 0n
    },
    rebuildStateTrie: (state) =>
      updateStateTrie(config.baseTrie ?? null, world.everythingAt(state), config.crypto),
    queryLogs(query, from, to, hashAt, pause, limit = limits.logResults) {
      // Pruned logs are an error, not an empty result; a revert to an older head does not restore them.
      if (ledger.get(hashAt(from) ?? '0x', from) === undefined) throw new StateUnavailableError()
      const canonical = (at: number) => hashAt(BigInt(at))
      if (from < ledger.first) return ledger.queryStoredLogs(query, from, to, canonical, limit, pause)
      return ledger.logs.query(query, from, to, canonical, limit, pause)
    },
    rules: config.rules,
    finality,
    // Last, as a member that follows a spread takes longer to add and to read.
    ...(fork && { fork: fork.reads }),
  }
}
