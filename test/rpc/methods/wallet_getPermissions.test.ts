import { describe, expect, it } from 'vitest'
import { startChain } from '../../harness.ts'
import { ask, askBoth } from '../scene.ts'

describe('wallet_getPermissions', () => {
  it('returns eth_accounts, unless it was revoked', async () => {
    const chain = await startChain({ accounts: { count: 1 } })
    expect(await askBoth(chain, 'wallet_getPermissions')).toMatchInlineSnapshot(`
      {
        "both": [
          {
            "caveats": [
              {
                "type": "restrictReturnedAccounts",
                "value": [
                  "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
                ],
              },
            ],
            "invoker": "http://localhost",
            "parentCapability": "eth_accounts",
          },
        ],
      }
    `)
    await chain.preconf.request({ method: 'wallet_revokePermissions', params: [{ eth_accounts: {} }] })
    expect(await ask(chain.preconf, 'wallet_getPermissions')).toEqual([])
  })
})
