import { readFileSync } from 'node:fs'
import { CHAIN_ID } from '../engines/engine.ts'
import { loadPreseal } from '../load.ts'
import { collectGarbage, elapsed } from '../measure.ts'

export interface SoakInput {
  readonly accounts: { readonly mnemonic: string; readonly count: number }
  /** Sealed in their own block before the first window. */
  readonly setup: readonly string[]
  /** One before each tick. */
  readonly transactions: readonly string[]
  readonly ticksPerBlock: number
  readonly tickMs: number
  readonly blocksPerWindow: number
}

export interface SoakWindow {
  /** Sealed since the start. */
  readonly blocks: number
  readonly heapMiB: number
  readonly residentMiB: number
  /** Milliseconds of each tick that had a transaction. */
  readonly ticks: readonly number[]
  /** Milliseconds of each slot's end: the last tick, the seal and index 0 of the next block. */
  readonly seals: readonly number[]
}

export interface SoakResult {
  /** After the set-up. */
  readonly heapMiB: number
  readonly windows: readonly SoakWindow[]
}

const input = JSON.parse(readFileSync(process.argv[2] as string, 'utf8')) as SoakInput
const { ticksPerBlock, tickMs } = input
const { createChain, createManualClock } = await loadPreseal()
const clock = createManualClock()
const chain = await createChain({
  mining: 'interval',
  clock,
  chainId: CHAIN_ID,
  blockTime: ticksPerBlock * tickMs,
  preconfInterval: tickMs,
  accounts: input.accounts,
})
const request = (method: string, params: readonly unknown[]) => chain.standard.request({ method, params })

for (const raw of input.setup) await request('eth_sendRawTransaction', [raw])
await clock.advance(ticksPerBlock * tickMs)
const start = Number(await request('eth_blockNumber', []))

const heapAtStart = heapMiB()
const windows: SoakWindow[] = []
let ticks: number[] = []
let seals: number[] = []
for (const [index, raw] of input.transactions.entries()) {
  await request('eth_sendRawTransaction', [raw])
  ticks.push(await elapsed(() => chain.tick()))
  const advance = await elapsed(() => clock.advance(tickMs))
  if ((index + 1) % ticksPerBlock > 0) continue

  seals.push(advance)
  const mined = await request('eth_getBlockTransactionCountByNumber', ['latest'])
  if (Number(mined) !== ticksPerBlock) throw new Error(`the block holds ${mined} transactions`)
  if (seals.length < input.blocksPerWindow) continue

  const blocks = Number(await request('eth_blockNumber', [])) - start
  windows.push({ blocks, heapMiB: heapMiB(), residentMiB: process.memoryUsage.rss() / 2 ** 20, ticks, seals })
  ticks = []
  seals = []
}
await chain.close()
process.send?.({ heapMiB: heapAtStart, windows } satisfies SoakResult, () => process.exit())

function heapMiB(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed / 2 ** 20
}
