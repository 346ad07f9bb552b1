/** The capabilities of RPC methods, filters and subscriptions on one chain. A server imports this module without a chain. */

import type { Clock } from '../base/clock.ts'
import type { Crypto } from '../base/crypto/crypto.ts'
import type { Address, Hex } from '../base/types.ts'
import type { Signers } from '../core/accounts/signers.ts'
import type { CheatParts } from '../core/cheats/blocks.ts'
import type { ChainFile } from '../core/cheats/stateFile/fields.ts'
import type { Mempool } from '../core/mempool/mempool.ts'
import type { Arrivals } from '../core/open/arrivals.ts'
import type { Forking } from '../core/open/beginAgain.ts'
import type { ResolvedOptions } from '../core/options.ts'
import type { Mining } from '../core/sequencer/mining.ts'
import type { ChangeTurn, Order } from '../core/sequencer/order.ts'
import type { Sequencer } from '../core/sequencer/sequencer.ts'
import type { Hooks } from '../ethereum/evm/executor.ts'
import type { Transaction } from '../ethereum/transaction.ts'
import type { Feed } from './subscriptions/feed.ts'
import type { Batches } from './wallet/batches.ts'

/** Adds a trace to an error by executing again, and returns the error. */
export type TraceFailure = <E extends Error>(
  error: E,
  execute: (hooks: Hooks) => Promise<unknown>,
) => Promise<E>

/** Reading the chain, and listening to its events. */
export interface ReadServices {
  /** The chain id of new blocks. */
  readonly chainId: bigint
  /** The option `clientVersion`; if undefined, the dialect's. */
  readonly clientVersion: string | undefined
  /** The fee recipient of new blocks, unless a cheat has set another. */
  readonly coinbase: Address
  /** The option `gasPrice` in wei per gas, for transactions without a fee field; if undefined, one is suggested. */
  readonly gasPrice: bigint | undefined
  readonly limits: ResolvedOptions['limits']
  readonly history: ResolvedOptions['history']
  readonly clock: Clock
  readonly crypto: Crypto
  /** Adds a Solidity stack trace to an error; undefined without the option `stackTraces`. */
  readonly traceFailure: TraceFailure | undefined
  readonly mempool: Pick<Mempool, 'get' | 'at' | 'stageOf' | 'drops' | 'content' | 'status'>
  readonly events: Sequencer['events']
  /** The messages of subscriptions, by event. */
  readonly feed: Feed
  /** Listens to transactions that enter the mempool, until the returned function is called. */
  onTransaction(listener: (transaction: Transaction) => void): () => void
  /** Keeps the process alive until the returned function is called. */
  hold(): () => void
  /** Closes with the chain. */
  readonly closed: Closing
}

/** Sending transactions, and signing for accounts. */
export interface SendServices
  extends Pick<Arrivals, 'sendRaw' | 'send' | 'sendTogether' | 'decode' | 'stored'> {
  /** The accounts that can send without a signature. */
  readonly signers: Signers
  /** The sent batches of calls. */
  readonly batches: Batches
  /** The most transactions that an account may have waiting. */
  readonly maxPerSender: number
  /** Sealing after sends. */
  readonly mining: Pick<Mining, 'prepare' | 'sealEntered' | 'automine'>
}

/** Changing the chain by means other than transactions. */
export interface ControlServices {
  /** The dependencies of cheats. */
  readonly cheats: CheatParts
  /** The order in which transactions are included. */
  readonly ordering: ResolvedOptions['mempool']['ordering']
  /** Takes a snapshot of the chain. */
  snapshot(): Promise<Hex>
  /** Reverts to a snapshot; see `Snapshots.revert`. */
  revert(id: Hex, keep: boolean): Promise<boolean>
  /**
   * Begins the chain again: on the block that `forking` names, or without it on a genesis block of its own. If `forking` names
   * neither a node nor a block, the chain goes back to its first block, that of a fork or genesis.
   *
   * @param turn - is waited for once the other block is read, and nothing waits for the node before any longer.
   * @throws PresealRpcError if that cannot be done; nothing has changed then.
   */
  reset(forking: Forking | undefined, turn: ChangeTurn): Promise<void>
  /** Reads the fork from another node from now on. @throws PresealRpcError if that cannot be done; nothing has changed then. */
  setForkUrl(url: string): Promise<void>
  /**
   * Begins the chain again on the blocks of a state file.
   *
   * @throws PresealRpcError if that cannot be done; nothing has changed then.
   */
  loadChain(file: ChainFile): Promise<void>
  /** Replaces the last sealed blocks; see `reorg`. */
  reorg(depth: number, replace: readonly (readonly Uint8Array[])[]): Promise<void>
  /** Turns the printing of contracts' console output on or off. */
  printConsole(on: boolean): void
}

/** The capabilities of RPC methods on one chain. */
export interface RpcServices {
  readonly read: ReadServices
  readonly send: SendServices
  readonly control: ControlServices
  /** The order in which requests take effect. */
  readonly order: Order
}

/**
 * Something that closes once. `onClose` calls `fn` on closing, or at once if it is closed already; the returned
 * function removes `fn`.
 */
export interface Closing {
  readonly isClosed: boolean
  onClose(fn: () => void): () => void
}

/** Creates a {@link Closing} and the function that closes it. */
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

// Requests whose client may leave before they are answered, although others have the same connection.

// Of the registry, since a server has its own copy of this module.
const CLIENT = Symbol.for('preseal.client')

type Client = ReturnType<typeof createClosing>

/**
 * The arguments of a request, with its client, which closes when it leaves, at the latest after the answer. It is not enumerable,
 * so that other providers get what they expect.
 */
export function withClient<Args extends object>(args: Args, client: Client): Args {
  return Object.defineProperty({ ...args }, CLIENT, { value: client })
}

/** Returns the client of a request, closed with the connection at the latest; the connection if the request has no client. */
export function closingOf(args: unknown, connection: Closing): Closing {
  const { [CLIENT]: client } = args as { readonly [CLIENT]?: Client }
  if (client === undefined) return connection
  client.onClose(connection.onClose(client.close))
  return client
}
