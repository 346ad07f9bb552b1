/** What `preseal db info` prints. */

import type { Hash } from '../../../base/types.ts'
import { VERSION as FORMAT } from '../../../core/ledger/format/databaseFormat.ts'
import type { Scan } from '../../../core/ledger/format/scanDatabase.ts'

/** What a database holds, as `--json` prints it; null stands for what is not known, since its entry is damaged. */
export interface DatabaseInfo {
  readonly format: number
  readonly chainId: number | null
  readonly genesis: Hash | null
  readonly head: { readonly number: number | null; readonly hash: Hash } | null
  /** The number of the oldest block of the history. */
  readonly oldestInHistory: number | null
  readonly blocks: number
  readonly accounts: number
  /** Transactions that wait. */
  readonly waiting: number
  /** Transactions that are pre-confirmed and not sealed. */
  readonly preconfirmed: number
  /** On the disk, in bytes. */
  readonly size: number
  /** Entries that cannot be read. */
  readonly damaged: number
}

/** @param size - on the disk, in bytes. */
export function databaseInfo(scan: Scan, size: number): DatabaseInfo {
  const { format, head, changes, indices, accounts, pool, preconfirmed, numbers, damaged } = scan
  let oldest: number | undefined
  for (const number of changes.keys()) if (oldest === undefined || number < oldest) oldest = number
  const included = new Set(preconfirmed)
  const headNumber = head && (numbers.get(head.hash) ?? null)
  return {
    format: FORMAT,
    chainId: format === undefined ? null : Number(format.chainId),
    genesis: format?.genesis ?? null,
    head: head === undefined ? null : { number: headNumber ?? null, hash: head.hash },
    oldestInHistory: oldest ?? headNumber ?? null,
    blocks: indices.size,
    accounts: accounts.size,
    waiting: [...pool].filter((hash) => !included.has(hash)).length,
    preconfirmed: preconfirmed.length,
    size,
    damaged: damaged.length,
  }
}

/** The same as text. */
export function infoText(info: DatabaseInfo): string {
  const { head } = info
  const rows: readonly (readonly [string, string | number | null])[] = [
    ['format', info.format],
    ['chain id', info.chainId],
    ['genesis', info.genesis],
    ['head', head && `${head.number ?? 'unknown'} ${head.hash}`],
    ['history from block', info.oldestInHistory],
    ['blocks', info.blocks],
    ['accounts', info.accounts],
    ['waiting transactions', info.waiting],
    ['pre-confirmed transactions', info.preconfirmed],
    ['size on disk', `${info.size} bytes`],
    ...(info.damaged > 0 ? [['damaged entries', info.damaged] as const] : []),
  ]
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value ?? 'unknown'}\n`).join('')
}
