/**
 * Chains on a database in a folder: `npx tsx bench/databases.ts [--runs N]`, from the repository root after a build.
 *
 * How long a stored chain takes to start, by the number of its blocks and of its accounts, beside anvil with a state file
 * (`--load-state`); and what a block costs on disk, compared with a chain in memory. Every start is a new process.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { FillInput, FillResult } from './children/fill.ts'
import type { ResumeInput, ResumeResult } from './children/resume.ts'
import { buildChildren, runChild, writeInput } from './children.ts'
import { engine as anvil, isAnvilInstalled } from './engines/anvil.ts'
import { elapsed, median } from './measure.ts'
import { recipient, recipients } from './recipients.ts'
import { alignColumns, formatValue } from './table.ts'
import { createGenesis, SENDERS } from './tickInput.ts'
import { type Plan, sign } from './transactions.ts'

const { values: args } = parseArgs({ options: { runs: { type: 'string', default: '7' } } })
const runs = Number(args.runs)

/** Accounts of the chains whose lengths are compared. */
const ACCOUNTS = 1_000
const MANY_ACCOUNTS = 50_000
const SHORT = 500
const LONG = 5_000
/** The length of a chain at 5,000 blocks, compared with one of 500. */
const LENGTH_LIMIT = 1.5
/** Milliseconds from `createChain()` to the first balance. */
const START_LIMIT_MS = 1_500
/** The time of a block on disk, from its transactions to its seal, compared with one in memory. */
const BLOCK_LIMIT = 1.3
/** The transactions of the blocks that are compared. */
const PER_BLOCK = 100
const SEALED = 300

const folder = mkdtempSync(join(tmpdir(), 'preseal-bench-database-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
buildChildren()

// At the same state: from Cancun on, every block adds to the storage of system contracts.
const short = await fill('short', SHORT, 1, ACCOUNTS, 'shanghai')
const long = await fill('long', LONG, 1, ACCOUNTS, 'shanghai')
const large = await fill('large', LONG, 1, MANY_ACCOUNTS)
const starts = { short: [] as number[], long: [] as number[], large: [] as number[], anvil: [] as number[] }
for (let run = 0; run < runs; run++) {
  starts.short.push(await resume(short, SHORT))
  starts.long.push(await resume(long, LONG))
  starts.large.push(await resume(large, LONG))
  if (isAnvilInstalled()) starts.anvil.push(await startAnvil())
}

const made = { disk: [] as Made[], memory: [] as Made[] }
for (let run = 0; run < runs; run++) {
  made.memory.push(toMade(await fill(undefined, SEALED, PER_BLOCK, ACCOUNTS)))
  made.disk.push(toMade(await fill(`sealed-${run}`, SEALED, PER_BLOCK, ACCOUNTS)))
}
const blockOf = (medium: keyof typeof made) => made[medium].map(({ block }) => block)
const sealOf = (medium: keyof typeof made) => made[medium].map(({ seal }) => seal)

const thousands = (count: number) => count.toLocaleString('en')
const ms = (values: readonly number[]) => (values.length === 0 ? '–' : formatValue(median(values)))
console.log(`medians of ${runs} runs; ms\n`)
console.log(
  alignColumns([
    ['createChain() to the first eth_getBalance', 'ms'],
    [`${SHORT} blocks, ${thousands(ACCOUNTS)} accounts, Shanghai`, ms(starts.short)],
    [`${thousands(LONG)} blocks, ${thousands(ACCOUNTS)} accounts, Shanghai`, ms(starts.long)],
    [`${thousands(LONG)} blocks, ${thousands(MANY_ACCOUNTS)} accounts, Prague`, ms(starts.large)],
    [
      `anvil --load-state, ${thousands(MANY_ACCOUNTS)} accounts, no blocks: spawn to balance`,
      ms(starts.anvil),
    ],
  ]),
)
console.log()
console.log(
  alignColumns([
    [
      `a block of ${PER_BLOCK} transfers, median of ${SEALED}, ms`,
      'sent, pre-confirmed, sealed',
      'its seal alone',
    ],
    ['in memory', ms(blockOf('memory')), ms(sealOf('memory'))],
    ['on disk', ms(blockOf('disk')), ms(sealOf('disk'))],
  ]),
)
console.log()
report(
  `${thousands(LONG)} blocks compared with ${SHORT}`,
  median(starts.long) / median(starts.short),
  LENGTH_LIMIT,
)
report(`${thousands(MANY_ACCOUNTS)} accounts, in ms`, median(starts.large), START_LIMIT_MS)
report(
  'a block on disk compared with one in memory',
  median(blockOf('disk')) / median(blockOf('memory')),
  BLOCK_LIMIT,
)

function report(label: string, value: number, limit: number): void {
  console.log(`${value <= limit ? 'kept' : 'MISSED'}: ${label}: ${formatValue(value)}, limit ${limit}`)
}

/** The medians of a chain, in milliseconds. */
interface Made {
  readonly block: number
  readonly seal: number
}

function toMade({ blocks, seals }: FillResult): Made {
  return { block: median(blocks), seal: median(seals) }
}

interface Filled extends FillResult {
  readonly folder: string | undefined
  readonly genesis: FillInput['genesis']
}

/** Makes a chain of blocks with transfers; in a folder of this name, or in memory. */
async function fill(
  name: string | undefined,
  blocks: number,
  perBlock: number,
  accounts: number,
  hardfork?: 'shanghai',
): Promise<Filled> {
  const plans = Array.from({ length: blocks * perBlock }, (_, index): Plan => {
    const nonce = Math.floor(index / SENDERS)
    // All recipients are in the genesis, so that the state has the same size at any length.
    return {
      sender: index % SENDERS,
      nonce,
      gas: 21_000n,
      to: recipient(index % (ACCOUNTS - SENDERS)),
      value: 1n,
    }
  })
  const path = name === undefined ? undefined : join(folder, name)
  const genesis = createGenesis(accounts, hardfork)
  const input: FillInput = { genesis, transactions: await sign(plans), perBlock, folder: path }
  const result = await runChild<FillResult>('fill', [writeInput('fill', input)])
  if (!result) process.exit(1)
  return { ...result, folder: path, genesis }
}

async function resume({ folder, genesis }: Filled, blocks: number): Promise<number> {
  const input: ResumeInput = { genesis, folder: folder!, blocks, address: recipient(0) }
  const result = await runChild<ResumeResult>('resume', [writeInput('resume', input)])
  if (!result) process.exit(1)
  return result.ms
}

/** Milliseconds from the spawn of anvil with a state file until it answers a balance of it. */
async function startAnvil(): Promise<number> {
  const file = join(folder, 'anvil.json')
  const accounts = recipients(MANY_ACCOUNTS).map((address) => [
    address,
    { nonce: 0, balance: '0xde0b6b3a7640000', code: '0x', storage: {} },
  ])
  const rest = { block: null, best_block_number: 0, blocks: [], transactions: [], historical_states: null }
  writeFileSync(file, JSON.stringify({ accounts: Object.fromEntries(accounts), ...rest }))
  let close = async (): Promise<void> => {}
  const spent = await elapsed(async () => {
    const chain = await anvil.create({ flags: ['--load-state', file] })
    close = chain.close
    const balance = await chain.request('eth_getBalance', [recipient(0), 'latest'])
    if (balance !== '0xde0b6b3a7640000') throw new Error(`the balance is ${balance}`)
  })
  await close()
  return spent
}
