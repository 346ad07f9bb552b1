import { describe, expect, it } from 'vitest'
import { startChain } from '../../harness.ts'
import { ask, askBoth } from '../scene.ts'

describe('eth_sign', () => {
  it('returns the signature that personal_sign returns', async () => {
    const chain = await startChain()
    const { address } = chain.accounts[1]!
    const signature = await ask(chain.preconf, 'personal_sign', ['0x0102', address])
    expect(await askBoth(chain, 'eth_sign', [address, '0x0102'])).toEqual({ both: signature })
  })

  it('refuses accounts without a key', async () => {
    const chain = await startChain()
    const stranger = `0x${'99'.repeat(20)}`
    expect(await askBoth(chain, 'eth_sign', [stranger, '0x'])).toEqual({
      both: `error 4100 unknown account ${stranger}`,
    })
  })
})
