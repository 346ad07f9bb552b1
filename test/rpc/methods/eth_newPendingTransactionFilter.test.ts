import { describe, expect, it } from 'vitest'
import { ask, send, startScene } from '../scene.ts'

describe('eth_newPendingTransactionFilter', () => {
  it('collects the hashes of transactions as they enter the mempool, executable or not, on both views', async () => {
    const { chain, accounts } = await startScene()
    const ids = await Promise.all(
      [chain.standard, chain.preconf].map((provider) =>
        provider.request({ method: 'eth_newPendingTransactionFilter' }),
      ),
    )
    const sent = [
      await send(chain, 5, { nonce: 0, to: accounts[0]! }),
      await send(chain, 5, { nonce: 9, to: accounts[0]! }),
    ]
    await ask(chain.preconf, 'eth_sendRawTransaction', ['0xc0'])
    await chain.tick()
    expect(await ask(chain.standard, 'eth_getFilterChanges', [ids[0]])).toEqual(sent)
    expect(await ask(chain.preconf, 'eth_getFilterChanges', [ids[1]])).toEqual(sent)
    expect(await ask(chain.preconf, 'eth_getFilterChanges', [ids[1]])).toEqual([])
  })
})
