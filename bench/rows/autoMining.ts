import { expectBalances } from '../checks.ts'
import type { EngineChain } from '../engines/engine.ts'
import { meanOfCalls } from '../measure.ts'
import type { RowGroup } from './row.ts'

const WARM_UP = 200
const TRANSFERS = 1_000

export const autoMining: RowGroup = {
  name: 'auto',
  rows: [{ label: 'mined when it is sent: one transfer, send to receipt', unit: 'ms' }],

  async measure(engine, workload) {
    const { accounts, transfers, recipients } = workload
    const chain = await engine.create({ accounts, automine: true })
    await meanOfCalls(WARM_UP, (turn) => sendToReceipt(chain, transfers[turn]))
    const mean = await meanOfCalls(TRANSFERS, (turn) => sendToReceipt(chain, transfers[WARM_UP + turn]))
    await expectBalances(chain, workload, (WARM_UP + TRANSFERS) / recipients.length)
    await chain.close()
    return [mean]
  },
}

/** Reads the receipt until it is there: anvil answers the send before the block is mined. */
async function sendToReceipt(chain: EngineChain, raw: string | undefined): Promise<void> {
  const hash = await chain.request('eth_sendRawTransaction', [raw])
  let receipt: { status: string } | null = null
  while (receipt === null) {
    receipt = (await chain.request('eth_getTransactionReceipt', [hash])) as { status: string } | null
  }
  if (receipt.status !== '0x1') throw new Error(`the receipt of ${hash} is ${JSON.stringify(receipt)}`)
}
