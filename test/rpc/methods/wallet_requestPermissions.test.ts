import { describe, expect, it } from 'vitest'
import { startChain } from '../../harness.ts'
import { ask } from '../scene.ts'

describe('wallet_requestPermissions', () => {
  it('grants eth_accounts, also after it was revoked, and returns the permissions', async () => {
    const { preconf } = await startChain({ accounts: { count: 1 } })
    const permitted = await ask(preconf, 'wallet_getPermissions')
    expect(await ask(preconf, 'wallet_requestPermissions', [{ eth_accounts: {} }])).toEqual(permitted)
    await preconf.request({ method: 'wallet_revokePermissions', params: [{ eth_accounts: {} }] })
    expect(await ask(preconf, 'wallet_requestPermissions', [{ eth_accounts: {} }])).toEqual(permitted)
    expect(await ask(preconf, 'eth_accounts')).toEqual(['0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'])
  })

  it('refuses other permissions', async () => {
    const { preconf } = await startChain()
    await preconf.request({ method: 'wallet_revokePermissions', params: [{ eth_accounts: {} }] })
    const request = (permissions: unknown) => ask(preconf, 'wallet_requestPermissions', [permissions])
    expect({
      none: await request({}),
      another: await request({ eth_sendTransaction: {} }),
      'another beside it': await request({ eth_accounts: {}, wallet_snap: {} }),
      'some of the accounts': await request({ eth_accounts: { restrictReturnedAccounts: [] } }),
      'no object': await request('eth_accounts'),
    }).toMatchInlineSnapshot(`
      {
        "another": "error -32602 invalid argument 0.eth_sendTransaction: expected no value: eth_accounts is the only permission",
        "another beside it": "error -32602 invalid argument 0.wallet_snap: expected no value: eth_accounts is the only permission",
        "no object": "error -32602 invalid argument 0: expected an object",
        "none": "error -32602 invalid argument 0.eth_accounts: expected an object",
        "some of the accounts": "error -32602 invalid argument 0.eth_accounts.restrictReturnedAccounts: expected no value: caveats are not supported",
      }
    `)
    expect(await ask(preconf, 'eth_accounts')).toEqual([])
  })
})
