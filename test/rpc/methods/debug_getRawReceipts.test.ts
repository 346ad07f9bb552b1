import { createMPT } from '@ethereumjs/mpt'
import { RLP } from '@ethereumjs/rlp'
import { describe, expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from '../../../src/base/bytes.ts'
import type { Hash, Provider } from '../../../src/index.ts'
import { ask, askAll, blockForms, startScene } from '../scene.ts'

/** The root of the receipts as stock @ethereumjs computes it. */
async function rootOf(provider: Provider, block: string): Promise<Hash> {
  const raws = await provider.request({ method: 'debug_getRawReceipts', params: [block as never] })
  const trie = await createMPT()
  for (const [i, raw] of raws.entries()) await trie.put(RLP.encode(i), hexToBytes(raw))
  return bytesToHex(trie.root())
}

describe('debug_getRawReceipts', () => {
  it('returns receipts that hash to the receipts root', async () => {
    const { chain, first, second, preconfBlock } = await startScene()
    expect(await rootOf(chain.standard, '0x1')).toBe(first.block.receiptsRoot)
    expect(await rootOf(chain.standard, 'latest')).toBe(second.block.receiptsRoot)
    expect(await rootOf(chain.preconf, 'pending')).toBe(preconfBlock.block.receiptsRoot)
    expect(await rootOf(chain.preconf, preconfBlock.block.hash)).toBe(preconfBlock.block.receiptsRoot)
  })

  it('fails for unknown blocks, and for pending on standard', async () => {
    const scene = await startScene()
    const answers = await askAll(
      scene.chain,
      'debug_getRawReceipts',
      blockForms(scene, (block) => [block]),
    )
    const ofBlock1 = [
      '267 bytes, keccak256 0xe38e5532717f12f7',
      '427 bytes, keccak256 0xf0d9a6106f00549a',
      '269 bytes, keccak256 0xf59eb3d7669dd7b2',
    ]
    const ofBlock2 = ['426 bytes, keccak256 0xd13f29574e301a58']
    expect(answers).toStrictEqual({
      earliest: { both: [] },
      finalized: { both: [] },
      safe: { both: ofBlock1 },
      latest: { both: ofBlock2 },
      pending: {
        standard: 'error -32000 header not found',
        preconf: [
          '426 bytes, keccak256 0x0e3fc73354d0f1ca',
          '269 bytes, keccak256 0xbafb9b9608168589',
          '269 bytes, keccak256 0x20259b646c1b11d0',
          '269 bytes, keccak256 0x3e902ba79a389693',
        ],
      },
      '0x1': { both: ofBlock1 },
      '0x2': { both: ofBlock2 },
      '0x3': 'as pending',
      '0x4': { both: 'error -32000 header not found' },
      'hash of block 1': { both: ofBlock1 },
      'EIP-1898 hash': { both: ofBlock1 },
      'EIP-1898 canonical hash': { both: ofBlock1 },
      'EIP-1898 number': { both: ofBlock1 },
      'hash of the preconf block': 'as pending',
      'hash of the preconf block before': { standard: 'error -32000 header not found', preconf: [] },
      'unknown hash': { both: 'error -32000 header not found' },
    })
  })

  it('fails for blocks that are older than the history (spec.md 19)', async () => {
    const { chain, first } = await startScene({ history: { blocks: 2, proofs: 2 } })
    for (let i = 0; i < 3; i++) await chain.seal()
    expect(await ask(chain.standard, 'debug_getRawReceipts', [first.block.hash])).toBe(
      'error -32000 state not available',
    )
  })
})
