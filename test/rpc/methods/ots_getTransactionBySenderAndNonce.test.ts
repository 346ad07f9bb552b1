import { describe, expect, it } from 'vitest'
import { ask, startScene } from '../scene.ts'

describe('ots_getTransactionBySenderAndNonce', () => {
  it('returns the hash of a transaction in a block', async () => {
    const { chain, accounts, first, preconfBlock } = await startScene()
    const read = (view: 'standard' | 'preconf', nonce: unknown, sender = accounts[0]) =>
      ask(chain[view], 'ots_getTransactionBySenderAndNonce', [sender, nonce])
    const sent = first.block.transactions.find(({ from, nonce }) => from === accounts[0] && nonce === '0x1')
    expect(await read('standard', 1)).toBe(sent!.hash)
    expect(await read('standard', '0x1')).toBe(sent!.hash)
    expect(await read('preconf', 3)).toBe(preconfBlock.block.transactions[0]!.hash)
    // The first is hidden on standard, the second waits.
    for (const nonce of [3, 9]) expect(await read('standard', nonce)).toBeNull()
    expect(await read('preconf', 0, accounts[2])).toBeNull()
  })
})
