/** Mines thousands of blocks in one call while other requests run, over HTTP or in the chain's process. */
import { readFileSync } from 'node:fs'
import type { ChainOptions } from '../../src/index.ts'
import { stateOf } from '../engines/engine.ts'
import { loadPreseal, loadServer } from '../load.ts'
import { mineUnderRequests, type Waits } from '../waits.ts'

export interface BlocksInput {
  readonly options: ChainOptions
  /** Accounts in the state in addition to the chain's own. */
  readonly others: readonly string[]
  /** Mined before anything is measured. */
  readonly before: number
  readonly blocks: number
  readonly served: boolean
}

export type BlocksReport =
  | { readonly kind: 'listening'; readonly url: string }
  | { readonly kind: 'measured'; readonly waits: Waits }

const { options, others, before, blocks, served } = JSON.parse(
  readFileSync(process.argv[2] as string, 'utf8'),
) as BlocksInput
const { createChain } = await loadPreseal()
const chain = await createChain(options)
const request = (method: string, params: readonly unknown[]) => chain.standard.request({ method, params })
if (others.length > 0) await request('anvil_loadState', [stateOf(others)])
await request('hardhat_mine', [before])

if (served) {
  const { serve } = await loadServer()
  const server = await serve(chain, { port: 0, preconfPort: 0 })
  process.once('disconnect', async () => {
    await server.close()
    await chain.close()
  })
  report({ kind: 'listening', url: server.url })
} else {
  const waits = await mineUnderRequests(request, blocks)
  await chain.close()
  report({ kind: 'measured', waits })
}

function report(message: BlocksReport): void {
  process.send?.(message, () => {
    if (message.kind === 'measured') process.exit()
  })
}
