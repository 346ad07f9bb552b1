/**
 * Entries of blocks in the layout of @ethereumjs/blockchain, loaded by `import()` when the store is first used. From
 * the package, the build bundles only the file that defines `DBOp`, with its dependencies.
 */
import { DBOp } from '@ethereumjs/blockchain'
import { bigintToBytes, hexToBytes } from '../../../base/bytes.ts'
import { encodeRlp, type RlpItem } from '../../../base/rlp.ts'
import type { Hash } from '../../../base/types.ts'
import type { Block } from '../../../ethereum/block.ts'
import { encodeBody } from '../../../ethereum/blockEncoding.ts'
import { encodeHeader } from '../../../ethereum/header.ts'
import type { Entry } from '../bytesDatabase.ts'

/** Values of DBTarget, which the package does not export. */
const PARTS = { number: 3, body: 6, header: 7 } as const

type DBTarget = Parameters<typeof DBOp.get>[0]

/** Encodes a block as entries for header, body and number. */
export function blockEntries(block: Block): Entry[] {
  const { hash, number } = block
  const place = { blockHash: hexToBytes(hash), blockNumber: number }
  const body = encodeRlp(encodeBody(block) as readonly RlpItem[])
  const entry = (part: number, value: Uint8Array) =>
    DBOp.set(part as DBTarget, value, place).baseDBOp as unknown as Entry
  return [
    entry(PARTS.header, encodeHeader(block.header)),
    entry(PARTS.body, body),
    entry(PARTS.number, number === 0n ? Uint8Array.of(0) : bigintToBytes(number)),
  ]
}

/** The keys of {@link blockEntries}. */
export function blockKeys({ hash, number }: Block): Uint8Array[] {
  return [partKey('header', hash, number), partKey('body', hash, number), numberKey(hash)]
}

/** The key of a block's header or body. */
export function partKey(part: 'header' | 'body', hash: Hash, blockNumber: bigint): Uint8Array {
  const place = { blockHash: hexToBytes(hash), blockNumber }
  return DBOp.get(PARTS[part] as DBTarget, place).baseDBOp.key as Uint8Array
}

/** The key of the entry that maps a block's hash to its number. */
export function numberKey(hash: Hash): Uint8Array {
  return DBOp.get(PARTS.number as DBTarget, { blockHash: hexToBytes(hash) }).baseDBOp.key as Uint8Array
}
