/** Services of a chain for requests. The module loads no code of a chain, since servers import it too. */

import type { Clock } from '../base/clock.ts'
import type { Crypto } from '../base/crypto/crypto.ts'
import type { Address, Hex, ViewKind } from '../base/types.ts'
import type { Signers } from '../core/accounts/signers.ts'
import type { CheatParts } from '../core/cheats/blocks.ts'
import type { PoolStore } from '../core/ledger/poolStore.ts'
import type { Mempool } from '../core/mempool/mempool.ts'
import type { Arrivals } from '../core/open/arrivals.ts'
import type { Core } from '../core/open/core.ts'
import type { Resets } from '../core/open/resets.ts'
import type { ResolvedOptions } from '../core/options.ts'
import type { Idle } from '../core/sequencer/idle.ts'
import type { Mining } from '../core/sequencer/mining.ts'
import type { Order } from '../core/sequencer/order.ts'
import type { Sequencer } from '../core/sequencer/sequencer.ts'
import type { Hooks } from '../ethereum/evm/executor.ts'
import type { Transaction } from '../ethereum/transaction.ts'
import type { Feed } from './subscriptions/feed.ts'
import type { Batches } from './wallet/batches.ts'

/** Adds a stack trace to an error, by executing again with hooks, and returns the error. */
export type TraceFailure = <E extends Error>(
  error: E,
  execute: (hooks: Hooks) => Promise<unknown>,
) => Promise<E>

/** Filters that wait for a connection. */
interface EarlierFilters {
  /** Removes a filter and returns it, with the real time of its last poll; undefined if there is none with this id. */
  take(id: Hex): { readonly state: object; readonly polledAt: number } | undefined
}

/** Reads the chain and listens to its events. */
export interface ReadServices {
  /** The chain id of new blocks. */
  readonly chainId: bigint
  /** The option `clientVersion`. If undefined, the dialect's version applies. */
  readonly clientVersion: string | undefined
  /** The fee recipient of new blocks, unless a cheat sets one. */
  readonly coinbase: Address
  /** The option `gasPrice` in wei per gas, for transactions without a fee field. If undefined, fees are suggested. */
  readonly gasPrice: bigint | undefined
  readonly limits: ResolvedOptions['limits']
  readonly history: ResolvedOptions['history']
  readonly clock: Clock
  readonly crypto: Crypto
  /** Adds a Solidity stack trace to an error; undefined without the option `stackTraces`. */
  readonly traceFailure: TraceFailure | undefined
  readonly mempool: Pick<Mempool, 'get' | 'at' | 'stageOf' | 'drops' | 'content' | 'status'>
  readonly events: Sequencer['events']
  readonly feed: Feed
  /** Undefined unless the chain has a database. Without one, each connection numbers its ids from 1. */
  readonly journal: PoolStore | undefined
  /** Returns the filters of earlier runs on a view, which connections take over. */
  earlierFilters(view: ViewKind): EarlierFilters | undefined
  /** Listens to transactions that enter the mempool, until the returned function is called. */
  onTransaction(listener: (transaction: Transaction) => void): () => void
  /** Keeps the process alive while the timer runs, until the returned function is called. */
  hold(): () => void
  readonly closed: Closing
}

/** Sends transactions and signs for accounts. */
export interface SendServices
  extends Pick<Arrivals, 'sendRaw' | 'send' | 'sendTogether' | 'decode' | 'stored'> {
  /** Accounts that can send without a signature. */
  readonly signers: Signers
  readonly batches: Batches
  /** Maximum number of waiting transactions per account. */
  readonly maxPerSender: number
  readonly mining: Pick<Mining, 'prepare' | 'sealEntered' | 'automine'>
}

/** Changes the chain without transactions. */
export interface ControlServices {
  readonly cheats: CheatParts & Pick<Core, 'reorg' | 'revert'>
  readonly resets: Pick<Resets, 'reset' | 'setForkUrl' | 'loadChain'>
  readonly ordering: ResolvedOptions['mempool']['ordering']
  printConsole(on: boolean): void
}

/** The parts of a chain that its methods use, the same for all requests. */
export interface RpcServices {
  readonly read: ReadServices
  readonly send: SendServices
  readonly control: ControlServices
  readonly order: Order
  /** Undefined for a chain that never sleeps. */
  readonly idle: Pick<Idle, 'use'> | undefined
}

/**
 * Tells when a chain, a connection or a client closes. `onClose` calls `fn` at this moment, or immediately if it has
 * passed, and returns a function that removes `fn`.
 */
export interface Closing {
  readonly isClosed: boolean
  onClose(fn: () => void): () => void
}

/** Creates a {@link Closing}. Its `close` calls each listener once, in the order in which they were added. */
export function createClosing(): Closing & { close(): void } {
  const listeners = new Set<() => void>()
  let isClosed = false
  return {
    get isClosed() {
      return isClosed
    },
    onClose(fn) {
      if (isClosed) fn()
      else listeners.add(fn)
      return () => listeners.delete(fn)
    },
    close() {
      isClosed = true
      for (const listener of [...listeners]) listener()
      listeners.clear()
    },
  }
}

// In the global registry of symbols, because a server has its own copy of this module.
const CLIENT = Symbol.for('preseal.client')

const REPORT = Symbol.for('preseal.report')

/** Attaches to a provider what happens to errors of a server's functions; see {@link reportTo}. */
export function setReport(provider: object, report: (thrown: unknown) => void): void {
  Object.defineProperty(provider, REPORT, { value: report })
}

/**
 * Emits what a function of a server's host has thrown as event `error` of the provider's chain. Has no effect for a
 * foreign provider. Never throws, since clients could cause the error.
 */
export function reportTo(provider: object, thrown: unknown): void {
  const { [REPORT]: report } = provider as { readonly [REPORT]?: (thrown: unknown) => void }
  report?.(thrown)
}

type Client = ReturnType<typeof createClosing>

/**
 * Returns the arguments of a request with the {@link Closing} of its client, which closes when the client leaves, at
 * the latest after the answer. The property is not enumerable, so that foreign providers see plain arguments.
 */
export function withClient<Args extends object>(args: Args, client: Client): Args {
  return Object.defineProperty({ ...args }, CLIENT, { value: client })
}

/** Returns the {@link Closing} of a request's client, and closes it with the connection. Default: the connection's. */
export function closingOf(args: unknown, connection: Closing): Closing {
  const { [CLIENT]: client } = args as { readonly [CLIENT]?: Client }
  if (client === undefined) return connection
  client.onClose(connection.onClose(client.close))
  return client
}

/**
 * Returns whether a request removes a filter or ends a subscription. Such a request succeeds even after the connection
 * has ended: clients that shut down neither await it nor handle its failure.
 */
export function givesUp(args: unknown): boolean {
  const { method } = Object(args) as { readonly method?: unknown }
  return method === 'eth_uninstallFilter' || method === 'eth_unsubscribe'
}
