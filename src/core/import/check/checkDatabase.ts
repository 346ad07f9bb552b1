/** Checks a database of format 1: each entry, what entries say of each other, and the execution of the blocks. */

import { bytesToHex } from '../../../base/bytes.ts'
import { PresealError } from '../../../base/errors.ts'
import { whenLoaded } from '../../../base/missing.ts'
import { createYielder } from '../../../base/yielder.ts'
import type { Receipt } from '../../../ethereum/block.ts'
import { patchChanges, type StatePatch } from '../../../ethereum/state/patch.ts'
import { stateRoot, updateStateTrie } from '../../../ethereum/state/stateTrie.ts'
import type { Executed } from '../../block/payload.ts'
import { KIND, numberedKey } from '../../ledger/format/entries.ts'
import { encodeReceipts } from '../../ledger/format/records.ts'
import { type Problem, type Scan, scanDatabase } from '../../ledger/format/scanDatabase.ts'
import { type CheckedBlocks, checkBlocks } from './checkedBlocks.ts'
import { type CheckedState, type CheckedStates, checkStates } from './checkedStates.ts'
import type { CheckParts } from './checkParts.ts'
import { Reexecution } from './reexecution.ts'

/** What is known of a database once it is checked. */
export interface CheckedDatabase {
  /** Empty if it is sound. */
  readonly problems: readonly Problem[]
  readonly scan: Scan
  readonly blocks: CheckedBlocks
  readonly states: CheckedStates
  readonly reexecution: Reexecution
  /** The number of blocks that were executed. */
  readonly executed: number
  /** The number of blocks whose parent's state is known, but not the rules by which they were executed. */
  readonly withoutRules: number
}

/** @throws DatabaseVersionError; and what the database throws */
export async function checkDatabase(parts: CheckParts): Promise<CheckedDatabase> {
  const scan = await scanDatabase(parts.db)
  const report = (problem: Problem) => void scan.problems.push(problem)
  const blocks = await checkBlocks(scan, parts, report)
  const states = await checkStates(scan, blocks, parts, report)
  for (const hash of scan.preconfirmed) {
    if (!scan.pool.has(hash)) report({ text: `the pre-confirmed transaction ${hash} is missing` })
  }
  const reexecution = new Reexecution(scan, blocks, parts)
  const pause = createYielder(parts.clock)
  let executed = 0
  let withoutRules = 0
  for (const [number, state] of states) {
    const before = states.get(number - 1)
    if (before === undefined || before.isSound === false) continue
    const { headers } = blocks
    if (!reexecution.canExecute(number)) {
      if (headers.has(number) && headers.has(number - 1)) withoutRules += 1
      continue
    }
    executed += 1
    await checkExecution(number, before, state, { scan, parts, reexecution, report })
    await pause()
  }
  return { problems: scan.problems, scan, blocks, states, reexecution, executed, withoutRules }
}

interface ExecutionParts {
  readonly scan: Scan
  readonly parts: CheckParts
  readonly reexecution: Reexecution
  readonly report: (problem: Problem) => void
}

async function checkExecution(
  block: number,
  before: CheckedState,
  after: CheckedState,
  { scan, parts, reexecution, report }: ExecutionParts,
): Promise<void> {
  let result: Executed
  try {
    result = await reexecution.execute(block, before)
  } catch (error) {
    if (!(error instanceof PresealError)) throw error
    report({ block, text: error.message })
    return
  }
  const receipts = scan.receipts.get(block)
  if (receipts !== undefined && !sameReceipts(receipts, result.block.receipts)) {
    const key = numberedKey(KIND.receipts, block)
    report({ block, key, text: `the receipts of block ${block} do not match its execution` })
  }
  const patch = scan.patches.get(block)
  if (patch === undefined || after.isSound === false) return
  const root = await patchedRoot(result, patch, parts)
  if (root === bytesToHex(stateRoot(after.trie, parts.crypto))) return
  const key = numberedKey(KIND.patch, block)
  report({ block, key, text: `the patch of block ${block} does not lead to its state` })
}

async function patchedRoot(
  { state, stateTrie }: Executed,
  patch: StatePatch,
  { crypto }: CheckParts,
): Promise<string> {
  const changes = await whenLoaded(() => patchChanges(state, patch, crypto))
  return bytesToHex(stateRoot(updateStateTrie(stateTrie, changes, crypto), crypto))
}

/** Whether receipts are equal, apart from revert data, which is stored only if the chain is asked to. */
export function sameReceipts(a: readonly Receipt[], b: readonly Receipt[]): boolean {
  const encoded = (receipts: readonly Receipt[]) =>
    bytesToHex(encodeReceipts(receipts.map(({ revertReason: _, ...receipt }) => receipt)))
  return encoded(a) === encoded(b)
}
