/**
 * A long life under the manual clock: `npx tsx bench/soak.ts`, from the repository root after a build.
 *
 * 20,000 transactions over 2,000 blocks of ten ticks each: half of them transfers, half of ERC-20.
 */
import { CHAIN_ID } from './engines/engine.ts'
import { loadPreseal } from './load.ts'
import { collectGarbage, elapsed, quantile } from './measure.ts'
import { alignColumns, formatValue } from './table.ts'
import { MNEMONIC, type Plan, sign } from './transactions.ts'
import { recipient, tokenCall, tokenSetup } from './workload.ts'

const BLOCKS = 2_000
/** One transaction before each. */
const TICKS_PER_BLOCK = 10
const TICK_MS = 200
const SENDERS = 20
/** Blocks per printed line. */
const WINDOW = 200

const { createChain, createManualClock } = await loadPreseal()

console.error('signing (once; kept in bench/dist)')
const { address, plans } = tokenSetup(SENDERS)
const setup = await sign(plans)
const transactions = await sign(
  Array.from({ length: BLOCKS * TICKS_PER_BLOCK }, (_, index): Plan => {
    const sender = index % SENDERS
    const nonce = Math.floor(index / SENDERS) + (sender === 0 ? plans.length : 0)
    const to = recipient(index % 1_000)
    return index % 2 === 0
      ? { sender, nonce, gas: 21_000n, to, value: 1n }
      : { sender, nonce, gas: 60_000n, to: address, data: tokenCall(to, 1n) }
  }),
)

const clock = createManualClock()
const chain = await createChain({
  mining: 'interval',
  clock,
  chainId: CHAIN_ID,
  blockTime: TICKS_PER_BLOCK * TICK_MS,
  preconfInterval: TICK_MS,
  accounts: { mnemonic: MNEMONIC, count: SENDERS },
})
const request = (method: string, params: readonly unknown[]) => chain.standard.request({ method, params })

for (const raw of setup) await request('eth_sendRawTransaction', [raw])
await clock.advance(TICKS_PER_BLOCK * TICK_MS)

const lines = [
  ['blocks', 'heap MiB', 'RSS MiB', 'heap KiB/block', 'tick p50', 'tick p99', 'seal p50', 'seal p99'],
]
let heap = heapMiB()
let ticks: number[] = []
let seals: number[] = []
for (const [index, raw] of transactions.entries()) {
  await request('eth_sendRawTransaction', [raw])
  ticks.push(await elapsed(() => chain.tick()))
  const advance = await elapsed(() => clock.advance(TICK_MS))
  if ((index + 1) % TICKS_PER_BLOCK > 0) continue

  seals.push(advance)
  if (seals.length === WINDOW) {
    const before = heap
    heap = heapMiB()
    lines.push([
      `${(index + 1) / TICKS_PER_BLOCK}`,
      formatValue(heap),
      formatValue(process.memoryUsage.rss() / 2 ** 20),
      formatValue(((heap - before) * 1_024) / WINDOW),
      ...[ticks, seals].flatMap((values) => [
        formatValue(quantile(values, 0.5)),
        formatValue(quantile(values, 0.99)),
      ]),
    ])
    ticks = []
    seals = []
  }
}

const sealed = Number(await request('eth_blockNumber', []))
if (sealed !== BLOCKS + 1) throw new Error(`${sealed} blocks were sealed, not ${BLOCKS + 1}`)
const last = await request('eth_getBlockTransactionCountByNumber', ['latest'])
if (Number(last) !== TICKS_PER_BLOCK) throw new Error(`the last block holds ${Number(last)} transactions`)
await chain.close()

console.log('20,000 transactions, 2,000 blocks; times in ms\n')
console.log(alignColumns(lines))

function heapMiB(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed / 2 ** 20
}
