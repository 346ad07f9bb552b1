import { describe, expect, it } from 'vitest'
import { askAll, startScene, UNKNOWN } from '../scene.ts'
import { EMPTY, FIRST, PRECONF_BLOCK, SECOND } from '../sceneValues.ts'

describe('eth_getBlockByHash', () => {
  it('finds sealed blocks, and preconf blocks of the last two slots on preconf (spec.md 3)', async () => {
    const { chain, first, second, empty, preconfBlock } = await startScene()
    const calls = {
      'block 1': [first.block.hash, false],
      'block 1 by default': [first.block.hash],
      'block 2, whole transactions': [second.block.hash, true],
      'preconf block': [preconfBlock.block.hash, false],
      'preconf block before': [empty.block.hash, false],
      unknown: [UNKNOWN, false],
    }
    expect(await askAll(chain, 'eth_getBlockByHash', calls)).toStrictEqual({
      'block 1': { both: FIRST.block },
      'block 1 by default': 'as block 1',
      'block 2, whole transactions': { both: { ...SECOND.block, transactions: SECOND.transactions } },
      'preconf block': { standard: null, preconf: PRECONF_BLOCK.block },
      'preconf block before': { standard: null, preconf: EMPTY },
      unknown: { both: null },
    })
  })

  it('no longer finds the preconf blocks of a slot two seals later', async () => {
    const { chain, preconfBlock, empty } = await startScene()
    const known = async (hash: `0x${string}`) =>
      (await chain.preconf.request({ method: 'eth_getBlockByHash', params: [hash] })) !== null
    await chain.seal()
    expect([await known(preconfBlock.block.hash), await known(empty.block.hash)]).toEqual([true, true])
    await chain.seal()
    expect([await known(preconfBlock.block.hash), await known(empty.block.hash)]).toEqual([false, false])
  })
})
