import { describe, expect, it } from 'vitest'
import { ask, send, startScene } from '../scene.ts'

describe('eth_uninstallFilter', () => {
  it.each(['eth_newFilter', 'eth_newBlockFilter', 'eth_newPendingTransactionFilter'] as const)(
    'ends a filter of %s, and is true once',
    async (method) => {
      const { chain, accounts } = await startScene()
      const id = await ask(chain.preconf, method, method === 'eth_newFilter' ? [{}] : [])
      expect(await ask(chain.standard, 'eth_uninstallFilter', [id])).toBe(false)
      expect(await ask(chain.preconf, 'eth_uninstallFilter', [id])).toBe(true)
      expect(await ask(chain.preconf, 'eth_uninstallFilter', [id])).toBe(false)
      await send(chain, 5, { nonce: 0, to: accounts[0]! })
      expect(await ask(chain.preconf, 'eth_getFilterChanges', [id])).toBe('error -32000 filter not found')
    },
  )
})
