/** The chain that a page uses, and the databases that the worker opens for it. */

import { check } from '../../base/options/option.ts'
import type { ChainOptions } from '../../base/options/options.ts'
import type { MaybePromise } from '../../base/types.ts'
import type { PresealChain } from '../../chain/handle.ts'
import type { OpenedDatabase } from './browserDatabase.ts'

type ForkOptions = NonNullable<ChainOptions['fork']>

/** The options of a fork that can be part of a message. */
export interface RemoteForkOptions extends Omit<ForkOptions, 'provider' | 'cache'> {
  /**
   * The name of an IndexedDB database, which the worker creates if there is none, or `{ text }`, the lines of a cache. Several
   * pages and workers can have the same one open. In a thread of Node a text is the path of a folder.
   */
  readonly cache?: string | { readonly text: string } | undefined
}

/** The options of a chain that can be part of a message. */
export interface RemoteChainOptions extends Omit<ChainOptions, 'clock' | 'database' | 'fork'> {
  /** The chain to fork, over HTTP or from a cache alone; a provider cannot be sent. */
  readonly fork?: RemoteForkOptions | undefined
  /**
   * The name of an IndexedDB database, which the worker creates if there is none. It keeps the chain when the page has gone;
   * the next chain of that name continues from there. It can be open only once: while it is, other pages and
   * workers get a `DatabaseInUseError`.
   */
  readonly database?: string | undefined
}

/**
 * Creates a chain for one page, with the options that the page sent. The databases that they name are open, and are closed
 * after the chain.
 */
export type ChainFactory = (options: Omit<ChainOptions, 'clock'> | undefined) => MaybePromise<PresealChain>

/** A chain in use by a page. */
export interface ServedChain {
  readonly chain: PresealChain
  /** Whether it was created for this page, and ends with it. */
  readonly own: boolean
  /** Closes the chain, then the databases that were opened for it. */
  close(): Promise<void>
}

/**
 * Creates the chain of one page.
 *
 * @throws InvalidOptionError if `database` or `fork.cache` is not a name; DatabaseInUseError, DatabaseOpenError; and what
 *   `create` throws.
 */
export async function createServedChain(
  create: ChainFactory,
  options: RemoteChainOptions | undefined,
): Promise<ServedChain> {
  // The page's message may be anything.
  const { database, durability, fork } = Object(options) as RemoteChainOptions
  const { cache } = Object(fork) as RemoteForkOptions
  const opened: OpenedDatabase[] = []
  const open = async (name: string, path: string, how: { isShared?: boolean; isStrict?: boolean }) => {
    const isName = typeof name === 'string' && name !== ''
    check(isName, path, 'the name of an IndexedDB database, a string that is not empty')
    const { openBrowserDatabase } = await import('./browserDatabase.ts')
    const one = await openBrowserDatabase(name, how)
    opened.push(one)
    return one.database
  }
  const closeOpened = async (): Promise<void> => {
    await Promise.all(opened.map((one) => one.close()))
  }
  try {
    let given = options as ChainOptions | undefined
    if (database !== undefined) {
      const isStrict = durability === 'disk'
      given = { ...given, database: await open(database, 'database', { isStrict }) }
    }
    if (typeof cache === 'string' && typeof indexedDB !== 'undefined') {
      const named = await open(cache, 'fork.cache', { isShared: true })
      given = { ...given, fork: { ...(fork as ForkOptions), cache: named } }
    }
    const chain = await create(given)
    return { chain, own: true, close: () => chain.close().finally(closeOpened) }
  } catch (error) {
    await closeOpened()
    throw error
  }
}

declare const indexedDB: object | undefined
