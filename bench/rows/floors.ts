/** What preseal must reach, row by row: the table of `bench/floors.ts`. */
import { autoMining } from './autoMining.ts'
import { tokenBlocks, transferBlocks } from './batches.ts'
import { coldStart } from './coldStart.ts'
import { computation } from './computation.ts'
import { creation } from './creation.ts'
import { history } from './history.ts'
import { reads } from './reads.ts'
import { reverts } from './reverts.ts'
import type { RowGroup } from './row.ts'
import { simulation } from './simulation.ts'

/** The engines that floors refer to. */
export type Peer = 'edr' | 'anvil'

/** A bound relative to a peer, or in the row's own unit. */
export type Floor =
  /** The least multiple of the peer's speed; `unpinned` if the processes may use all cores. */
  | { readonly of: Peer; readonly atLeast: number; readonly unpinned?: number }
  /** The greatest multiple of the peer's time or memory. */
  | { readonly of: Peer; readonly atMost: number }
  | { readonly limit: number }

/** A row that is compared with the peers. */
export interface FloorRow {
  readonly label: string
  readonly group: RowGroup
  /** The index of its row in the group. */
  readonly row: number
  readonly floor: Floor
}

/** In the table's order. */
export const floors: readonly FloorRow[] = [
  {
    label: 'transfers/s: 2,000 of 20 accounts, mined by 200, receipts read',
    group: transferBlocks,
    row: 0,
    floor: { of: 'edr', atLeast: 1, unpinned: 1.3 },
  },
  {
    label: 'ERC-20/s: 1,000 transfers likewise',
    group: tokenBlocks,
    row: 0,
    floor: { of: 'edr', atLeast: 1.3 },
  },
  {
    label: 'auto mode: one transfer, send to receipt',
    group: autoMining,
    row: 0,
    floor: { of: 'edr', atLeast: 1 },
  },
  {
    label: 'eth_call balanceOf/s, in series',
    group: reads,
    row: 0,
    floor: { of: 'edr', atLeast: 2.5 },
  },
  {
    label: 'eth_estimateGas of an ERC-20 transfer/s',
    group: reads,
    row: 2,
    floor: { of: 'edr', atLeast: 2 },
  },
  {
    label: 'eth_simulateV1 of 10 ERC-20 transfers',
    group: simulation,
    row: 0,
    floor: { of: 'anvil', atLeast: 0.8 },
  },
  {
    label: 'fib: a call that adds in a loop 10^6 times, 58 M gas',
    group: computation,
    row: 0,
    floor: { of: 'anvil', atMost: 3 },
  },
  {
    label: 'keccak: a call that hashes 32 bytes 10^4 times',
    group: computation,
    row: 1,
    floor: { of: 'edr', atMost: 1 },
  },
  {
    label: 'blocks/s: 2,000 of one ERC-20 transfer each, mined one by one',
    group: history,
    row: 4,
    floor: { of: 'edr', atLeast: 0.8 },
  },
  {
    label: 'create a chain, first answer, close',
    group: creation,
    row: 0,
    floor: { of: 'edr', atMost: 1 },
  },
  {
    label: 'import to the first answer, in the process',
    group: coldStart,
    row: 1,
    floor: { of: 'anvil', atMost: 0.6 },
  },
  {
    label: 'memory (RSS) per 1,000 of those blocks',
    group: history,
    row: 3,
    floor: { of: 'edr', atMost: 1 },
  },
  {
    label: 'evm_revert over a mined transfer, 50,000 accounts',
    group: reverts,
    row: 0,
    floor: { of: 'edr', atLeast: 0.5 },
  },
]
