/**
 * The transactions of an address, page by page.
 *
 *   a block ─► its transactions ─ sender, recipient, created contract ─────────► found
 *                               └ or executed again, if they can have called anything ─► found if a frame touches the address
 */

import type { Address } from '../../base/types.ts'
import type { Yielder } from '../../base/yielder.ts'
import type { BlockView } from '../../core/view/blockView.ts'
import type { ViewedTip } from '../../core/view/viewedTip.ts'
import type { Block } from '../../ethereum/block.ts'
import type { FrameEnd, FrameStart, Tracer } from '../../ethereum/evm/executor.ts'
import { StateUnavailableError } from '../../ethereum/state/errors.ts'
import { toRpcReceipt, toRpcTransaction } from '../format/format.ts'
import type { ReadContext } from '../method.ts'
import { createPause } from '../pause.ts'
import { reexecute } from '../traces.ts'
import type { OtterscanTransactions } from './shapes.ts'

/** What a search needs: from which block it goes where, and how many transactions fill a page. */
export interface Search {
  readonly address: Address
  /** The block before or after which it begins; 0 for the end of the chain that it comes from. */
  readonly from: bigint
  readonly pageSize: number
  /** Whether it goes to older blocks. */
  readonly backward: boolean
}

/** The indices of an address's transactions in one block. */
interface Match {
  readonly block: Block
  readonly indices: readonly number[]
}

/**
 * Searches block by block, until a page is full and one more transaction is found or the end is reached. A page has all
 * transactions of its last block.
 */
export async function search(context: ReadContext, wanted: Search): Promise<OtterscanTransactions> {
  const { from, pageSize, backward } = wanted
  const pause = createPause(context)
  const matches: Match[] = []
  let count = 0
  let hasMore = false
  for (const number of numbersOf(context.viewed, wanted)) {
    const match = await findInBlock(context, number, wanted.address, pause)
    if (match === undefined) continue
    hasMore = count >= pageSize
    if (hasMore) break
    matches.push(match)
    count += match.indices.length
  }
  const newestFirst = backward ? matches : matches.reverse()
  const places = newestFirst.flatMap(({ block, indices }) =>
    [...indices].reverse().map((index) => ({ block, index })),
  )
  return {
    txs: places.map((place) => toRpcTransaction(place.block.transactions[place.index]!, place)),
    receipts: places.map(({ block, index }) => ({
      ...toRpcReceipt(block, index),
      timestamp: Number(block.timestamp),
    })),
    firstPage: backward ? from === 0n : !hasMore,
    lastPage: backward ? !hasMore : from === 0n,
  }
}

/** The newest block of a view: its snapshot, or the head. */
export function newestOf({ snapshot, tip }: ViewedTip): bigint {
  return (snapshot ?? tip.head).block.number
}

/** The oldest block whose transactions the chain here has: on a fork the first one after it. */
export function oldestOf({ sources }: ViewedTip): bigint {
  return sources.fork === undefined ? 0n : sources.fork.number + 1n
}

function* numbersOf(viewed: ViewedTip, { from, backward }: Search): Generator<bigint> {
  const [oldest, newest] = [oldestOf(viewed), newestOf(viewed)]
  if (backward) {
    const start = from === 0n || from > newest ? newest : from - 1n
    for (let number = start; number >= oldest; number--) yield number
  } else {
    const start = from === 0n || from < oldest ? oldest : from + 1n
    for (let number = start; number <= newest; number++) yield number
  }
}

/** Undefined if the block has no transaction of the address, or has left the history. */
async function findInBlock(
  context: ReadContext,
  number: bigint,
  address: Address,
  pause: Yielder,
): Promise<Match | undefined> {
  const wait = pause()
  if (wait) await wait
  const view = await context.viewed.find({ kind: 'number', number })
  if (view === undefined || view.block.transactions.length === 0) return undefined
  try {
    const indices: number[] = []
    for (const index of view.block.transactions.keys()) {
      if (await touches(context, view, index, address, pause)) indices.push(index)
      const wait = pause()
      if (wait) await wait
    }
    return indices.length === 0 ? undefined : { block: view.executed, indices }
  } catch (error) {
    if (error instanceof StateUnavailableError) return undefined
    throw error
  }
}

/** The gas of a transfer to an account without code. */
const TRANSFER_GAS = 21_000n

async function touches(
  context: ReadContext,
  view: BlockView,
  index: number,
  address: Address,
  pause: Yielder,
): Promise<boolean> {
  const { transactions, receipts } = view.executed
  const [tx, receipt] = [transactions[index]!, receipts[index]!]
  if (tx.from === address || tx.to === address || receipt.contractAddress === address) return true
  if (tx.to !== null && receipt.gasUsed === TRANSFER_GAS) return false
  const tracer = new TouchTracer(address)
  await reexecute(context, view).run(index, { tracer }, pause)
  return tracer.found
}

/** Finds out whether a frame is from an account, or to it. */
class TouchTracer implements Tracer {
  readonly #address: Address
  found = false

  constructor(address: Address) {
    this.#address = address
  }

  onStart(): void {
    this.found = false
  }

  onEnter({ from, to }: FrameStart): void {
    if (from === this.#address || to === this.#address) this.found = true
  }

  onExit({ created }: FrameEnd): void {
    if (created === this.#address) this.found = true
  }
}
