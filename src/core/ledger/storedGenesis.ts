/** The genesis block that a database states, in each of its formats. */
import { bytesToBigint, bytesToHex } from '../../base/bytes.ts'
import type { Hardfork } from '../../base/types.ts'
import type { Block } from '../../ethereum/block.ts'
import type { StateChanges } from '../../ethereum/state/account.ts'
import type { BytesDatabase } from './bytesDatabase.ts'
import { DatabaseCorruptError } from './errors.ts'
import type { AllocRoot } from './storedChange.ts'

/** The key of the head. */
export const HEAD_KEY = 'preseal:head'

/** Before format 1: the key of the genesis block. */
export const GENESIS_KEY = 'preseal:genesis'

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
  /** The chain id that the chain began with; undefined before format 1. */
  readonly chainId?: bigint
  /** Undefined if it is not stored. */
  readonly allocRoot?: AllocRoot | undefined
  /** The names of the contracts that the chain began with; undefined if they are not stored. */
  readonly predeploys?: readonly string[] | undefined
  /** Reads the newest hardfork of its blocks. @throws DatabaseCorruptError */
  hardfork?(): Promise<Hardfork>
}

/** The default hardfork when databases did not state the rules of their blocks. */
const UNSTATED_HARDFORK = 'prague'

/** The genesis block; undefined if the database is empty. @throws DatabaseVersionError, DatabaseCorruptError */
export async function readGenesis(db: BytesDatabase): Promise<StoredGenesis | undefined> {
  const stored = await db.get(GENESIS_KEY)
  if (stored !== undefined)
    return {
      hash: bytesToHex(stored.subarray(0, 32)),
      timestamp: bytesToBigint(stored.subarray(32)),
      hardfork: async () => UNSTATED_HARDFORK,
    }
  const { readFormat, readHardfork } = await import('./format/databaseFormat.ts')
  const format = await readFormat(db)
  if (format !== undefined) {
    const { genesis: hash, ...rest } = format
    return { hash, ...rest, hardfork: async () => (await readHardfork(db)) ?? UNSTATED_HARDFORK }
  }
  if ((await db.get(HEAD_KEY)) !== undefined) throw new DatabaseCorruptError('its format')
  return undefined
}
