import { describe, expect, it } from 'vitest'
import { startChain } from '../../harness.ts'
import { askAll } from '../scene.ts'

describe('wallet_addEthereumChain', () => {
  it('returns null for its own chain, and refuses any other', async () => {
    const chain = await startChain()
    const nativeCurrency = { name: 'Ether', symbol: 'ETH', decimals: 18 }
    const described = {
      chainName: 'Foundry',
      nativeCurrency,
      rpcUrls: ['http://127.0.0.1:8545'],
      blockExplorerUrls: undefined,
      iconUrls: undefined,
    }
    const answers = await askAll(chain, 'wallet_addEthereumChain', {
      'its own': [{ chainId: '0x7a69', ...described }],
      'its own, undescribed': [{ chainId: '0x7a69' }],
      another: [{ chainId: '0x1', ...described }],
      'no chain': [{ ...described }],
      'a name that is none': [{ chainId: '0x7a69', chainName: 1 }],
      'decimals in hex': [{ chainId: '0x7a69', nativeCurrency: { ...nativeCurrency, decimals: '0x12' } }],
      'URLs that are none': [{ chainId: '0x7a69', rpcUrls: [null] }],
    })
    expect(answers).toMatchInlineSnapshot(`
      {
        "URLs that are none": {
          "both": "error -32602 invalid argument 0.rpcUrls[0]: expected a string",
        },
        "a name that is none": {
          "both": "error -32602 invalid argument 0.chainName: expected a string",
        },
        "another": {
          "both": "error -32602 invalid argument 0.chainId: expected this chain's id (0x7a69)",
        },
        "decimals in hex": {
          "both": "error -32602 invalid argument 0.nativeCurrency.decimals: expected an integer >= 0",
        },
        "its own": {
          "both": null,
        },
        "its own, undescribed": {
          "both": null,
        },
        "no chain": {
          "both": "error -32602 invalid argument 0.chainId: expected a hex quantity of up to 256 bits",
        },
      }
    `)
  })
})
