import { describe, expect, it } from 'vitest'
import { startChain } from '../../harness.ts'
import { askAll } from '../scene.ts'

describe('wallet_switchEthereumChain', () => {
  it('returns null for its own chain, and 4902 for any other', async () => {
    const chain = await startChain({ chainId: 0xabc })
    const answers = await askAll(chain, 'wallet_switchEthereumChain', {
      'its own': [{ chainId: '0xabc' }],
      'its own in capitals': [{ chainId: '0xABC' }],
      another: [{ chainId: '0x1' }],
      'a number': [{ chainId: 0xabc }],
    })
    expect(answers).toMatchInlineSnapshot(`
      {
        "a number": {
          "both": "error -32602 invalid argument 0.chainId: expected a hex quantity of up to 256 bits",
        },
        "another": {
          "both": "error 4902 unrecognized chain ID 0x1",
        },
        "its own": {
          "both": null,
        },
        "its own in capitals": {
          "both": null,
        },
      }
    `)
  })
})
