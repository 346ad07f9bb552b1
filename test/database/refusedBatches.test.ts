/** Each batch of a chain's life is refused once: the chain and what a restart finds agree. */
import { describe, expect, it } from 'vitest'
import { copyOf, memoryLevel, withFailingWrites } from '../core/ledger/failingDatabase.ts'
import { storedOf } from '../core/ledger/storedOf.ts'
import { send } from '../core/sequencer/support.ts'
import { sample } from '../full.ts'
import { startChain } from '../harness.ts'
import { STRANGER } from '../operations.ts'

/** Requests that write in every way: sends, ticks, seals, cheats, settings, a revert and a reorg. */
const STEPS: readonly ((chain: Awaited<ReturnType<typeof startChain>>) => Promise<unknown>)[] = [
  (chain) => send(chain, { nonce: 0 }),
  (chain) => chain.tick(),
  (chain) => chain.seal(),
  (chain) => chain.setBalance(STRANGER, 7n),
  (chain) => chain.standard.request({ method: 'evm_increaseTime', params: [100] } as never),
  (chain) => send(chain, { from: 1, nonce: 0 }),
  (chain) => chain.seal(),
  (chain) => chain.seal(),
  (chain) => chain.standard.request({ method: 'anvil_rollback', params: [1] } as never),
  (chain) => chain.reorg({ depth: 1 }),
]

/** Performs the steps on a database that refuses one batch. @returns the number of batches. */
async function perform(refused: number): Promise<number> {
  const level = memoryLevel()
  let writes = 0
  const database = withFailingWrites(level, (write) => {
    writes = write
    return write === refused
  })
  const start = (on: unknown) => startChain({ database: on as never }, {}, { skipHeaderValidation: true })
  const chain = await start(database).catch((error: Error) => error)
  if (chain instanceof Error) {
    expect(chain.message).toBe('the database cannot be written: disk full')
    return writes
  }
  chain.on('error', () => {})
  for (const step of STEPS) {
    await step(chain).catch(() => {})
    const resumed = await start(await copyOf(level))
    expect(await storedOf(resumed)).toEqual(await storedOf(chain))
    await resumed.close()
    // It may write the batch that is refused.
    await chain.reopenDatabase().catch(() => chain.reopenDatabase())
  }
  await chain.finish()
  return writes
}

describe('a batch that the database refuses', () => {
  it('changes neither the chain nor the database, whichever it is', async () => {
    const batches = await perform(0)
    expect(batches).toBeGreaterThan(STEPS.length)
    const each = Array.from({ length: batches }, (_, i) => i + 1)
    for (const refused of sample(each, 4)) await perform(refused)
  })
})
