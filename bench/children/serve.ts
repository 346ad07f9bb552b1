/** A served chain in its own process; reports its address, its load and closed connections to the parent. */
import { readFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { CHAIN_ID } from '../engines/engine.ts'
import { loadPreseal, loadServer } from '../load.ts'

export interface ServeInput {
  readonly accounts: { readonly mnemonic: string; readonly count: number }
  /** Sealed in their own block before the first connection. */
  readonly setup: readonly string[]
  /** The folder of its database; without one it keeps its blocks in memory. */
  readonly folder?: string
}

/** Once a second. */
export interface ServeSample {
  readonly residentMiB: number
  /** The heap and the buffers outside of it. */
  readonly usedMiB: number
  /** Processor time since the previous sample, as a share of one core. */
  readonly cpuShare: number
  /** The longest time that the event loop was blocked since the previous sample. */
  readonly busyMs: number
  /** Ticks that were skipped since the start. */
  readonly missedTicks: number
}

export type ServeReport =
  | { readonly kind: 'listening'; readonly url: string }
  | ({ readonly kind: 'sample' } & ServeSample)
  /** A connection was closed, by either side. */
  | { readonly kind: 'ended' }

const SAMPLE_MS = 1_000
/** Few enough that the chain's own growth does not hide the growth by its connections. */
const HISTORY = { blocks: 4, proofs: 1 }

const input = JSON.parse(readFileSync(process.argv[2] as string, 'utf8')) as ServeInput
const { createChain } = await loadPreseal()
const { serve } = await loadServer()
const database = input.folder === undefined ? undefined : await openDatabase(input.folder)
const chain = await createChain({
  chainId: CHAIN_ID,
  accounts: input.accounts,
  // A block holds the transactions of any rate.
  gasLimit: 2_000_000_000n,
  history: HISTORY,
  ...(database && { database }),
})
const server = await serve(
  { ...chain, provider: (...of) => chain.provider(...of).on('disconnect', () => report({ kind: 'ended' })) },
  { port: 0, preconfPort: 0 },
)
for (const raw of input.setup) {
  await chain.standard.request({ method: 'eth_sendRawTransaction', params: [raw as `0x${string}`] })
}
await chain.seal()

const delay = monitorEventLoopDelay({ resolution: 5 })
delay.enable()
let cpu = process.cpuUsage()
let sampledAt = performance.now()
const sampling = setInterval(() => {
  const spent = process.cpuUsage(cpu)
  const elapsed = performance.now() - sampledAt
  cpu = process.cpuUsage()
  sampledAt += elapsed
  const { rss, heapUsed, external } = process.memoryUsage()
  report({
    kind: 'sample',
    residentMiB: rss / 2 ** 20,
    usedMiB: (heapUsed + external) / 2 ** 20,
    cpuShare: (spent.user + spent.system) / 1_000 / elapsed,
    busyMs: delay.max / 1e6,
    missedTicks: chain.missedTicks,
  })
  delay.reset()
}, SAMPLE_MS)

process.once('disconnect', async () => {
  clearInterval(sampling)
  await server.close()
  await chain.close()
  await database?.close()
})
report({ kind: 'listening', url: server.preconfUrl })

/** Only runs with a folder load it. */
async function openDatabase(folder: string) {
  const { ClassicLevel } = await import('classic-level')
  return new ClassicLevel<Uint8Array, Uint8Array>(folder, { keyEncoding: 'view', valueEncoding: 'view' })
}

function report(message: ServeReport): void {
  if (process.connected) process.send?.(message)
}
