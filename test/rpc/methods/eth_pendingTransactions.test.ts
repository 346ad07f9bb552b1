import { describe, expect, it } from 'vitest'
import type { PresealRpcTransaction } from '../../../src/index.ts'
import { ask, startScene } from '../scene.ts'

describe('eth_pendingTransactions', () => {
  it('lists waiting transactions on both views, executable ones before queued ones', async () => {
    const { chain, accounts } = await startScene()
    for (const provider of [chain.standard, chain.preconf]) {
      const waiting = (await ask(provider, 'eth_pendingTransactions')) as PresealRpcTransaction[]
      expect(waiting.map(({ from, nonce }) => [from, nonce])).toEqual([
        [accounts[2], '0x0'],
        [accounts[3], '0x1'],
      ])
      const [first] = waiting
      expect(first).toEqual(await ask(chain.standard, 'eth_getTransactionByHash', [first!.hash]))
    }
  })
})
