/**
 * A long run under the manual clock: `npx tsx bench/soak.ts`, from the repository root after a build.
 *
 * 20,000 transactions over 2,000 blocks of ten ticks each: half of them transfers, half of ERC-20.
 */

import type { SoakInput, SoakResult } from './children/soak.ts'
import { buildChildren, runChild, writeInput } from './children.ts'
import { quantile } from './measure.ts'
import { recipient } from './recipients.ts'
import { alignColumns, formatValue } from './table.ts'
import { MNEMONIC, type Plan, sign } from './transactions.ts'
import { tokenCall, tokenSetup } from './workload.ts'

const BLOCKS = 2_000
const TICKS_PER_BLOCK = 10
const BLOCKS_PER_WINDOW = 200
const SENDERS = 20

console.error('signing (once; kept in bench/dist)')
const { address, plans } = tokenSetup(SENDERS)
const input: SoakInput = {
  accounts: { mnemonic: MNEMONIC, count: SENDERS },
  setup: await sign(plans),
  transactions: await sign(
    Array.from({ length: BLOCKS * TICKS_PER_BLOCK }, (_, index): Plan => {
      const sender = index % SENDERS
      const nonce = Math.floor(index / SENDERS) + (sender === 0 ? plans.length : 0)
      const to = recipient(index % 1_000)
      return index % 2 === 0
        ? { sender, nonce, gas: 21_000n, to, value: 1n }
        : { sender, nonce, gas: 60_000n, to: address, data: tokenCall(to, 1n) }
    }),
  ),
  ticksPerBlock: TICKS_PER_BLOCK,
  tickMs: 200,
  blocksPerWindow: BLOCKS_PER_WINDOW,
}

buildChildren()
const result = await runChild<SoakResult>('soak', [writeInput('soak', input)])
if (!result) process.exit(1)

console.log('20,000 transactions, 2,000 blocks; times in ms\n')
console.log(
  alignColumns([
    ['blocks', 'heap MiB', 'RSS MiB', 'heap KiB/block', 'tick p50', 'tick p99', 'seal p50', 'seal p99'],
    ...result.windows.map(({ blocks, heapMiB, residentMiB, ticks, seals }, index) => {
      const before = result.windows[index - 1]?.heapMiB ?? result.heapMiB
      return [
        `${blocks}`,
        formatValue(heapMiB),
        formatValue(residentMiB),
        formatValue(((heapMiB - before) * 1_024) / BLOCKS_PER_WINDOW),
        formatValue(quantile(ticks, 0.5)),
        formatValue(quantile(ticks, 0.99)),
        formatValue(quantile(seals, 0.5)),
        formatValue(quantile(seals, 0.99)),
      ]
    }),
  ]),
)
