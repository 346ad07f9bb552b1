import { expectBalances, expectTokenBalances } from '../checks.ts'
import type { EngineChain } from '../engines/engine.ts'
import { elapsed, readReceipts, sendAndMine, sendAndMineBlocks } from '../measure.ts'
import type { RowGroup } from './row.ts'

const TOKEN_TRANSFERS = 1_000
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
