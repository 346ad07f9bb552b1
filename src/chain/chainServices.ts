/** Builds the services of methods and the sources of views from a chain's parts. Owns nothing. */

import type { ResolvedOptions } from '../config/options.ts'
import { nextBaseFee } from '../payload/attributes.ts'
import type { Closing, RpcServices } from '../rpc/services.ts'
import { Feed } from '../rpc/subscriptions/feed.ts'
import { StateUnavailableError } from '../state/errors.ts'
import { updateStateTrie } from '../state/stateTrie.ts'
import { Reexecutions } from '../trace/reexecution.ts'
import type { ViewSources } from '../view/sources.ts'
import type { Core } from './core.ts'
import type { ConsoleOutput } from './forwardEvents.ts'

/** The parts of a chain that methods may use. */
export function toServices(
  options: ResolvedOptions,
  core: Core,
  output: ConsoleOutput,
  closed: Closing,
): RpcServices {
  const { config, mempool, sequencer, transactions } = core
  return {
    read: {
      get chainId() {
        return sequencer.tip.preconf.attributes.chainId
      },
      clientVersion: options.clientVersion,
      coinbase: options.coinbase,
      gasPrice: options.gasPrice,
      limits: options.limits,
      clock: options.clock,
      crypto: config.crypto,
      executor: config.executor,
      config,
      reexecutions: new Reexecutions(config.executor, options.clock),
      mempool,
      events: sequencer.events,
      feed: new Feed(),
      onTransaction(listener) {
        transactions.on('added', listener)
        return () => transactions.off('added', listener)
      },
      hold: () => sequencer.hold(),
      closed,
    },
    send: {
      signers: core.signers,
      batches: core.batches,
      maxPerSender: options.mempool.maxPerSender,
      mining: core.mining,
      submitRaw: (raw) => core.submit(raw),
      submit: (transaction) => core.send(transaction),
      enter: (transactions) => core.enter(transactions),
      stored: (transaction) => core.stored(transaction),
    },
    control: {
      cheats: { ...core, clock: options.clock, attributes: options },
      ordering: options.mempool.ordering,
      snapshot: () => core.snapshots.take(),
      revert: (id, keep) => core.revert(id, keep),
      reorg: (depth, replace) => core.reorg(depth, replace),
      printConsole: (on) => output.print(on),
    },
  }
}

/** The parts of a chain that views read. */
export function toSources(options: ResolvedOptions, core: Core): ViewSources {
  const { limits, finality } = options
  const { config, world, ledger, mempool, sequencer } = core
  return {
    ...(core.fork && { fork: core.fork }),
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
  }
}
