import { describe, expect, it } from 'vitest'
import { startChain } from '../../harness.ts'
import { ask, askBoth } from '../scene.ts'

describe('eth_accounts', () => {
  it('lists the accounts of the chain on both views without eth_requestAccounts', async () => {
    const chain = await startChain({ accounts: { count: 2 } })
    expect(await askBoth(chain, 'eth_accounts', [])).toEqual({
      both: ['0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266', '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'],
    })
  })

  it('is empty for a chain without accounts', async () => {
    const chain = await startChain({ accounts: { count: 0 } })
    expect(await askBoth(chain, 'eth_accounts')).toEqual({ both: [] })
  })

  it('is empty only on a connection whose permission was revoked', async () => {
    const chain = await startChain({ accounts: { count: 1 } })
    await chain.preconf.request({ method: 'wallet_revokePermissions', params: [{ eth_accounts: {} }] })
    const accounts = ['0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266']
    expect(await askBoth(chain, 'eth_accounts')).toEqual({ standard: accounts, preconf: [] })
    expect(await ask(chain.provider('preconf'), 'eth_accounts')).toEqual(accounts)
  })

  it('returns a new list each time', async () => {
    const chain = await startChain({ accounts: { count: 1 } })
    const accounts = await chain.preconf.request({ method: 'eth_accounts' })
    accounts.length = 0
    expect(await chain.preconf.request({ method: 'eth_accounts' })).toHaveLength(1)
  })
})
