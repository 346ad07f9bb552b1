import { describe, expect, it } from 'vitest'
import { startChain } from '../../harness.ts'
import { ALICE } from '../../signing.ts'
import { ask, askBoth } from '../scene.ts'

describe('eth_requestAccounts', () => {
  it('returns the accounts of the chain', async () => {
    const chain = await startChain({ accounts: { count: 1 } })
    expect(await askBoth(chain, 'eth_requestAccounts')).toEqual({ both: [ALICE] })
  })

  it('restores the permission after it was revoked', async () => {
    const { preconf } = await startChain({ accounts: { count: 1 } })
    await preconf.request({ method: 'wallet_revokePermissions', params: [{ eth_accounts: {} }] })
    expect(await ask(preconf, 'eth_requestAccounts', [])).toEqual([ALICE])
    expect(await ask(preconf, 'eth_accounts')).toEqual([ALICE])
  })
})
