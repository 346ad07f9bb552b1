/** Makes a chain of blocks with transfers, in a folder or in memory. */
import { readFileSync } from 'node:fs'
import { ClassicLevel } from 'classic-level'
import type { GethGenesis } from '../../src/base/types.ts'
import { loadPreseal } from '../load.ts'
import { elapsed } from '../measure.ts'

export interface FillInput {
  readonly genesis: GethGenesis
  readonly transactions: readonly string[]
  readonly perBlock: number
  /** Of the database; undefined for a chain in memory. */
  readonly folder?: string | undefined
}

export interface FillResult {
  /** Milliseconds of each seal. */
  readonly seals: readonly number[]
  /** Milliseconds of each block, from sending its transactions together to the end of its seal. */
  readonly blocks: readonly number[]
}

const { genesis, transactions, perBlock, folder } = JSON.parse(
  readFileSync(process.argv[2] as string, 'utf8'),
) as FillInput
const { createChain, createManualClock } = await loadPreseal()
const database = folder === undefined ? undefined : new ClassicLevel<never, unknown>(folder)
const chain = await createChain({
  genesis,
  mining: 'manual',
  clock: createManualClock(),
  ...(database && { database }),
})
const seals: number[] = []
const blocks: number[] = []
const send = (raw: string) => chain.standard.request({ method: 'eth_sendRawTransaction', params: [raw] })
for (let sent = 0; sent < transactions.length; sent += perBlock) {
  const included = await elapsed(async () => {
    await Promise.all(transactions.slice(sent, sent + perBlock).map(send))
    await chain.tick()
  })
  const sealed = await elapsed(() => chain.seal())
  seals.push(sealed)
  blocks.push(included + sealed)
}
await chain.close()
await database?.close()
process.send?.({ seals, blocks } satisfies FillResult, () => process.exit())
