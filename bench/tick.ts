/**
 * The cost of a tick in a large block on a large state: `npx tsx bench/tick.ts`, from the repository root after a
 * build.
 */
import type { TickResult } from './children/tick.ts'
import { buildChildren, runChild, writeInput } from './children.ts'
import { quantile } from './measure.ts'
import { alignColumns, formatValue } from './table.ts'
import { ACCOUNTS, createTickInput, PER_BLOCK, SENDERS, WAITING } from './tickInput.ts'

/** Milliseconds. */
const TICK_AIM = 15

console.error('signing (once; kept in bench/dist)')
const input = await createTickInput()

buildChildren()
const result = await runChild<TickResult>('tick', [writeInput('tick', input)])
if (!result) process.exit(1)

const thousands = (count: number) => count.toLocaleString('en')
console.log(
  `${thousands(ACCOUNTS)} accounts; ${thousands(WAITING)} to ${thousands(PER_BLOCK)} transactions in the block; ms\n`,
)
console.log(
  alignColumns([
    ['', 'times', 'p50', 'p99'],
    line(`tick, ${SENDERS} transfers: ${2 * SENDERS} accounts changed`, result.ticks),
    line('tick, nothing new', result.idleTicks),
    line('the same by chain.tick(), with its result', result.manualTicks),
    line(`seal of ${thousands(PER_BLOCK)} transactions`, result.seals),
  ]),
)

const typical = quantile(result.ticks, 0.5)
console.log(
  typical < TICK_AIM
    ? `\nA tick takes less than ${TICK_AIM} ms, as intended.`
    : `\nMissed: a tick takes ${formatValue(typical)} ms, aimed at ${TICK_AIM}; most of it is hashing the changed accounts.`,
)

function line(label: string, values: readonly number[]): string[] {
  return [label, `${values.length}`, formatValue(quantile(values, 0.5)), formatValue(quantile(values, 0.99))]
}
