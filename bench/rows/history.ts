import { setTimeout } from 'node:timers/promises'
import { expectTokenBalances } from '../checks.ts'
import { collectGarbage, elapsed, meanOf, perSecond, readReceipts, sendAndMine } from '../measure.ts'
import type { RowGroup } from './row.ts'

/** The block from which memory is measured: before it, the engine's code is still being compiled. */
const WARM_BLOCKS = 500

export const history: RowGroup = {
  name: 'history',
  rows: [
    { label: 'eth_getLogs, 2,000 blocks, unfiltered: 2,000 logs', unit: 'ms', aim: { edr: 1 } },
    { label: 'eth_getLogs, 2,000 blocks, address + 2 topics: 100 logs', unit: 'ms', aim: { edr: 1 } },
    { label: 'eth_getLogs, 2,000 blocks, absent topic', unit: 'ms', aim: { edr: 1 } },
    {
      label: 'RSS growth per 1,000 blocks',
      unit: 'MiB',
    },
    { label: '2,000 blocks of one ERC-20 transfer, mined one by one', unit: 'ops/s' },
  ],

  async measure(engine, workload) {
    const { accounts, token, recipients } = workload
    const chain = await engine.create({ accounts })
    await readReceipts(chain, await sendAndMine(chain, token.setup))
    const start = Number(await chain.request('eth_blockNumber', []))

    const mineEach = async (transactions: readonly string[]) => {
      for (const raw of transactions) {
        await chain.request('eth_sendRawTransaction', [raw])
        await chain.mine()
      }
    }
    let spent = await elapsed(() => mineEach(token.transfers.slice(0, WARM_BLOCKS)))
    const warm = await residentMiB()
    spent += await elapsed(() => mineEach(token.transfers.slice(WARM_BLOCKS)))
    const growth = (((await residentMiB()) - warm) * 1_000) / (token.transfers.length - WARM_BLOCKS)
    await expectTokenBalances(chain, workload, token.transfers.length / recipients.length)

    const range = {
      fromBlock: `0x${(start + 1).toString(16)}`,
      toBlock: `0x${(start + token.transfers.length).toString(16)}`,
    }
    const { transfer, senders } = token.topics
    const filters = [
      { filter: range, matches: 2_000 },
      { filter: { ...range, address: token.address, topics: [transfer, senders[7]] }, matches: 100 },
      { filter: { ...range, topics: [`0x${'ff'.repeat(32)}`] }, matches: 0 },
    ]
    const means: number[] = []
    for (const { filter, matches } of filters) {
      const logs = (await chain.request('eth_getLogs', [filter])) as unknown[]
      if (logs.length !== matches) throw new Error(`eth_getLogs found ${logs.length} logs, not ${matches}`)
      means.push(await meanOf(() => chain.request('eth_getLogs', [filter])))
    }
    await chain.close()
    return [...means, engine.inProcess ? growth : null, perSecond(spent / token.transfers.length)]
  },
}

/** Milliseconds after a garbage collection in which threads of the engine return the memory that it has freed. */
const RETURN_MS = 300

async function residentMiB(): Promise<number> {
  collectGarbage()
  await setTimeout(RETURN_MS)
  return process.memoryUsage.rss() / 2 ** 20
}
