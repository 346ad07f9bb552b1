import type { EngineChain } from '../engines/engine.ts'
import { elapsed, readReceipts, sendAndMine } from '../measure.ts'
import { recipients } from '../recipients.ts'
import type { RowGroup } from './row.ts'

const ACCOUNTS = 50_000
const REVERTS = 500

export const reverts: RowGroup = {
  name: 'reverts',
  rows: [{ label: 'evm_revert alone, over a mined transfer, 50,000 accounts', unit: 'ms' }],

  async measure(engine, { accounts, transfers, recipients: [first] }) {
    // ganache takes minutes to create so many accounts.
    if (engine.name === 'ganache') return [null]
    const chain = await engine.create({ accounts, others: recipients(ACCOUNTS) })
    await chain.mine()
    const state = () =>
      Promise.all([
        chain.request('eth_blockNumber', []),
        chain.request('eth_getBalance', [first?.address, 'latest']),
      ])
    const before = await state()

    // On anvil a block takes a tenth of a second on such a state.
    const count = engine.inProcess ? REVERTS : REVERTS / 10
    await meanRevert(chain, transfers.slice(0, 1), count)
    const mean = await meanRevert(chain, transfers.slice(0, 1), count)

    const after = await state()
    if (after.join() !== before.join()) throw new Error(`block and balance are ${after}, not ${before}`)
    await chain.close()
    return [mean]
  },
}

/** Mean milliseconds of `evm_revert` over a block of these transactions. */
async function meanRevert(chain: EngineChain, block: readonly string[], count: number): Promise<number> {
  let spent = 0
  for (let turn = 0; turn < count; turn++) {
    const id = await chain.request('evm_snapshot', [])
    await readReceipts(chain, await sendAndMine(chain, block))
    let reverted: unknown
    spent += await elapsed(async () => {
      reverted = await chain.request('evm_revert', [id])
    })
    if (reverted !== true) throw new Error(`no return to ${id}`)
  }
  return spent / count
}
