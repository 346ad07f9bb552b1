/** Logs of blocks that only the database has: found by the bloom filters of their headers, then read with the blocks. */

import { hexToBytes } from '../../base/bytes.ts'
import { keccak256 } from '../../base/crypto/crypto.ts'
import type { Hash, Hex } from '../../base/types.ts'
import { type Pause, whenLoaded } from '../../base/waiting.ts'
import type { StoredBlock } from '../../ethereum/block.ts'
import { EMPTY_BLOOM } from '../../ethereum/header.ts'
import { TooManyLogsError } from './errors.ts'
import { type IndexedLog, indexLogs, type LoggedBlock } from './indexedLog.ts'
import { type LogIndex, type LogQuery, matchesFilter } from './logIndex.ts'
import type { StoredHistory } from './storedHistory.ts'

/** The parts of a ledger that are searched. */
interface SearchedLedger {
  readonly logs: LogIndex
  readonly first: bigint
  readonly stored: StoredHistory | undefined
  get(hash: Hash, number: bigint): { readonly block: LoggedBlock } | undefined
}

/** See `LogIndex.query`, whose parameters the last six are. */
export async function queryStoredLogs(
  ledger: SearchedLedger,
  read: (hash: Hash) => Promise<Pick<StoredBlock, 'header'> | undefined>,
  filter: LogQuery,
  from: bigint,
  to: bigint,
  canonical: (number: number) => Hash | undefined,
  limit: number,
  pause: Pause,
): Promise<IndexedLog[]> {
  const found: IndexedLog[] = []
  const { first } = ledger
  const mayMatch = bloomFilter(filter)
  for (let number = from; number < first && number <= to; number += 1n) {
    await pause()
    const hash = await whenLoaded(() => canonical(Number(number)))
    const bloom = hash && (await ledger.stored?.bloomOf(hash, Number(number), read))
    if (bloom === undefined || !mayMatch(bloom)) continue
    const entry = await whenLoaded(() => ledger.get(hash!, number))
    for (const log of entry === undefined ? [] : indexLogs(entry.block)) {
      if (!matchesFilter(log, filter)) continue
      if (found.length >= limit) throw new TooManyLogsError(limit)
      found.push(log)
    }
  }
  if (to < first) return found
  const rest = await ledger.logs.query(filter, first, to, canonical, limit, pause)
  if (found.length + rest.length > limit) throw new TooManyLogsError(limit)
  return [...found, ...rest]
}

/** Whether a block with a bloom filter may have logs that match. */
function bloomFilter({ addresses = [], topics = [] }: LogQuery): (bloom: Hex) => boolean {
  const criteria = [addresses, ...topics]
    .filter((wanted) => wanted !== null && wanted.length > 0)
    .map((wanted) => wanted!.map(bitsOf))
  return (bloom) =>
    bloom !== EMPTY_BLOOM &&
    criteria.every((wanted) => wanted.some((bits) => bits.every((bit) => hasBit(bloom, bit))))
}

/** The three bits that an item sets (Yellow Paper, section 4.3.1). */
function bitsOf(item: Hex): number[] {
  const hash = keccak256(hexToBytes(item))
  return [0, 2, 4].map((i) => ((hash[i]! << 8) | hash[i + 1]!) & 2047)
}

function hasBit(bloom: Hex, bit: number): boolean {
  // The last digit has the lowest four bits.
  const digit = Number.parseInt(bloom[bloom.length - 1 - (bit >> 2)]!, 16)
  return (digit & (1 << (bit & 3))) !== 0
}
