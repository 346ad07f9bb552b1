/** A chain whose requests work until they are ended, and whether one of them still does. */
import { expect, onTestFinished } from 'vitest'
import { realNow, replaceRealTime, systemClock } from '../../src/base/clock.ts'
import type { Address, Hash } from '../../src/base/types.ts'
import { compilation } from '../../src/ethereum/evm/engine/hotCode.ts'
import type { ChainOptions } from '../../src/index.ts'
import { send } from '../core/sequencer/support.ts'
import { startChain } from '../harness.ts'
import { ask } from './scene.ts'

const at = (byte: string): Address => `0x${byte.repeat(20)}`
/** Loops for 6 million gas. */
export const LOOPING = at('e1')
/** Reads another slot with each gas limit, and so with each access list, after 20,000 gas. */
const GAS_SLOT = at('e2')
/** Loops until it has no gas. */
export const ENDLESS = at('e3')

export const GAS = '0x2faf080'

/** A chain with contracts that run for long, under a real time that advances by 1 ms at each reading. */
export async function startBusy(options: ChainOptions = {}) {
  // Compiled code ends soon, and the compiler pauses too.
  const { isRefused } = compilation
  compilation.isRefused = true
  onTestFinished(() => {
    compilation.isRefused = isRefused
  })
  const chain = await startChain({ engine: 'preseal', ...options })
  await ask(chain.preconf, 'anvil_setCode', [LOOPING, '0x620382705b60019003806004570000'])
  await ask(chain.preconf, 'anvil_setCode', [GAS_SLOT, '0x5a5450610200805b6001900380600757'])
  await ask(chain.preconf, 'anvil_setCode', [ENDLESS, '0x5b5f56'])
  const hashes: Hash[] = []
  for (let nonce = 0; nonce < 2; nonce++) {
    hashes.push(await send(chain, { nonce, to: LOOPING, gas: 7_000_000n }))
  }
  await chain.seal()
  let now = realNow()
  onTestFinished(replaceRealTime(() => ++now))
  /** Whether something looks at the clock within some turns of the event loop. */
  const isBusy = async () => {
    const before = now
    for (let turns = 0; turns < 5; turns++) await systemClock.yield()
    return now !== before
  }
  /** Starts work. @returns what it results in, once it looks at the clock all the time. */
  const start = async (work: () => Promise<unknown>) => {
    let isOver = false
    const result = work().finally(() => {
      isOver = true
    })
    for (let busy = 0; busy < 3 && !isOver; ) busy = (await isBusy()) ? busy + 1 : 0
    expect(isOver ? await result : false).toBe(false)
    return { result }
  }
  return { chain, hashes, isBusy, start }
}

/** Requests that work for long. */
export const requestsOf = (
  from: Address,
): readonly (readonly [method: string, params: readonly unknown[]])[] => [
  ['eth_call', [{ to: ENDLESS, gas: GAS }, 'latest']],
  ['eth_estimateGas', [{ to: ENDLESS, gas: GAS }]],
  ['eth_createAccessList', [{ to: GAS_SLOT, gas: GAS }]],
  ['eth_fillTransaction', [{ from, to: ENDLESS }]],
  ['eth_sendTransaction', [{ from, to: ENDLESS }]],
  ['eth_simulateV1', [{ blockStateCalls: [{ calls: [{ to: ENDLESS }] }] }]],
  ['debug_traceCall', [{ to: ENDLESS, gas: GAS }, 'latest', { tracer: 'callTracer' }]],
  ['debug_traceBlockByNumber', ['0x1', { tracer: 'callTracer' }]],
  ['trace_block', ['0x1']],
  ['trace_filter', [{}]],
  ['ots_searchTransactionsBefore', [at('77'), 0, 25]],
]
