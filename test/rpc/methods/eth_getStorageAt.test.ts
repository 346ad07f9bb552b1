import { describe, expect, it } from 'vitest'
import { askAll, blockForms, startScene } from '../scene.ts'

describe('eth_getStorageAt', () => {
  it('reads the 32 bytes at a slot', async () => {
    const scene = await startScene()
    const { probe, token, accounts } = scene
    expect(
      await askAll(scene.chain, 'eth_getStorageAt', {
        absent: [probe, '0x7'],
        ...blockForms(scene, (block) => [probe, '0x7', block]),
        'slot in 32 bytes': [probe, `0x${'7'.padStart(64, '0')}`, 'pending'],
        'slot with leading zero': [probe, '0x07', 'pending'],
        'the total supply': [token, '0x0', 'latest'],
        'no such slot': [token, '0xffff', 'latest'],
        'no contract': [accounts[0], '0x0', 'latest'],
      }),
    ).toMatchInlineSnapshot(`
      {
        "0x1": {
          "both": "0x0000000000000000000000000000000000000000000000000000000000000000",
        },
        "0x2": {
          "both": "0x0000000000000000000000000000000000000000000000000000000000000000",
        },
        "0x3": {
          "preconf": "0x0000000000000000000000000000000000000000000000000000000000000009",
          "standard": "error -32000 header not found",
        },
        "0x4": {
          "both": "error -32000 header not found",
        },
        "EIP-1898 canonical hash": {
          "both": "0x0000000000000000000000000000000000000000000000000000000000000000",
        },
        "EIP-1898 hash": {
          "both": "0x0000000000000000000000000000000000000000000000000000000000000000",
        },
        "EIP-1898 number": {
          "both": "0x0000000000000000000000000000000000000000000000000000000000000000",
        },
        "absent": {
          "both": "0x0000000000000000000000000000000000000000000000000000000000000000",
        },
        "earliest": {
          "both": "0x0000000000000000000000000000000000000000000000000000000000000000",
        },
        "finalized": {
          "both": "0x0000000000000000000000000000000000000000000000000000000000000000",
        },
        "hash of block 1": {
          "both": "0x0000000000000000000000000000000000000000000000000000000000000000",
        },
        "hash of the preconf block": {
          "preconf": "0x0000000000000000000000000000000000000000000000000000000000000009",
          "standard": "error -32000 header not found",
        },
        "hash of the preconf block before": {
          "preconf": "0x0000000000000000000000000000000000000000000000000000000000000000",
          "standard": "error -32000 header not found",
        },
        "latest": {
          "both": "0x0000000000000000000000000000000000000000000000000000000000000000",
        },
        "no contract": {
          "both": "0x0000000000000000000000000000000000000000000000000000000000000000",
        },
        "no such slot": {
          "both": "0x0000000000000000000000000000000000000000000000000000000000000000",
        },
        "pending": {
          "preconf": "0x0000000000000000000000000000000000000000000000000000000000000009",
          "standard": "0x0000000000000000000000000000000000000000000000000000000000000000",
        },
        "safe": {
          "both": "0x0000000000000000000000000000000000000000000000000000000000000000",
        },
        "slot in 32 bytes": {
          "preconf": "0x0000000000000000000000000000000000000000000000000000000000000009",
          "standard": "0x0000000000000000000000000000000000000000000000000000000000000000",
        },
        "slot with leading zero": {
          "preconf": "0x0000000000000000000000000000000000000000000000000000000000000009",
          "standard": "0x0000000000000000000000000000000000000000000000000000000000000000",
        },
        "the total supply": {
          "both": "0x00000000000000000000000000000000000000000000d3c21bcecceda1000000",
        },
        "unknown hash": {
          "both": "error -32000 header not found",
        },
      }
    `)
  })
})
