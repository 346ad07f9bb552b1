/** A served chain in its own process, which says after a collection how much memory it uses, as often as it is asked. */
import { readFileSync } from 'node:fs'
import { loadPreseal, loadServer } from '../load.ts'
import { collectGarbage } from '../measure.ts'

/** The options of its chain. */
export interface MemoryInput {
  readonly accounts: { readonly count: number }
}

export type MemoryReport =
  | { readonly kind: 'listening'; readonly url: string }
  /** The heap and the buffers outside of it. */
  | { readonly kind: 'used'; readonly usedMiB: number }

const { accounts } = JSON.parse(readFileSync(process.argv[2] as string, 'utf8')) as MemoryInput
const { createChain } = await loadPreseal()
const { serve } = await loadServer()
const chain = await createChain({ dialect: 'hardhat', mining: 'auto', accounts })
const server = await serve(chain, { port: 0, preconfPort: 0 })

process.on('message', () => {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  report({ kind: 'used', usedMiB: (heapUsed + external) / 2 ** 20 })
})
process.once('disconnect', async () => {
  await server.close()
  await chain.close()
})
report({ kind: 'listening', url: server.url })

function report(message: MemoryReport): void {
  if (process.connected) process.send?.(message)
}
