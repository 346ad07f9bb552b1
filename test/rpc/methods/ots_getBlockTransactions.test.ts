import { describe, expect, it } from 'vitest'
import { ask, startScene, tokenCall } from '../scene.ts'

describe('ots_getBlockTransactions', () => {
  it('returns pages from the end of the block', async () => {
    const { chain, first } = await startScene()
    const page = async (number: number, size: number) => {
      const found = await chain.standard.request({
        method: 'ots_getBlockTransactions',
        params: ['0x1', number, size],
      })
      expect(found?.receipts.map(({ transactionHash }) => transactionHash)).toEqual(
        found?.fullblock.transactions.map(({ hash }) => hash),
      )
      return found!.fullblock.transactions.map(({ transactionIndex }) => Number(transactionIndex))
    }
    expect(first.block.transactions).toHaveLength(3)
    expect([
      await page(0, 2),
      await page(1, 2),
      await page(2, 2),
      await page(0, 9),
      await page(0, 0),
    ]).toEqual([[1, 2], [0], [], [0, 1, 2], []])
  })

  it('shortens inputs and leaves out logs', async () => {
    const { chain, second, accounts } = await startScene()
    const [tx] = second.block.transactions
    const [receipt] = second.receipts
    const { transactions, ...block } = second.block
    expect(await ask(chain.standard, 'ots_getBlockTransactions', [2, 0, 25])).toEqual({
      fullblock: {
        ...block,
        transactionCount: 1,
        logsBloom: null,
        transactions: [{ ...tx, input: tokenCall('transfer', [accounts[1], 2n]).slice(0, 10) }],
      },
      receipts: [{ ...receipt, logs: null, logsBloom: null }],
    })
    expect(await ask(chain.standard, 'ots_getBlockTransactions', [9, 0, 25])).toBeNull()
    expect(await ask(chain.standard, 'ots_getBlockTransactions', [2, -1, 25])).toMatch(/^error -32602 /)
  })
})
