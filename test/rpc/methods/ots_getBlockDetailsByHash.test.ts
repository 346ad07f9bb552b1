import { describe, expect, it } from 'vitest'
import { ask, startScene, UNKNOWN } from '../scene.ts'

describe('ots_getBlockDetailsByHash', () => {
  it('returns what ots_getBlockDetails returns of a block', async () => {
    const { chain, second, preconfBlock } = await startScene()
    const byHash = (view: 'standard' | 'preconf', hash: unknown) =>
      ask(chain[view], 'ots_getBlockDetailsByHash', [hash])
    const details = await ask(chain.standard, 'ots_getBlockDetails', ['0x2'])
    expect(details).toMatchObject({ block: { hash: second.block.hash } })
    expect(await byHash('standard', second.block.hash)).toEqual(details)
    expect(await byHash('preconf', second.block.hash)).toEqual(details)
    expect(await byHash('preconf', preconfBlock.block.hash)).toMatchObject({ block: { transactionCount: 4 } })
    expect(await byHash('standard', preconfBlock.block.hash)).toBeNull()
    expect(await byHash('standard', UNKNOWN)).toBeNull()
    expect(await byHash('standard', '0x2')).toMatch(/^error -32602 /)
  })
})
