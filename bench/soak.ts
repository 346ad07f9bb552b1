/**
 * A long run under the manual clock: `npm run bench:soak -- [--long]`, from the repository root.
 *
 * 20,000 transactions over 2,000 blocks of ten ticks each: half transfer ether, half an ERC-20 token. With `--long` a
 * million over 100,000 blocks, of which the chain keeps the last 10,000: from the second tenth on, neither times
 * nor memory should grow.
 */
import { parseArgs } from 'node:util'
import type { SoakInput, SoakResult, SoakTransactions } from './children/soak.ts'
import { buildChildren, runChild, writeInput } from './children.ts'
import { recipient } from './recipients.ts'
import { alignColumns, formatValue } from './table.ts'
import { account, MNEMONIC, type Plan, sign } from './transactions.ts'
import { tokenCall, tokenSetup } from './workload.ts'

const TICKS_PER_BLOCK = 10
const SENDERS = 20
const RECIPIENTS = 1_000
const WINDOWS = 10
/** Blocks that a long run keeps: those of one window, so that the second one begins with a full history. */
const LONG_HISTORY = 10_000

// Not strict: `npm run bench` has options of its own.
const { values: args } = parseArgs({ options: { long: { type: 'boolean', default: false } }, strict: false })
const blocks = args['long'] ? 100_000 : 2_000
const { address, plans } = tokenSetup(SENDERS)

const input: SoakInput = {
  accounts: { mnemonic: MNEMONIC, count: SENDERS },
  ...(args['long'] && { history: { blocks: LONG_HISTORY } }),
  setup: await sign(plans),
  transactions: args['long'] ? createRequests() : await signTransactions(),
  ticksPerBlock: TICKS_PER_BLOCK,
  tickMs: 200,
  windows: WINDOWS,
  blocksPerWindow: blocks / WINDOWS,
}

buildChildren()
const result = await runChild<SoakResult>('soak', [writeInput('soak', input)])
if (!result) process.exit(1)

const thousands = (count: number) => count.toLocaleString('en')
console.log(`${thousands(blocks * TICKS_PER_BLOCK)} transactions, ${thousands(blocks)} blocks; times in ms\n`)
console.log(
  alignColumns([
    ['blocks', 'heap MiB', 'RSS MiB', 'heap KiB/block', 'tick p50', 'tick p99', 'seal p50', 'seal p99'],
    ...result.windows.map(({ blocks, heapMiB, residentMiB, ticks, seals }, index) => {
      const before = result.windows[index - 1]?.heapMiB ?? result.heapMiB
      return [
        `${blocks}`,
        ...[
          heapMiB,
          residentMiB,
          ((heapMiB - before) * 1_024) / input.blocksPerWindow,
          ticks.p50,
          ticks.p99,
          seals.p50,
          seals.p99,
        ].map(formatValue),
      ]
    }),
  ]),
)

async function signTransactions(): Promise<SoakTransactions> {
  console.error('signing (once; kept in bench/dist)')
  const raw = await sign(
    Array.from({ length: blocks * TICKS_PER_BLOCK }, (_, index): Plan => {
      const sender = index % SENDERS
      const nonce = Math.floor(index / SENDERS) + (sender === 0 ? plans.length : 0)
      return { sender, nonce, ...transferOf(index) }
    }),
  )
  return { kind: 'signed', raw }
}

/** One round over all recipients, in which each sender has its turns. */
function createRequests(): SoakTransactions {
  const requests = Array.from({ length: RECIPIENTS }, (_, index) => {
    const { gas, value = 0n, ...to } = transferOf(index)
    const quantities = { gas: toHex(gas), value: toHex(value), maxFeePerGas: toHex(100n * 10n ** 9n) }
    return { from: account(index % SENDERS).address, ...to, ...quantities }
  })
  return { kind: 'requests', requests }
}

function transferOf(index: number): Pick<Plan, 'gas' | 'to' | 'value' | 'data'> {
  const to = recipient(index % RECIPIENTS)
  return index % 2 === 0
    ? { gas: 21_000n, to, value: 1n }
    : { gas: 60_000n, to: address, data: tokenCall(to, 1n) }
}

function toHex(quantity: bigint): string {
  return `0x${quantity.toString(16)}`
}
