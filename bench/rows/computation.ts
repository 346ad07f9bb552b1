import { callContract } from '../checks.ts'
import { meanOf, readReceipts, sendAndMine } from '../measure.ts'
import type { RowGroup } from './row.ts'

/** The first call uses 58 million. */
const GAS_LIMIT = 100_000_000n

export const computation: RowGroup = {
  name: 'computation',
  rows: [
    { label: 'eth_call that adds in a loop, 10^6 times', unit: 'ms' },
    { label: 'eth_call that hashes 32 bytes, 10^4 times', unit: 'ms' },
  ],

  async measure(engine, { accounts, loops }) {
    const chain = await engine.create({ accounts, gasLimit: GAS_LIMIT })
    await readReceipts(chain, await sendAndMine(chain, loops.setup))
    const means: number[] = []
    for (const { address, answer } of [loops.fibonacci, loops.hashing]) {
      const mean = await meanOf(async () => {
        const answered = await callContract(chain, address)
        if (answered !== answer) throw new Error(`the answer is ${answered}, not ${answer}`)
      })
      means.push(mean)
    }
    await chain.close()
    return means
  },
}
