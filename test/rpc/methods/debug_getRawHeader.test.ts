import { describe, expect, it } from 'vitest'
import { askAll, blockForms, startScene } from '../scene.ts'

describe('debug_getRawHeader', () => {
  it('returns the bytes whose hash is the block hash', async () => {
    const { chain, first, second, preconfBlock } = await startScene()
    const cases = [
      [chain.standard, '0x1', first],
      [chain.standard, 'latest', second],
      [chain.preconf, second.block.hash, second],
      [chain.preconf, 'pending', preconfBlock],
      [chain.preconf, preconfBlock.block.hash, preconfBlock],
    ] as const
    for (const [provider, at, { block }] of cases) {
      const raw = await provider.request({ method: 'debug_getRawHeader', params: [at] })
      expect(await provider.request({ method: 'web3_sha3', params: [raw] })).toBe(block.hash)
    }
  })

  it('fails for unknown blocks, and for pending on standard', async () => {
    const scene = await startScene()
    const answers = await askAll(
      scene.chain,
      'debug_getRawHeader',
      blockForms(scene, (block) => [block]),
    )
    expect(answers).toMatchInlineSnapshot(`
      {
        "0x1": {
          "both": "613 bytes, keccak256 <scene: block 1>",
        },
        "0x2": {
          "both": "612 bytes, keccak256 <scene: block 2>",
        },
        "0x3": {
          "preconf": "613 bytes, keccak256 <scene: preconf block>",
          "standard": "error -32000 header not found",
        },
        "0x4": {
          "both": "error -32000 header not found",
        },
        "EIP-1898 canonical hash": {
          "both": "613 bytes, keccak256 <scene: block 1>",
        },
        "EIP-1898 hash": {
          "both": "613 bytes, keccak256 <scene: block 1>",
        },
        "EIP-1898 number": {
          "both": "613 bytes, keccak256 <scene: block 1>",
        },
        "earliest": {
          "both": "610 bytes, keccak256 <genesis>",
        },
        "finalized": {
          "both": "610 bytes, keccak256 <genesis>",
        },
        "hash of block 1": {
          "both": "613 bytes, keccak256 <scene: block 1>",
        },
        "hash of the preconf block": {
          "preconf": "613 bytes, keccak256 <scene: preconf block>",
          "standard": "error -32000 header not found",
        },
        "hash of the preconf block before": {
          "preconf": "610 bytes, keccak256 <scene: empty preconf block>",
          "standard": "error -32000 header not found",
        },
        "latest": {
          "both": "612 bytes, keccak256 <scene: block 2>",
        },
        "pending": {
          "preconf": "613 bytes, keccak256 <scene: preconf block>",
          "standard": "error -32000 header not found",
        },
        "safe": {
          "both": "613 bytes, keccak256 <scene: block 1>",
        },
        "unknown hash": {
          "both": "error -32000 header not found",
        },
      }
    `)
  })
})
