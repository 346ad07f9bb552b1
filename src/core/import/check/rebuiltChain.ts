/** The chain that a repair leaves: the newest state that is sound, and the blocks after it, executed again. */

import { PresealError } from '../../../base/errors.ts'
import { whenLoaded } from '../../../base/missing.ts'
import type { Receipt } from '../../../ethereum/block.ts'
import type { StateChanges } from '../../../ethereum/state/account.ts'
import { changesSince } from '../../../ethereum/state/layer.ts'
import { patchChanges } from '../../../ethereum/state/patch.ts'
import { type StateTrie, updateStateTrie } from '../../../ethereum/state/stateTrie.ts'
import { WorldState } from '../../../ethereum/state/worldState.ts'
import { KIND, numberOfKey } from '../../ledger/format/entries.ts'
import { type BlockChanges, valuesBefore } from '../../ledger/format/records.ts'
import type { CheckedDatabase } from './checkDatabase.ts'
import { highestStorageId } from './checkedStates.ts'
import type { CheckParts } from './checkParts.ts'

/** The chain after a repair, and what was executed for it. */
export interface RebuiltChain {
  readonly head: number
  /** The block after which blocks were executed. */
  readonly base: number
  readonly state: StateChanges
  readonly trie: StateTrie
  readonly changes: ReadonlyMap<number, BlockChanges>
  readonly receipts: Map<number, readonly Receipt[]>
}

/** Executes the blocks after the newest sound state; undefined if there is none. */
export async function rebuildChain(
  { scan, blocks, states, reexecution }: CheckedDatabase,
  { crypto }: CheckParts,
): Promise<RebuiltChain | undefined> {
  const lostPatch = scan.damaged.flatMap((key) =>
    typeof key !== 'string' && key[0] === KIND.patch && states.has(numberOfKey(key))
      ? [numberOfKey(key)]
      : [],
  )
  if (scan.head?.root !== undefined && !scan.patches.has(blocks.head)) lostPatch.push(blocks.head)
  const numbers = [...states.keys()]
  const broken = numbers.find((number) => !blocks.headers.has(number) && states.has(number - 1))
  const last = broken === undefined ? blocks.head : broken - 1
  // A state whose root no header has is right if all others are: each leads to the one before it.
  const isRight = ![...states.values()].some(({ isSound }) => isSound === false)
  const base = numbers.findLast(
    (number) =>
      number <= last &&
      (states.get(number)!.isSound ?? isRight) &&
      blocks.headers.has(number) &&
      lostPatch.every((lost) => number < lost),
  )
  if (base === undefined) return undefined
  const { version, trie: started } = states.get(base)!
  const world = new WorldState()
  const whole = await whenLoaded(() => version.everything())
  let state = world.commit({ ...whole, lastStorageId: highestStorageId(scan) })
  let trie = started
  let head = base
  const changes = new Map<number, BlockChanges>()
  const receipts = new Map<number, readonly Receipt[]>()
  const keepsReasons = [...scan.receipts.values()].some((list) =>
    list.some(({ revertReason }) => revertReason !== undefined),
  )
  const stored = (list: readonly Receipt[]) =>
    keepsReasons ? list : list.map(({ revertReason: _, ...receipt }) => receipt)
  for (let number = base + 1; number <= last && reexecution.canExecute(number); number++) {
    const before = state
    try {
      const executed = await reexecution.execute(number, { version: state, trie })
      state = world.commit(changesSince(executed.state, before))
      trie = executed.stateTrie
      receipts.set(number, stored(executed.block.receipts))
    } catch (error) {
      if (!(error instanceof PresealError)) throw error
      break
    }
    const patch = scan.patches.get(number)
    if (patch !== undefined) {
      const patched = patchChanges(state, patch, crypto)
      trie = updateStateTrie(trie, patched, crypto)
      state = world.commit(patched)
    }
    changes.set(number, valuesBefore(world.difference(before, state)))
    head = number
  }
  for (const number of numbers) {
    if (scan.receipts.has(number) || receipts.has(number) || number > head) continue
    const before = states.get(number - 1)
    if (before === undefined || before.isSound === false || !reexecution.canExecute(number)) continue
    const executed = await reexecution.execute(number, before).catch(() => undefined)
    if (executed !== undefined) receipts.set(number, stored(executed.block.receipts))
  }
  return { head, base, state: world.everythingAt(state), trie, changes, receipts }
}
