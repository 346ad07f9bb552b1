import { createBlockFromRLP } from '@ethereumjs/block'
import { createCustomCommon, Mainnet } from '@ethereumjs/common'
import { describe, expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from '../../../src/base/bytes.ts'
import type { Provider, SealedBlock } from '../../../src/index.ts'
import { ask, askAll, blockForms, startScene } from '../scene.ts'

/** A raw block as @ethereumjs decodes it, which checks the transactions against the header. */
async function decoded(provider: Provider, block: string, hardfork = 'prague') {
  const raw = await provider.request({ method: 'debug_getRawBlock', params: [block as never] })
  const common = createCustomCommon({ chainId: 31337 }, Mainnet, { hardfork })
  const read = createBlockFromRLP(hexToBytes(raw), { common })
  expect(await read.transactionsTrieIsValid()).toBe(true)
  expect(bytesToHex(read.serialize())).toBe(raw)
  return {
    hash: bytesToHex(read.hash()),
    transactions: read.transactions.map((tx) => bytesToHex(tx.hash())),
    size: hexToBytes(raw).length,
    withdrawals: read.withdrawals?.length,
  }
}

describe('debug_getRawBlock', () => {
  it('returns the RLP of a block', async () => {
    const { chain, first, second, preconfBlock } = await startScene({ hardfork: 'prague' })
    const expected = ({ block }: Pick<SealedBlock, 'block'>) => ({
      hash: block.hash,
      transactions: block.transactions.map(({ hash }) => hash),
      size: Number(block.size),
      withdrawals: 0,
    })
    expect(await decoded(chain.standard, '0x1')).toEqual(expected(first))
    expect(await decoded(chain.standard, 'latest')).toEqual(expected(second))
    expect(await decoded(chain.preconf, first.block.hash)).toEqual(expected(first))
    expect(await decoded(chain.preconf, 'pending')).toEqual(expected(preconfBlock))
    expect(await decoded(chain.preconf, preconfBlock.block.hash)).toEqual(expected(preconfBlock))
  })

  it('has no withdrawals before Shanghai', async () => {
    const { chain, first } = await startScene({ hardfork: 'paris' })
    const read = await decoded(chain.standard, '0x1', 'paris')
    expect([read.hash, read.withdrawals]).toEqual([first.block.hash, undefined])
  })

  it('returns blocks that are older than the history', async () => {
    const { chain, first } = await startScene({ history: { blocks: 2, proofs: 2 } })
    const before = await ask(chain.standard, 'debug_getRawBlock', [first.block.hash])
    for (let i = 0; i < 3; i++) await chain.seal()
    expect(await ask(chain.standard, 'eth_getBalance', [chain.accounts[0]!.address, '0x1'])).toBe(
      'error -32000 state not available',
    )
    expect(await ask(chain.standard, 'debug_getRawBlock', [first.block.hash])).toEqual(before)
  })

  it('fails for unknown blocks, and for pending on standard', async () => {
    const scene = await startScene()
    const answers = await askAll(
      scene.chain,
      'debug_getRawBlock',
      blockForms(scene, (block) => [block]),
    )
    expect(answers).toMatchInlineSnapshot(`
      {
        "0x1": {
          "both": "4126 bytes, keccak256 <scene: block 1, encoded>",
        },
        "0x2": {
          "both": "803 bytes, keccak256 <scene: block 2, encoded>",
        },
        "0x3": {
          "preconf": "1231 bytes, keccak256 <scene: preconf block, encoded>",
          "standard": "error -32000 header not found",
        },
        "0x4": {
          "both": "error -32000 header not found",
        },
        "EIP-1898 canonical hash": {
          "both": "4126 bytes, keccak256 <scene: block 1, encoded>",
        },
        "EIP-1898 hash": {
          "both": "4126 bytes, keccak256 <scene: block 1, encoded>",
        },
        "EIP-1898 number": {
          "both": "4126 bytes, keccak256 <scene: block 1, encoded>",
        },
        "earliest": {
          "both": "616 bytes, keccak256 <genesis: encoded>",
        },
        "finalized": {
          "both": "616 bytes, keccak256 <genesis: encoded>",
        },
        "hash of block 1": {
          "both": "4126 bytes, keccak256 <scene: block 1, encoded>",
        },
        "hash of the preconf block": {
          "preconf": "1231 bytes, keccak256 <scene: preconf block, encoded>",
          "standard": "error -32000 header not found",
        },
        "hash of the preconf block before": {
          "preconf": "616 bytes, keccak256 <scene: empty preconf block, encoded>",
          "standard": "error -32000 header not found",
        },
        "latest": {
          "both": "803 bytes, keccak256 <scene: block 2, encoded>",
        },
        "pending": {
          "preconf": "1231 bytes, keccak256 <scene: preconf block, encoded>",
          "standard": "error -32000 header not found",
        },
        "safe": {
          "both": "4126 bytes, keccak256 <scene: block 1, encoded>",
        },
        "unknown hash": {
          "both": "error -32000 header not found",
        },
      }
    `)
  })
})
