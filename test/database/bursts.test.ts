/** Sends that come together are stored together. */
import { describe, expect, it } from 'vitest'
import { copyOf, memoryLevel, withFailingWrites } from '../core/ledger/failingDatabase.ts'
import { sign } from '../core/sequencer/support.ts'
import { startChain, type TestChain } from '../harness.ts'

const SENDS = 60

/** The transactions that wait. */
function poolOf({ standard }: TestChain): Promise<unknown> {
  return standard.request({ method: 'txpool_content' } as never)
}

/** A chain on a database whose batches are counted, and refused while `fails` says so. */
async function open(fails: () => boolean = () => false) {
  const level = memoryLevel()
  let batches = 0
  const database = withFailingWrites(level, (write) => {
    batches = write
    return fails()
  })
  const chain = await startChain({ database: database as never })
  const raws = await Promise.all(Array.from({ length: SENDS }, (_, nonce) => sign(chain, { nonce })))
  const send = (raw: string) =>
    chain.standard.request({ method: 'eth_sendRawTransaction', params: [raw as never] })
  return { chain, level, raws, send, batches: () => batches }
}

describe('sends at the same time', () => {
  it('are one batch, and all are stored when they are answered', async () => {
    const { chain, level, raws, send, batches } = await open()
    const before = batches()
    const hashes = await Promise.all(raws.map(send))
    expect(batches()).toBe(before + 1)
    expect(new Set(hashes).size).toBe(SENDS)
    const resumed = await startChain({ database: (await copyOf(level)) as never })
    expect(await poolOf(resumed)).toEqual(await poolOf(chain))
    const { pending } = (await poolOf(resumed)) as { readonly pending: object }
    expect(Object.values(pending).flatMap(Object.keys)).toHaveLength(SENDS)
  })

  it('are all refused if their batch is, and leave nothing', async () => {
    let isFull = false
    const { chain, level, raws, send } = await open(() => isFull)
    const before = await poolOf(chain)
    isFull = true
    const settled = await Promise.allSettled(raws.map(send))
    expect(settled.map(({ status }) => status)).toEqual(Array(SENDS).fill('rejected'))
    isFull = false
    expect(await poolOf(chain)).toEqual(before)
    expect(await poolOf(await startChain({ database: (await copyOf(level)) as never }))).toEqual(before)
  })
})
