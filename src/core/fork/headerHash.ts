/** Whether the header of a block has the block's hash. */
import { SchemaError } from '../../base/errors.ts'
import type { Hash } from '../../base/types.ts'
import { type Header, hashHeader } from '../../ethereum/header.ts'
import type { RemoteBlock } from './answers.ts'
import { readHeaderFields } from './forkedBlock.ts'

/** Fields of a block that are not part of its header, besides those of {@link Header}. */
const OTHERS = ['hash', 'size', 'totalDifficulty', 'transactions', 'uncles', 'withdrawals']

/** Names of unknown fields that an error shows. */
const MAX_SHOWN = 3

/**
 * Requires that the hash of a block follows from the fields of its header.
 *
 * @throws SchemaError, which names fields that Ethereum's headers do not have: some chains hash more than those.
 */
export function requireHeaderHash(json: RemoteBlock): void {
  const fields = readHeaderFields(json)
  const hash = json.hash.toLowerCase() as Hash
  // A field that is absent is not hashed.
  if (hashHeader(fields as Header) === hash) return
  const unknown = Object.keys(json).filter((name) => !(name in fields) && !OTHERS.includes(name))
  const shown = unknown.filter((name) => /^\w{1,40}$/.test(name)).slice(0, MAX_SHOWN)
  const fork =
    shown.length === 0 ? '' : `; of a chain whose hashes cover ${shown.join(', ')}, set fork.verify to false`
  throw new SchemaError('.hash', `the hash of its header${fork}`)
}
