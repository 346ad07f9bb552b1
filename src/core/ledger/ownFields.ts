/** What a database in memory has of a block besides its header, body and number, by the block's hash. */
import { bigintToBytes, bytesToBigint, bytesToHex, hexToBytes } from '../../base/bytes.ts'
import { decodeRlp, encodeRlp } from '../../base/rlp.ts'
import type { Address, Hash } from '../../base/types.ts'
import type { Block } from '../../ethereum/block.ts'
import type { BytesDatabase, Entry, Key } from './bytesDatabase.ts'
import type { OwnFields } from './storedBlock.ts'

/** Key prefix of the senders of unsigned transactions. */
const UNSIGNED_KEY = 'preseal:unsigned:'
/** Key prefix of the chain id it was executed with, if that is not the genesis block's. */
const CHAIN_ID_KEY = 'preseal:chainId:'

/** The entries of a block. */
export function ownEntriesOf(block: Block, genesisChainId: bigint): Entry[] {
  const entries: Entry[] = []
  const senders = encodeSenders(block)
  if (senders !== undefined) entries.push({ key: UNSIGNED_KEY + block.hash, value: senders })
  const { chainId } = block.rules
  if (chainId !== genesisChainId) {
    entries.push({ key: CHAIN_ID_KEY + block.hash, value: bigintToBytes(chainId) })
  }
  return entries
}

/** The keys of the entries that a block may have. */
export function ownKeysOf({ hash }: Block): Key[] {
  return [UNSIGNED_KEY, CHAIN_ID_KEY].map((prefix) => prefix + hash)
}

/** What those entries say of a block. */
export async function readOwn(db: BytesDatabase, hash: Hash): Promise<OwnFields> {
  const senders = await db.get(UNSIGNED_KEY + hash)
  const chainId = await db.get(CHAIN_ID_KEY + hash)
  return {
    ...(senders && { unsigned: decodeSenders(senders) }),
    ...(chainId && { chainId: bytesToBigint(chainId) }),
  }
}

/** Index and sender of each unsigned transaction; undefined if all are signed. */
function encodeSenders({ transactions }: Block): Uint8Array | undefined {
  if (!transactions.some(({ unsigned }) => unsigned)) return undefined
  const unsigned = [...transactions.entries()].filter(([, tx]) => tx.unsigned)
  return encodeRlp(unsigned.map(([index, { from }]) => [bigintToBytes(BigInt(index)), hexToBytes(from)]))
}

function decodeSenders(bytes: Uint8Array): ReadonlyMap<number, Address> {
  const pairs = decodeRlp(bytes) as [Uint8Array, Uint8Array][]
  return new Map(pairs.map(([index, sender]) => [Number(bytesToBigint(index)), bytesToHex(sender)]))
}
