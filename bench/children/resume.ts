/** Starts the chain of a folder, and measures until its first balance. */
import { readFileSync } from 'node:fs'
import { ClassicLevel } from 'classic-level'
import type { Address, GethGenesis } from '../../src/base/types.ts'
import { expectEqual } from '../checks.ts'
import { loadPreseal } from '../load.ts'

export interface ResumeInput {
  readonly genesis: GethGenesis
  readonly folder: string
  /** Its number of blocks. */
  readonly blocks: number
  readonly address: Address
}

export interface ResumeResult {
  /** From `createChain()` on. */
  readonly ms: number
}

const { genesis, folder, blocks, address } = JSON.parse(
  readFileSync(process.argv[2] as string, 'utf8'),
) as ResumeInput
const { createChain } = await loadPreseal()
const database = new ClassicLevel<never, unknown>(folder)
const start = performance.now()
const chain = await createChain({ genesis, mining: 'manual', database })
const balance = await chain.standard.request({ method: 'eth_getBalance', params: [address, 'latest'] })
const ms = performance.now() - start
if (BigInt(balance) === 0n) throw new Error(`the balance of ${address} is ${balance}`)
const number = await chain.standard.request({ method: 'eth_blockNumber' })
expectEqual('the number of blocks', number, BigInt(blocks))
await chain.close()
await database.close()
process.send?.({ ms } satisfies ResumeResult, () => process.exit())
