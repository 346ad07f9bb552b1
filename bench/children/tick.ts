import { readFileSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import type { GethGenesis } from '../../src/base/types.ts'
import { expectEqual } from '../checks.ts'
import { loadPreseal } from '../load.ts'
import { elapsed } from '../measure.ts'

export interface TickInput {
  readonly genesis: GethGenesis
  /** Enough for one block more than is measured: the first block is a warm-up. */
  readonly transactions: readonly string[]
  readonly blocks: number
  /** Transactions in the block before the first measured tick. */
  readonly waiting: number
  readonly ticksPerBlock: number
  readonly transactionsPerTick: number
  /** Of one of the recipients, after all transactions. */
  readonly balance: { readonly address: string; readonly wei: string }
}

/** Milliseconds of each. */
export interface TickResult {
  /** By the clock, without listeners. */
  readonly ticks: readonly number[]
  readonly idleTicks: readonly number[]
  /** By `chain.tick()`, which returns the whole block. */
  readonly manualTicks: readonly number[]
  readonly seals: readonly number[]
}

const INTERVAL = 200

const input = JSON.parse(readFileSync(process.argv[2] as string, 'utf8')) as TickInput
const { blocks, waiting, ticksPerBlock, transactionsPerTick } = input
const { createChain, createManualClock } = await loadPreseal()
const clock = createManualClock()
const chain = await createChain({
  genesis: input.genesis,
  mining: 'interval',
  // The timer seals no block meanwhile.
  blockTime: 24 * 3_600_000,
  preconfInterval: INTERVAL,
  clock,
})

const result = {
  ticks: [] as number[],
  idleTicks: [] as number[],
  manualTicks: [] as number[],
  seals: [] as number[],
}
let sent = 0
for (let block = 0; block <= blocks; block++) {
  await send(waiting)
  await clock.advance(INTERVAL)
  for (let tick = 0; tick < ticksPerBlock; tick++) {
    await send(transactionsPerTick)
    const spent = await elapsedAlone(() => clock.advance(INTERVAL))
    const idle = await elapsedAlone(() => clock.advance(INTERVAL))
    const manualTicks = await elapsedAlone(() => chain.tick())
    if (block === 0) continue
    result.ticks.push(spent)
    result.idleTicks.push(idle)
    result.manualTicks.push(manualTicks)
  }
  const spent = await elapsedAlone(() => chain.seal())
  const mined = await chain.standard.request({
    method: 'eth_getBlockTransactionCountByNumber',
    params: ['latest'],
  })
  if (Number(mined) !== waiting + ticksPerBlock * transactionsPerTick) throw new Error(`${mined} were sealed`)
  if (block > 0) result.seals.push(spent)
  // The early seal cancels the remaining ticks of the slot.
  await clock.advance(INTERVAL)
}
const { address, wei } = input.balance
const balance = await chain.standard.request({
  method: 'eth_getBalance',
  params: [address as `0x${string}`, 'latest'],
})
expectEqual(`the balance of ${address}`, balance, BigInt(wei))
await chain.close()
process.send?.(result satisfies TickResult, () => process.exit())

/**
 * The time of `work`, after a turn of the event loop: V8 puts off collections until the loop turns, and an advance
 * turns it, so that it would run those that the sends before it have caused.
 */
async function elapsedAlone(work: () => Promise<unknown>): Promise<number> {
  await setImmediate()
  return elapsed(work)
}

async function send(count: number): Promise<void> {
  for (const raw of input.transactions.slice(sent, sent + count)) {
    await chain.standard.request({ method: 'eth_sendRawTransaction', params: [raw] })
  }
  sent += count
}
