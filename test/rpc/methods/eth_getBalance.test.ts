import { describe, expect, it } from 'vitest'
import { askAll, blockForms, startScene } from '../scene.ts'

describe('eth_getBalance', () => {
  it('reads a balance at every form of a block, by default at `latest`', async () => {
    const scene = await startScene()
    const [, , carol] = scene.accounts
    const calls = {
      absent: [carol],
      'upper case': [carol!.toUpperCase().replace('X', 'x'), 'latest'],
      ...blockForms(scene, (block) => [carol, block]),
    }
    expect(await askAll(scene.chain, 'eth_getBalance', calls)).toMatchInlineSnapshot(`
      {
        "0x1": {
          "both": "0x21e27c1806e59a40000",
        },
        "0x2": {
          "both": "0x21e27c1806e59a40000",
        },
        "0x3": {
          "preconf": "0x21e5163a4894fd00000",
          "standard": "error -32000 header not found",
        },
        "0x4": {
          "both": "error -32000 header not found",
        },
        "EIP-1898 canonical hash": {
          "both": "0x21e27c1806e59a40000",
        },
        "EIP-1898 hash": {
          "both": "0x21e27c1806e59a40000",
        },
        "EIP-1898 number": {
          "both": "0x21e27c1806e59a40000",
        },
        "absent": {
          "both": "0x21e27c1806e59a40000",
        },
        "earliest": {
          "both": "0x21e19e0c9bab2400000",
        },
        "finalized": {
          "both": "0x21e19e0c9bab2400000",
        },
        "hash of block 1": {
          "both": "0x21e27c1806e59a40000",
        },
        "hash of the preconf block": {
          "preconf": "0x21e5163a4894fd00000",
          "standard": "error -32000 header not found",
        },
        "hash of the preconf block before": {
          "preconf": "0x21e27c1806e59a40000",
          "standard": "error -32000 header not found",
        },
        "latest": {
          "both": "0x21e27c1806e59a40000",
        },
        "pending": {
          "preconf": "0x21e5163a4894fd00000",
          "standard": "0x21e27c1806e59a40000",
        },
        "safe": {
          "both": "0x21e27c1806e59a40000",
        },
        "unknown hash": {
          "both": "error -32000 header not found",
        },
        "upper case": {
          "both": "0x21e27c1806e59a40000",
        },
      }
    `)
  })

  it('is zero for an absent account', async () => {
    const { chain } = await startScene()
    expect(
      await askAll(chain, 'eth_getBalance', { nobody: [`0x${'99'.repeat(20)}`, 'pending'] }),
    ).toMatchInlineSnapshot(`
      {
        "nobody": {
          "both": "0x0",
        },
      }
    `)
  })
})
