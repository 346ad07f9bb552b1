/**
 * 8,000 blocks in one call, and how long other requests wait meanwhile: `npx tsx bench/blocks.ts`, from the repository
 * root after a build. Exits with 1 if it exceeds a limit.
 */
import { once } from 'node:events'
import type { ChainOptions } from '../src/index.ts'
import type { BlocksInput, BlocksReport } from './children/blocks.ts'
import { buildChildren, resultOf, startChild, writeInput } from './children.ts'
import { createPoster } from './http.ts'
import { recipients } from './recipients.ts'
import { alignColumns, formatValue } from './table.ts'
import { mineUnderRequests, type Waits } from './waits.ts'

/** 0x1f40. */
const BLOCKS = 8_000
const ACCOUNTS = 50_000
/** Milliseconds. */
const TOTAL_LIMIT = 8_000
const WAIT_LIMIT = 50

interface Variant {
  readonly options: ChainOptions
  readonly others?: readonly string[]
  readonly before?: number
}

const VARIANTS: Readonly<Record<string, Variant>> = {
  plain: { options: { mining: 'manual' } },
  "mining: 'auto'": { options: { mining: 'auto' } },
  "mining: 'interval'": { options: { mining: 'interval' } },
  'full history: each block prunes one': {
    options: { mining: 'manual', history: { blocks: 2_000 } },
    before: 2_500,
  },
  '50,000 accounts': {
    options: { mining: 'manual' },
    others: recipients(ACCOUNTS),
  },
}

buildChildren()
let missed = false
const lines: string[][] = [['', '', '8,000 blocks, ms', 'longest wait, ms']]
for (const [name, variant] of Object.entries(VARIANTS)) {
  for (const served of [false, true]) {
    const { total, longest } = await measure(variant, served)
    lines.push([name, served ? 'HTTP' : 'in process', formatValue(total), formatValue(longest)])
    missed ||= total > TOTAL_LIMIT || longest > WAIT_LIMIT
  }
}
console.log(alignColumns(lines))
const limits = `less than ${TOTAL_LIMIT / 1_000} s, and no other request waits for more than ${WAIT_LIMIT} ms`
console.log(missed ? `\nMissed: the limits are ${limits}.` : `\nWithin the limits: ${limits}.`)
if (missed) process.exitCode = 1

async function measure({ options, others = [], before = 100 }: Variant, served: boolean): Promise<Waits> {
  const input: BlocksInput = { options, others, before, blocks: BLOCKS, served }
  const child = startChild('blocks', [writeInput('blocks', input)])
  const report = await resultOf<BlocksReport>(child)
  if (report === undefined) throw new Error('the chain failed')
  if (report.kind === 'measured') return report.waits

  const { request, close } = createPoster(report.url)
  const waits = await mineUnderRequests(request, BLOCKS)
  close()
  const exited = once(child, 'exit')
  child.disconnect()
  await exited
  return waits
}
