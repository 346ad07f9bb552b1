import { describe, expect, it } from 'vitest'
import { ask, startScene } from '../scene.ts'

/** What it finds is tested together with ots_searchTransactionsBefore. */
describe('ots_searchTransactionsAfter', () => {
  it('returns the oldest transactions after a block, the newest first', async () => {
    const { chain, accounts, first, second, preconfBlock } = await startScene()
    const search = async (view: 'standard' | 'preconf', block: number | '0x1', size: number) => {
      const found = await chain[view].request({
        method: 'ots_searchTransactionsAfter',
        params: [accounts[0]!, block, size],
      })
      return { ...found, txs: found.txs.map(({ hash }) => hash), receipts: found.receipts.length }
    }
    const [one, two, three] = [first, second, preconfBlock].map(({ block }) =>
      block.transactions
        .filter(({ from }) => from === accounts[0])
        .map(({ hash }) => hash)
        .reverse(),
    )
    // A page has all transactions of its last block.
    expect(await search('standard', 0, 1)).toEqual({
      txs: one,
      receipts: 2,
      firstPage: false,
      lastPage: true,
    })
    expect(await search('standard', '0x1', 1)).toEqual({
      txs: two,
      receipts: 1,
      firstPage: true,
      lastPage: false,
    })
    expect(await search('preconf', 1, 9)).toEqual({
      txs: [...three!, ...two!],
      receipts: 3,
      firstPage: true,
      lastPage: false,
    })
    expect(await search('standard', 2, 9)).toEqual({ txs: [], receipts: 0, firstPage: true, lastPage: false })
    expect(await ask(chain.standard, 'ots_searchTransactionsAfter', [accounts[0], 0])).toMatch(
      /^error -32602 /,
    )
  })
})
