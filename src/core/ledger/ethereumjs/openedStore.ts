/** What a store of blocks has open. */
import type { Hash } from '../../../base/types.ts'
import type { BytesDatabase, Level } from '../bytesDatabase.ts'
import type { DatabaseFormat } from '../format/databaseFormat.ts'
import type { StoredHead } from '../format/storedHead.ts'

/** An open database, with the layout of blocks in it. */
export interface Opened {
  readonly level: Level
  readonly db: BytesDatabase
  readonly blocks: typeof import('./blockchain.ts')
  /** What the caller's database has besides blocks. */
  readonly format: DatabaseFormat | undefined
}

/** The chain in the caller's database. */
export interface StoredChain {
  readonly format: DatabaseFormat
  /** The head whose state is stored; undefined if the database is older than format 1. */
  readonly head: StoredHead | undefined
  /** The head of the chain that is to be migrated to format 1. */
  readonly unmigrated: Hash | undefined
}
