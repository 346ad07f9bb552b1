/** The genesis block that a database states, in each of its formats. */
import { bytesToBigint, bytesToHex } from '../primitives/bytes.ts'
import type { Hash } from '../primitives/types.ts'
import type { Block } from '../protocol/block.ts'
import type { BytesDatabase } from './bytesDatabase.ts'
import { DatabaseCorruptError } from './errors.ts'

/** The key of the head. */
export const HEAD_KEY = 'preseal:head'

/** Before format 1: the key of the genesis block. */
export const GENESIS_KEY = 'preseal:genesis'

/** The state root of the alloc of a genesis, so that a start with the same one does not compute it. */
export interface AllocRoot {
  /** Of the alloc's text. */
  readonly digest: Hash
  readonly root: Hash
}

/** What a start needs of the genesis block. */
export interface StoredGenesis extends Pick<Block, 'hash' | 'timestamp'> {
  /** The chain id that the chain began with; undefined before format 1. */
  readonly chainId?: bigint
  /** Undefined if it is not stored. */
  readonly allocRoot?: AllocRoot | undefined
  /** The names of the contracts that the chain began with; undefined if they are not stored. */
  readonly predeploys?: readonly string[] | undefined
}

/** The genesis block; undefined if the database is empty. @throws DatabaseVersionError, DatabaseCorruptError */
export async function readGenesis(db: BytesDatabase): Promise<StoredGenesis | undefined> {
  const stored = await db.get(GENESIS_KEY)
  if (stored !== undefined)
    return { hash: bytesToHex(stored.subarray(0, 32)), timestamp: bytesToBigint(stored.subarray(32)) }
  const { readFormat } = await import('./format/databaseFormat.ts')
  const format = await readFormat(db)
  if (format !== undefined) {
    const { genesis: hash, ...rest } = format
    return { hash, ...rest }
  }
  if ((await db.get(HEAD_KEY)) !== undefined) throw new DatabaseCorruptError('its format')
  return undefined
}
