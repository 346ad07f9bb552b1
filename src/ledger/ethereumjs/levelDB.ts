/** An abstract-level database as @ethereumjs' blockchain expects it. */
import type { BatchDBOp, DB, DBObject, EncodingOpts } from '@ethereumjs/util'

type Key = Uint8Array | string | number
type Value = Uint8Array | string | DBObject

/** The part of abstract-level that is used; see `Database` in the options. */
export interface Level {
  open(): Promise<void>
  close(): Promise<void>
  get(key: unknown, options: LevelEncodings): Promise<unknown>
  batch(operations: readonly object[], options: object): Promise<void>
}

interface LevelEncodings {
  readonly keyEncoding: string
  readonly valueEncoding: string
}

/** Adapts a database, which its owner opens and closes. */
export function levelToDB(level: Level): DB<Key & (Uint8Array | string), Value> {
  const db = {
    get: async (key: Key, options?: EncodingOpts) => {
      // Earlier major versions reject for a missing key, newer ones return undefined.
      return (await level.get(key, toLevelEncodings(options)).catch(ignoreNotFound)) as Value | undefined
    },
    put: (key: Key, value: Value, options?: EncodingOpts) =>
      level.batch([{ type: 'put', key, value, ...toLevelEncodings(options) }], {}),
    del: (key: Key, options?: EncodingOpts) =>
      level.batch([{ type: 'del', key, ...toLevelEncodings(options) }], {}),
    batch: (operations: BatchDBOp<Key & (Uint8Array | string), Value>[]) =>
      level.batch(
        operations.map(({ opts, ...operation }) => ({ ...operation, ...toLevelEncodings(opts) })),
        {},
      ),
    open: () => level.open(),
    shallowCopy: () => db,
  }
  return db
}

function toLevelEncodings(options: EncodingOpts | undefined): LevelEncodings {
  return {
    keyEncoding: options?.keyEncoding === 'string' ? 'utf8' : 'view',
    valueEncoding: options?.valueEncoding === 'string' ? 'utf8' : (options?.valueEncoding ?? 'view'),
  }
}

function ignoreNotFound(error: { code?: string }): undefined {
  if (error.code === 'LEVEL_NOT_FOUND') return undefined
  throw error
}
