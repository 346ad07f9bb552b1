/** The cache of a fork: what the forked node answered about a block that is named by its hash. */
import type { Database } from '../config/optionSchemas.ts'
import { InvalidOptionError } from '../primitives/errors.ts'
import type { Hash } from '../primitives/types.ts'

/** A block that a cache has answers for. */
export interface CachedFork {
  readonly chainId: bigint
  readonly blockHash: Hash
  /** Undefined unless the cache has the block, as eth_getBlockByHash gave it. */
  readonly blockNumber: bigint | undefined
}

/** Answers of a forked node that never change, by method and params. */
export interface ForkCache {
  /** The blocks it has answers for. */
  forks(): Promise<readonly CachedFork[]>
  /** Reads the answers about a block; from then on, new ones are added to them. */
  load(chainId: bigint | number, blockHash: Hash): Promise<void>
  /** The answer, as a value of the caller's own; undefined if there is none. */
  get(method: string, params: readonly unknown[]): unknown | undefined
  /** Adds an answer; it is written in the background. */
  put(method: string, params: readonly unknown[], answer: unknown): void
  /** Waits until everything is written. @throws ForkCacheError if a write failed; its answers are tried again. */
  flush(): Promise<void>
  /** Flushes, and drops the answers from memory. A database stays open: it is its owner's. */
  close(): Promise<void>
}

/** Where a cache is: a folder, an abstract-level database, or the text of its lines. */
export type ForkCacheLocation = string | Database | { readonly text: string }

/** Opens a cache. @throws InvalidOptionError for a folder where there are no files, as in pages. */
export async function openForkCache(location: ForkCacheLocation): Promise<ForkCache> {
  throw new InvalidOptionError('fork.cache', typeof location)
}
