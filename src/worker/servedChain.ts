/** The chain that a page uses, and the database that the worker opens for it. */
import type { PresealChain } from '../chain/handle.ts'
import { check } from '../config/option.ts'
import type { ChainOptions } from '../config/options.ts'
import type { MaybePromise } from '../primitives/types.ts'

/** The options of a chain that can be part of a message. */
export interface RemoteChainOptions extends Omit<ChainOptions, 'clock' | 'database'> {
  /**
   * The name of an IndexedDB database, which the worker creates if there is none. It keeps the chain when the page has gone;
   * the next chain of that name continues from there. It can be open only once: while it is, other pages and
   * workers get a `DatabaseInUseError`.
   */
  readonly database?: string | undefined
}

/**
 * Creates a chain for one page, with the options that the page sent; if they name a database, with that database, which
 * is open and is closed after the chain.
 */
export type ChainFactory = (options: Omit<ChainOptions, 'clock'> | undefined) => MaybePromise<PresealChain>

/** A chain in use by a page. */
export interface ServedChain {
  readonly chain: PresealChain
  /** Whether it was created for this page, and ends with it. */
  readonly own: boolean
  /** Closes the chain, then the database that was opened for it. */
  close(): Promise<void>
}

/**
 * Creates the chain of one page.
 *
 * @throws InvalidOptionError if `database` is not a name; DatabaseInUseError, DatabaseOpenError; and what `create` throws.
 */
export async function createServedChain(
  create: ChainFactory,
  options: RemoteChainOptions | undefined,
): Promise<ServedChain> {
  // The page's message may be anything.
  const { database: name, ...rest } = Object(options) as RemoteChainOptions
  if (name === undefined) {
    const chain = await create(options as Omit<ChainOptions, 'clock'> | undefined)
    return { chain, own: true, close: () => chain.close() }
  }
  const isName = typeof name === 'string' && name !== ''
  check(isName, 'database', 'the name of an IndexedDB database, a string that is not empty')
  const { openBrowserDatabase } = await import('./browserDatabase.ts')
  const opened = await openBrowserDatabase(name)
  try {
    const chain = await create({ ...rest, database: opened.database })
    const close = async () => {
      try {
        await chain.close()
      } finally {
        await opened.close()
      }
    }
    return { chain, own: true, close }
  } catch (error) {
    await opened.close()
    throw error
  }
}
