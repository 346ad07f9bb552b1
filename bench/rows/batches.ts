import { expectBalances, expectTokenBalances } from '../checks.ts'
import type { EngineChain } from '../engines/engine.ts'
import { elapsed, readReceipts, sendAndMine, sendAndMineBlocks } from '../measure.ts'
import type { RowGroup } from './row.ts'

const TOKEN_TRANSFERS = 1_000
/** Sends that are awaited together. */
const BURST = 1_000
/** In the groups of small blocks. */
const PER_BLOCK = 200

export const transfers: RowGroup = {
  name: 'transfers',
  rows: [
    {
      label: '2,000 transfers: send, mine, receipts',
      unit: 'ops/s',
      aim: { ganache: 6, edr: 0.6 },
      spent: 'two thirds of a transfer are the recovery of its sender, at 0.15 ms in WebAssembly',
    },
    { label: '2,000 transfers: send, mine', unit: 'ops/s' },
  ],

  async measure(engine, { accounts, transfers }) {
    const chain = await engine.create({ accounts })
    const rates = await throughput(chain, transfers, sendAndMine)
    await chain.close()
    return rates
  },
}

/** What a user does who awaits all sends together, without a batch: the first burst of a process, and a later one. */
export const bursts: RowGroup = {
  name: 'bursts',
  rows: [
    { label: '1,000 transfers awaited together, the first burst', unit: 'ms' },
    { label: '1,000 transfers awaited together, the second burst', unit: 'ms' },
  ],

  async measure(engine, workload) {
    // Over HTTP it would measure the opening of a thousand connections.
    if (!engine.inProcess) return [null, null]
    const { accounts, transfers, recipients } = workload
    const chain = await engine.create({ accounts })
    const times: number[] = []
    for (const from of [0, BURST]) {
      const burst = transfers.slice(from, from + BURST)
      let sent: readonly unknown[] = []
      times.push(
        await elapsed(async () => {
          sent = await Promise.all(burst.map((raw) => chain.request('eth_sendRawTransaction', [raw])))
        }),
      )
      await chain.mine()
      await readReceipts(chain, sent as readonly string[])
    }
    await expectBalances(chain, workload, (2 * BURST) / recipients.length)
    await chain.close()
    return times
  },
}

export const tokenTransfers: RowGroup = {
  name: 'erc20',
  rows: [
    {
      label: '1,000 ERC-20 transfers: send, mine, receipts',
      unit: 'ops/s',
      aim: { ganache: 3, edr: 0.4 },
    },
    { label: '1,000 ERC-20 transfers: send, mine', unit: 'ops/s' },
  ],

  async measure(engine, { accounts, token }) {
    const chain = await engine.create({ accounts })
    await readReceipts(chain, await sendAndMine(chain, token.setup))
    const rates = await throughput(chain, token.transfers.slice(0, TOKEN_TRANSFERS), sendAndMine)
    await chain.close()
    return rates
  },
}

export const transferBlocks: RowGroup = {
  name: 'transferBlocks',
  rows: [{ label: '2,000 transfers in blocks of 200: send, mine, receipts', unit: 'ops/s' }],

  async measure(engine, workload) {
    const { accounts, transfers, recipients } = workload
    const chain = await engine.create({ accounts })
    const [rate] = await throughput(chain, transfers, sendInBlocks)
    await expectBalances(chain, workload, transfers.length / recipients.length)
    await chain.close()
    return [rate]
  },
}

export const tokenBlocks: RowGroup = {
  name: 'erc20Blocks',
  rows: [{ label: '1,000 ERC-20 transfers in blocks of 200: send, mine, receipts', unit: 'ops/s' }],

  async measure(engine, workload) {
    const { accounts, token, recipients } = workload
    const chain = await engine.create({ accounts })
    await readReceipts(chain, await sendAndMine(chain, token.setup))
    const [rate] = await throughput(chain, token.transfers.slice(0, TOKEN_TRANSFERS), sendInBlocks)
    await expectTokenBalances(chain, workload, TOKEN_TRANSFERS / recipients.length)
    await chain.close()
    return [rate]
  },
}

const sendInBlocks: typeof sendAndMine = (chain, transactions) =>
  sendAndMineBlocks(chain, transactions, PER_BLOCK)

/** Transactions per second: with their receipts, and without. */
async function throughput(
  chain: EngineChain,
  transactions: readonly string[],
  mine: typeof sendAndMine,
): Promise<[number, number]> {
  let hashes: readonly string[] = []
  const mining = await elapsed(async () => {
    hashes = await mine(chain, transactions)
  })
  const reading = await elapsed(() => readReceipts(chain, hashes))
  const seconds = (ms: number) => ms / 1_000
  return [transactions.length / seconds(mining + reading), transactions.length / seconds(mining)]
}
