/** Forks a node with one engine, and measures what a user waits for. */
import { readFileSync } from 'node:fs'
import type { ForkOptions } from '../engines/engine.ts'
import { elapsed } from '../measure.ts'

export interface ForkInput {
  readonly engine: string
  readonly fork: ForkOptions
  /** The call that is measured, and its answer. */
  readonly call: object
  readonly answer: string
}

/** Milliseconds. */
export interface ForkResult {
  readonly create: number
  readonly firstCall: number
  readonly calls: number
}

const CALLS = 1_000

const input = JSON.parse(readFileSync(process.argv[2] as string, 'utf8')) as ForkInput
const { engine } = (await import(`../engines/${input.engine}.js`)) as typeof import('../engines/preseal.ts')
const start = performance.now()
const chain = await engine.create({ fork: input.fork })
const number = await chain.request('eth_blockNumber', [])
const create = performance.now() - start
if (Number(number) !== input.fork.block)
  throw new Error(`the block number is ${number}, not ${input.fork.block}`)

async function call(): Promise<void> {
  const answer = await chain.request('eth_call', [input.call, 'latest'])
  if (answer !== input.answer) throw new Error(`the call returned ${answer}, not ${input.answer}`)
}

const firstCall = await elapsed(call)
const calls = await elapsed(async () => {
  for (let i = 0; i < CALLS; i++) await call()
})
await chain.close()
process.send?.({ create, firstCall, calls } satisfies ForkResult, () => process.exit())
