import { describe, expect, it } from 'vitest'
import { startChain } from '../../harness.ts'
import { ask } from '../scene.ts'

describe('wallet_revokePermissions', () => {
  it('revokes eth_accounts, and changes nothing the second time', async () => {
    const { preconf } = await startChain()
    expect(await ask(preconf, 'wallet_revokePermissions', [{ eth_accounts: {} }])).toBe(null)
    expect(await ask(preconf, 'wallet_revokePermissions', [{ eth_accounts: {} }])).toBe(null)
    expect(await ask(preconf, 'eth_accounts')).toEqual([])
  })

  it('refuses other permissions', async () => {
    const { preconf } = await startChain({ accounts: { count: 1 } })
    expect(await ask(preconf, 'wallet_revokePermissions', [{ eth_accounts: {}, wallet_snap: {} }])).toBe(
      'error -32602 invalid argument 0.wallet_snap: expected no value: eth_accounts is the only permission',
    )
    expect(await ask(preconf, 'eth_accounts')).toHaveLength(1)
  })
})
