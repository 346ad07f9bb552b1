import type { EngineChain } from '../engines/engine.ts'
import { elapsed, readReceipts, sendAndMine } from '../measure.ts'
import type { RowGroup } from './row.ts'

const TOKEN_TRANSFERS = 1_000

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
    const rates = await throughput(chain, transfers)
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
      spent: 'half of it is the interpreter of @ethereumjs, which turns bigints into bytes and back',
    },
    { label: '1,000 ERC-20 transfers: send, mine', unit: 'ops/s' },
  ],

  async measure(engine, { accounts, token }) {
    const chain = await engine.create({ accounts })
    await readReceipts(chain, await sendAndMine(chain, token.setup))
    const rates = await throughput(chain, token.transfers.slice(0, TOKEN_TRANSFERS))
    await chain.close()
    return rates
  },
}

async function throughput(chain: EngineChain, transactions: readonly string[]): Promise<[number, number]> {
  let hashes: readonly string[] = []
  const mining = await elapsed(async () => {
    hashes = await sendAndMine(chain, transactions)
  })
  const reading = await elapsed(() => readReceipts(chain, hashes))
  const seconds = (ms: number) => ms / 1_000
  return [transactions.length / seconds(mining + reading), transactions.length / seconds(mining)]
}
