import { describe, expect, it } from 'vitest'
import { askAll, startScene, UNKNOWN } from '../scene.ts'
import { EMPTY, FIRST, SECOND, SNAPSHOT } from '../sceneValues.ts'

describe('eth_getBlockByHash', () => {
  it('finds sealed blocks, and on preconf snapshots of the last two slots (spec.md 3)', async () => {
    const { chain, first, second, empty, snapshot } = await startScene()
    const calls = {
      'block 1': [first.block.hash, false],
      'block 1 by default': [first.block.hash],
      'block 2, whole transactions': [second.block.hash, true],
      snapshot: [snapshot.block.hash, false],
      'snapshot before': [empty.block.hash, false],
      unknown: [UNKNOWN, false],
    }
    expect(await askAll(chain, 'eth_getBlockByHash', calls)).toStrictEqual({
      'block 1': { both: FIRST.block },
      'block 1 by default': 'as block 1',
      'block 2, whole transactions': { both: { ...SECOND.block, transactions: SECOND.transactions } },
      snapshot: { standard: null, preconf: SNAPSHOT.block },
      'snapshot before': { standard: null, preconf: EMPTY },
      unknown: { both: null },
    })
  })

  it('no longer finds the snapshots of a slot two seals later', async () => {
    const { chain, snapshot, empty } = await startScene()
    const known = async (hash: `0x${string}`) =>
      (await chain.preconf.request({ method: 'eth_getBlockByHash', params: [hash] })) !== null
    await chain.seal()
    expect([await known(snapshot.block.hash), await known(empty.block.hash)]).toEqual([true, true])
    await chain.seal()
    expect([await known(snapshot.block.hash), await known(empty.block.hash)]).toEqual([false, false])
  })
})
