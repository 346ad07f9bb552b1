import { readFileSync } from 'node:fs'
import type { ChainOptions } from '../../src/index.ts'
import { expectEqual } from '../checks.ts'
import { CHAIN_ID } from '../engines/engine.ts'
import { loadPreseal } from '../load.ts'
import { collectGarbage, elapsed, quantile } from '../measure.ts'

export interface SoakInput {
  readonly accounts: { readonly mnemonic: string; readonly count: number }
  /** By default the chain's own default. */
  readonly history?: ChainOptions['history']
  /** Sealed in their own block before the first window. */
  readonly setup: readonly string[]
  readonly transactions: SoakTransactions
  /** One transaction before each of them. */
  readonly ticksPerBlock: number
  readonly tickMs: number
  readonly windows: number
  readonly blocksPerWindow: number
}

export type SoakTransactions =
  /** One for each tick. */
  | { readonly kind: 'signed'; readonly raw: readonly string[] }
  /** Parameters of eth_sendTransaction, used over and over: the chain signs, so that memory holds few of them. */
  | { readonly kind: 'requests'; readonly requests: readonly object[] }

export interface SoakWindow {
  /** Sealed since the start. */
  readonly blocks: number
  readonly heapMiB: number
  readonly residentMiB: number
  /** Milliseconds of a tick that had a transaction. */
  readonly ticks: Times
  /** Milliseconds of a slot's end: the last tick, the seal and index 0 of the next block. */
  readonly seals: Times
}

export interface Times {
  readonly p50: number
  readonly p99: number
}

export interface SoakResult {
  /** After the set-up. */
  readonly heapMiB: number
  readonly windows: readonly SoakWindow[]
}

const input = JSON.parse(readFileSync(process.argv[2] as string, 'utf8')) as SoakInput
const { transactions, ticksPerBlock, tickMs } = input
const { createChain, createManualClock } = await loadPreseal()
const clock = createManualClock()
const chain = await createChain({
  mining: 'interval',
  clock,
  chainId: CHAIN_ID,
  blockTime: ticksPerBlock * tickMs,
  preconfInterval: tickMs,
  accounts: input.accounts,
  ...(input.history && { history: input.history }),
})
const request = (method: string, params: readonly unknown[]) => chain.standard.request({ method, params })

for (const raw of input.setup) await request('eth_sendRawTransaction', [raw])
await clock.advance(ticksPerBlock * tickMs)
const start = Number(await request('eth_blockNumber', []))

const heapAtStart = heapMiB()
const windows: SoakWindow[] = []
for (let window = 0; window < input.windows; window++) windows.push(await measureWindow(window))
await chain.close()
process.send?.({ heapMiB: heapAtStart, windows } satisfies SoakResult, () => process.exit())

async function measureWindow(window: number): Promise<SoakWindow> {
  const ticks: number[] = []
  const seals: number[] = []
  for (let block = 0; block < input.blocksPerWindow; block++) {
    const first = (window * input.blocksPerWindow + block) * ticksPerBlock
    for (let tick = 1; tick <= ticksPerBlock; tick++) {
      await send(first + tick - 1)
      ticks.push(await elapsed(() => chain.tick()))
      const advance = await elapsed(() => clock.advance(tickMs))
      if (tick === ticksPerBlock) seals.push(advance)
    }
    await checkBlock()
  }
  return {
    blocks: Number(await request('eth_blockNumber', [])) - start,
    heapMiB: heapMiB(),
    residentMiB: process.memoryUsage.rss() / 2 ** 20,
    ticks: timesOf(ticks),
    seals: timesOf(seals),
  }
}

function send(index: number): Promise<unknown> {
  if (transactions.kind === 'signed') return request('eth_sendRawTransaction', [transactions.raw[index]])
  const { requests } = transactions
  return request('eth_sendTransaction', [requests[index % requests.length]])
}

/** Whether the latest block holds a transaction of each tick, which have all succeeded. */
async function checkBlock(): Promise<void> {
  const receipts = (await request('eth_getBlockReceipts', ['latest'])) as { status: string }[]
  const succeeded = receipts.filter(({ status }) => status === '0x1').length
  expectEqual('the number of transactions that succeeded', succeeded, ticksPerBlock)
}

function timesOf(times: readonly number[]): Times {
  return { p50: quantile(times, 0.5), p99: quantile(times, 0.99) }
}

function heapMiB(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed / 2 ** 20
}
