import { autoMining } from './autoMining.ts'
import { tokenBlocks, tokenTransfers, transferBlocks, transfers } from './batches.ts'
import { coldStart } from './coldStart.ts'
import { computation } from './computation.ts'
import { creation } from './creation.ts'
import { history } from './history.ts'
import { manyBlocks } from './manyBlocks.ts'
import { reads } from './reads.ts'
import { reverts } from './reverts.ts'
import type { RowGroup } from './row.ts'
import { simulation } from './simulation.ts'
import { snapshots } from './snapshots.ts'

/** All groups, in the table's order. */
export const groups: readonly RowGroup[] = [
  coldStart,
  creation,
  transfers,
  tokenTransfers,
  transferBlocks,
  tokenBlocks,
  autoMining,
  reads,
  simulation,
  computation,
  history,
  snapshots,
  reverts,
  manyBlocks,
]
