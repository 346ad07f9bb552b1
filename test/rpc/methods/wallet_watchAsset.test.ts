import { describe, expect, it } from 'vitest'
import { startChain } from '../../harness.ts'
import { askAll } from '../scene.ts'

describe('wallet_watchAsset', () => {
  it('returns true for a token, in a list of params or in its place', async () => {
    const chain = await startChain()
    const address = `0x${'AA'.repeat(20)}`
    const options = { address, symbol: 'TKN', decimals: 18, image: 'https://example.com/token.svg' }
    const answers = await askAll(chain, 'wallet_watchAsset', {
      'in place of the list': { type: 'ERC20', options },
      'in a list': [{ type: 'ERC20', options }],
      'an address alone': { type: 'ERC20', options: { address } },
      'an item of a collection': { type: 'ERC721', options: { address, tokenId: '7' } },
      'an item of several kinds': { type: 'ERC1155', options: { address, tokenId: '7', chainId: 31337 } },
      'on another chain': { type: 'ERC20', options: { ...options, chainId: 1 } },
      'of another kind': { type: 'ERC4626', options },
      'without an address': { type: 'ERC20', options: { symbol: 'TKN' } },
      'with decimals that are none': { type: 'ERC20', options: { ...options, decimals: '18' } },
      'without options': { type: 'ERC20' },
      'two of them': [
        { type: 'ERC20', options },
        { type: 'ERC20', options },
      ],
      none: undefined,
      'no object': 'ERC20',
    })
    expect(answers).toMatchInlineSnapshot(`
      {
        "an address alone": {
          "both": true,
        },
        "an item of a collection": {
          "both": true,
        },
        "an item of several kinds": {
          "both": true,
        },
        "in a list": {
          "both": true,
        },
        "in place of the list": {
          "both": true,
        },
        "no object": {
          "both": "error -32602 invalid argument params: expected an array",
        },
        "none": {
          "both": "error -32602 invalid argument count: expected 1, got 0",
        },
        "of another kind": {
          "both": "error -32602 invalid argument 0.type: expected 'ERC20' or 'ERC721' or 'ERC1155'",
        },
        "on another chain": {
          "both": "error 4902 unrecognized chain ID 0x1",
        },
        "two of them": {
          "both": "error -32602 invalid argument count: expected 1, got 2",
        },
        "with decimals that are none": {
          "both": "error -32602 invalid argument 0.options.decimals: expected an integer >= 0",
        },
        "without an address": {
          "both": "error -32602 invalid argument 0.options.address: expected a 20-byte address",
        },
        "without options": {
          "both": "error -32602 invalid argument 0.options: expected an object",
        },
      }
    `)
  })
})
