/** The genesis block that a database states. */
import type { Hardfork } from '../../base/types.ts'
import type { Block } from '../../ethereum/block.ts'
import type { StateChanges } from '../../ethereum/state/account.ts'
import type { BytesDatabase } from './bytesDatabase.ts'
import type { AllocRoot } from './storedChange.ts'

/** What is written with the genesis block of a new chain. */
export interface GenesisState {
  readonly changes: StateChanges
  readonly allocRoot?: AllocRoot | undefined
  readonly predeploys?: readonly string[] | undefined
}

/** The state of a genesis without accounts. */
export const EMPTY_GENESIS: GenesisState = {
  changes: { accounts: new Map(), slots: new Map(), codes: new Map() },
}

/** What a start needs of the genesis block. */
export interface StoredGenesis extends Pick<Block, 'hash' | 'timestamp'> {
  /** The chain id that the chain began with; undefined for a database in memory. */
  readonly chainId?: bigint
  /** Undefined if it is not stored. */
  readonly allocRoot?: AllocRoot | undefined
  /** The names of the contracts that the chain began with; undefined if they are not stored. */
  readonly predeploys?: readonly string[] | undefined
  /** Reads the newest hardfork of its blocks; undefined if the rules of none are stored. @throws DatabaseCorruptError */
  hardfork?(): Promise<Hardfork | undefined>
}

/** The genesis block; undefined if the database is empty. @throws DatabaseVersionError, DatabaseCorruptError */
export async function readGenesis(db: BytesDatabase): Promise<StoredGenesis | undefined> {
  const { readFormat, readHardfork } = await import('./format/databaseFormat.ts')
  const format = await readFormat(db)
  if (format === undefined) return undefined
  const { genesis: hash, ...rest } = format
  return { hash, ...rest, hardfork: () => readHardfork(db) }
}
