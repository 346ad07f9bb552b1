import { verifyMessage } from 'viem'
import { describe, expect, it } from 'vitest'
import { startChain } from '../../harness.ts'
import { ask, askBoth } from '../scene.ts'

describe('personal_sign', () => {
  it('signs a message so that its signer can be recovered', async () => {
    const { preconf, accounts } = await startChain()
    const { address } = accounts[3]!
    const signature = await preconf.request({ method: 'personal_sign', params: ['0x68656c6c6f', address] })
    expect(await verifyMessage({ address, message: 'hello', signature })).toBe(true)
    const withPassword = ['0x68656c6c6f', address.toUpperCase().replace('0X', '0x'), 'secret']
    expect(await ask(preconf, 'personal_sign', withPassword)).toBe(signature)
  })

  it('refuses accounts without a key, and after the permission was revoked', async () => {
    const chain = await startChain()
    const stranger = `0x${'99'.repeat(20)}` as const
    await chain.preconf.request({ method: 'anvil_impersonateAccount', params: [stranger] })
    expect(await askBoth(chain, 'personal_sign', ['0x', stranger])).toEqual({
      both: `error 4100 unknown account ${stranger}`,
    })
    const { address } = chain.accounts[0]!
    await chain.preconf.request({ method: 'wallet_revokePermissions', params: [{ eth_accounts: {} }] })
    expect(await ask(chain.preconf, 'personal_sign', ['0x', address])).toBe(
      `error 4100 unknown account ${address}`,
    )
  })
})
