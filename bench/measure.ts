import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { EngineChain } from './engines/engine.ts'
import { passTurn } from './turns.ts'

/** Milliseconds of measuring per turn, if two builds take turns. */
const SLICE_MS = 50
/** Requests in flight while a batch is sent or its receipts are read. */
const IN_FLIGHT = 32

/** Milliseconds that `work` takes. */
export async function elapsed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/** Mean milliseconds of one call, over at least a second, after a warm-up of at least `warmUpMs`. */
export async function meanOf(call: (turn: number) => Promise<unknown>, warmUpMs = 300): Promise<number> {
  await repeat(call, { leastMs: warmUpMs })
  const { turns, spent } = await repeat(call, { leastMs: 1_000 })
  return spent / turns
}

/** Mean milliseconds of one call, over `count` calls. */
export async function meanOfCalls(count: number, call: (turn: number) => Promise<unknown>): Promise<number> {
  const { turns, spent } = await repeat(call, { most: count })
  return spent / turns
}

async function repeat(
  call: (turn: number) => Promise<unknown>,
  { leastMs = Number.POSITIVE_INFINITY, most = Number.POSITIVE_INFINITY },
): Promise<{ readonly turns: number; readonly spent: number }> {
  let turns = 0
  let spent = 0
  while (spent < leastMs && turns < most) {
    const start = performance.now()
    let slice = 0
    while (slice < SLICE_MS && turns < most) {
      await call(turns)
      turns += 1
      slice = performance.now() - start
    }
    spent += slice
    await passTurn()
  }
  return { turns, spent }
}

export function perSecond(meanMs: number): number {
  return 1_000 / meanMs
}

/** Interpolated between the two values next to it; NaN without values. */
export function quantile(values: readonly number[], fraction: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  const position = (sorted.length - 1) * fraction
  const below = sorted[Math.floor(position)] ?? Number.NaN
  const above = sorted[Math.ceil(position)] ?? Number.NaN
  return below + (above - below) * (position % 1)
}

/** The median; for an even count, the lower of the two middle values. */
export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[(values.length - 1) >> 1] ?? Number.NaN
}

/** Collects garbage, so that the memory figures that follow are comparable. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}

/** Sends everything, then mines blocks until all of it is in one. */
export async function sendAndMine(
  chain: EngineChain,
  transactions: readonly string[],
): Promise<readonly string[]> {
  const hashes = await sendAll(chain, transactions)
  let waiting = transactions.length
  while (waiting > 0) {
    const mined = await mineBlock(chain)
    if (mined === 0) throw new Error(`${waiting} transactions are left, and the block is empty`)
    waiting -= mined
  }
  return hashes
}

/**
 * Sends as many as a block is to hold, mines them, and continues with the next ones.
 *
 * @throws Error if a block does not hold exactly the transactions that were sent before it.
 */
export async function sendAndMineBlocks(
  chain: EngineChain,
  transactions: readonly string[],
  perBlock: number,
): Promise<readonly string[]> {
  const hashes: string[] = []
  for (let first = 0; first < transactions.length; first += perBlock) {
    const block = transactions.slice(first, first + perBlock)
    hashes.push(...(await sendAll(chain, block)))
    const mined = await mineBlock(chain)
    if (mined !== block.length) throw new Error(`the block holds ${mined} transactions, not ${block.length}`)
  }
  return hashes
}

/** The hashes of the transactions, which are sent with some in flight. */
function sendAll(chain: EngineChain, transactions: readonly string[]): Promise<string[]> {
  return inFlight(transactions, (raw) => chain.request('eth_sendRawTransaction', [raw]) as Promise<string>)
}

/** Mines one block; the result is the number of its transactions. */
async function mineBlock(chain: EngineChain): Promise<number> {
  await chain.mine()
  return Number(await chain.request('eth_getBlockTransactionCountByNumber', ['latest']))
}

/** Reads every receipt; throws if one is missing or failed. */
export async function readReceipts(chain: EngineChain, hashes: readonly string[]): Promise<void> {
  await inFlight(hashes, async (hash) => {
    const receipt = (await chain.request('eth_getTransactionReceipt', [hash])) as { status: string } | null
    if (receipt?.status !== '0x1') throw new Error(`the receipt of ${hash} is ${JSON.stringify(receipt)}`)
  })
}

async function inFlight<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  let next = 0
  async function takeItems(): Promise<void> {
    while (next < items.length) {
      const index = next
      next += 1
      results[index] = await work(items[index] as Item)
    }
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, takeItems))
  return results
}
