/**
 * A stream of transfers on a running chain: when each is pre-confirmed, and when it is sealed.
 *
 * Times run from the call of `writeContract` to the event that reports the transaction, so they include the client's
 * work: nonce, fees, gas estimate and signature.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { createChain } from 'preseal'
import { createWalletClient, custom } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { Token } from './contracts/token.ts'

const BLOCK_TIME = 2000
const PRECONF_INTERVAL = 200
const SENDING_MS = 5000
/** Pause between two sends, in milliseconds; not a divisor of the interval, so that sends fall anywhere within it. */
const PAUSE_MS = 67
/** Lines of the live table below its heading. */
const ROWS = 14
const WIDTH = 78

interface Transfer {
  readonly number: number
  readonly sentAt: number
  readonly hash: string
}

/** When, and in which preconf block, a transaction was first seen. */
interface Sighting {
  readonly at: number
  readonly preconf: string
}

interface BuiltBlock {
  readonly index: number
  readonly transactions: number
  readonly hash: string
}

const { stdout } = process
const live = stdout.isTTY && stdout.columns >= WIDTH && stdout.rows > ROWS + 8
const colour = live && process.env['NO_COLOR'] === undefined
const dim = (text: string) => (colour ? `\x1b[2m${text}\x1b[22m` : text)
const bold = (text: string) => (colour ? `\x1b[1m${text}\x1b[22m` : text)
const short = (hash: string) => `${hash.slice(0, 8)}…${hash.slice(-4)}`
const ms = (value: number | undefined) => (value === undefined ? '·' : `${Math.round(value)} ms`)

const transfers: Transfer[] = []
const preconfirmed = new Map<string, Sighting>()
const sealed = new Map<string, number>()
const sealedBlocks: { readonly number: number; readonly transactions: number; readonly hash: string }[] = []
let current = { number: 1, built: [] as BuiltBlock[] }
let kept = 0
let reverted = 0

const chain = await createChain({
  mining: 'interval',
  blockTime: BLOCK_TIME,
  preconfInterval: PRECONF_INTERVAL,
})

chain.on('preconf', ({ index, block, added }) => {
  const at = performance.now()
  const number = Number(block.number)
  if (number !== current.number) current = { number, built: [] }
  current.built.push({ index, transactions: block.transactions.length, hash: block.hash })
  for (const { hash } of block.transactions.slice(added)) {
    preconfirmed.set(hash, { at, preconf: `${number}.${index}` })
  }
  say(
    `block ${number}  preconf block ${String(index).padStart(2)}  ${count(block.transactions.length)}  ${short(block.hash)}`,
  )
})

chain.on('block', ({ block, receipts }) => {
  const at = performance.now()
  const number = Number(block.number)
  for (const { hash } of block.transactions) sealed.set(hash, at)
  reverted += receipts.filter(({ status }) => status !== '0x1').length
  if (current.built.at(-1)?.hash === block.hash) kept += 1
  sealedBlocks.push({ number, transactions: block.transactions.length, hash: block.hash })
  say(`block ${number}  sealed       ${count(block.transactions.length)}  ${short(block.hash)}`)
  say(columns('#', 'sent', 'preconf', 'in', 'sealed'))
  for (const transfer of transfers) if (sealed.get(transfer.hash) === at) say(row(transfer))
})

const [alice, bob] = chain.accounts
const wallet = createWalletClient({
  account: privateKeyToAccount(alice.privateKey),
  chain: foundry,
  transport: custom(chain.live),
})

console.log(
  `${bold('preseal')}  a chain in this process: a block every ${BLOCK_TIME} ms, a preconf block every ${PRECONF_INTERVAL} ms\n`,
)
const deployment = await wallet.sendTransactionSync({ data: Token.bytecode })
const address = deployment.contractAddress!
console.log(`token ${address} is deployed, pre-confirmed in block ${deployment.blockNumber}\n`)
let drawn = 0
const started = performance.now()
if (live) stdout.write('\x1b[?25l')
const redraw = setInterval(draw, 50)
try {
  while (performance.now() - started < SENDING_MS) {
    const sentAt = performance.now()
    const value = BigInt(transfers.length + 1)
    const hash = await wallet.writeContract({
      abi: Token.abi,
      address,
      functionName: 'transfer',
      args: [bob!.address, value],
    })
    transfers.push({ number: transfers.length + 1, sentAt, hash })
    await sleep(PAUSE_MS)
  }
  while (transfers.some(({ hash }) => !sealed.has(hash))) await sleep(PAUSE_MS)
  draw()
} finally {
  clearInterval(redraw)
  if (live) stdout.write('\x1b[?25h')
  await chain.close()
}

const waits = {
  'pre-confirmed': transfers.map(({ hash, sentAt }) => preconfirmed.get(hash)!.at - sentAt),
  sealed: transfers.map(({ hash, sentAt }) => sealed.get(hash)! - sentAt),
}
console.log(`\n${bold(`${transfers.length} transfers`.padEnd(16))}${dim('       p50       p95')}`)
for (const [what, values] of Object.entries(waits)) {
  console.log(
    `${what.padEnd(16)}${ms(percentile(values, 50)).padStart(10)}${ms(percentile(values, 95)).padStart(10)}`,
  )
}
console.log(
  `\n${kept} of ${sealedBlocks.length} blocks were sealed with the hash of their last preconf block; ${reverted} transactions reverted`,
)

/** Prints a line, unless the live table is drawn. */
function say(line: string): void {
  if (!live) console.log(line)
}

function count(transactions: number): string {
  return `${String(transactions).padStart(3)} tx`
}

function row({ number, sentAt, hash }: Transfer): string {
  const seen = preconfirmed.get(hash)
  const end = sealed.get(hash)
  return columns(
    String(number),
    `${((sentAt - started) / 1000).toFixed(2)} s`,
    ms(seen && seen.at - sentAt),
    seen?.preconf ?? '',
    ms(end && end - sentAt),
  )
}

function columns(number: string, sent: string, preconfAt: string, preconf: string, end: string): string {
  return [
    number.padStart(4),
    sent.padStart(8),
    preconfAt.padStart(9),
    preconf.padEnd(5),
    end.padStart(8),
  ].join('  ')
}

/** Draws the latest transfers on the left; on the right the last sealed blocks, then preconf blocks of the current one. */
function draw(): void {
  if (!live) return
  const left = transfers.slice(-ROWS).map(row)
  const right = [
    ...sealedBlocks
      .slice(-3)
      .map(
        ({ number, transactions, hash }) =>
          `${String(number).padStart(2)} sealed ${count(transactions)}  ${short(hash)}`,
      ),
    ...current.built
      .slice(-(ROWS - 3))
      .map(
        ({ index, transactions, hash }) =>
          `${current.number}.${String(index).padEnd(2)}`.padStart(5).padEnd(10) +
          `${count(transactions)}  ${short(hash)}`,
      ),
  ]
  const heading = `${columns('#', 'sent', 'preconf', 'in', 'sealed')}    block          tx  hash`
  const lines = [dim(heading)]
  for (let i = 0; i < ROWS; i++) lines.push(`${(left[i] ?? '').padEnd(42)}    ${right[i] ?? ''}`.trimEnd())
  stdout.write(`${drawn > 0 ? `\x1b[${drawn}A\x1b[J` : ''}${lines.join('\n')}\n`)
  drawn = lines.length
}

/** The percentile by the nearest-rank method. */
function percentile(values: readonly number[], rank: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil((rank / 100) * sorted.length) - 1)]!
}
