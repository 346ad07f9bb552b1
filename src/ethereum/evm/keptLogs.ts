/** Logs as receipts keep them, for as long as their block is kept: in little memory. */
import { RecentMap } from '../../base/recentMap.ts'
import type { Hex } from '../../base/types.ts'
import type { Log } from '../block.ts'

const NO_LOGS: readonly Log[] = []

/** Addresses and topics: contracts log the same ones repeatedly, and each execution makes new strings of them. */
const recent = new RecentMap<Hex, Hex>(4096)

/** The same logs, in lists without room for more, and with equal strings shared. */
export function keptLogs(logs: readonly Log[]): readonly Log[] {
  if (logs.length === 0) return NO_LOGS
  return logs.map(({ address, topics, data }) => ({
    address: shared(address),
    topics: topics.map(shared),
    data,
  }))
}

function shared(hex: Hex): Hex {
  const known = recent.get(hex)
  if (known === undefined) recent.set(hex, hex)
  return known ?? hex
}
