import { describe, expect, it } from 'vitest'
import { ask, askAll, positions, startScene } from '../scene.ts'

describe('ots_getBlockDetails', () => {
  it('returns a block without transactions and bloom, with its fees', async () => {
    const { chain, second } = await startScene()
    const { transactions, logsBloom, ...block } = second.block
    const [receipt] = second.receipts
    const fees = BigInt(receipt!.gasUsed) * BigInt(receipt!.effectiveGasPrice)
    const details = {
      block: { ...block, transactionCount: 1, logsBloom: null },
      issuance: { blockReward: '0x0', uncleReward: '0x0', issuance: '0x0' },
      totalFees: `0x${fees.toString(16)}`,
    }
    for (const provider of [chain.standard, chain.preconf]) {
      expect(await ask(provider, 'ots_getBlockDetails', ['0x2'])).toEqual(details)
      expect(await ask(provider, 'ots_getBlockDetails', [2])).toEqual(details)
    }
  })

  it('returns the block under construction on preconf only', async () => {
    const { chain } = await startScene()
    const all = await askAll(
      chain,
      'ots_getBlockDetails',
      positions((block) => [block]),
    )
    const counts = JSON.parse(JSON.stringify(all, (_key, value) => value?.block?.transactionCount ?? value))
    expect(counts).toMatchObject({
      '0x1': 'as safe',
      '0x3': 'as pending',
      '0x4': { both: null },
      pending: { standard: null, preconf: 4 },
    })
  })
})
