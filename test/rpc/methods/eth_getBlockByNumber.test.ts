import { describe, expect, it } from 'vitest'
import { askAll, positions, startScene } from '../scene.ts'
import { FIRST, GENESIS, PENDING, PRECONF_BLOCK, SECOND } from '../sceneValues.ts'

describe('eth_getBlockByNumber', () => {
  it('returns a block with hashes, null if there is none (spec.md §2.5, 1, 2, 3, 4, 5, 6)', async () => {
    const { chain } = await startScene()
    expect(
      await askAll(
        chain,
        'eth_getBlockByNumber',
        positions((block) => [block, false]),
      ),
    ).toStrictEqual({
      earliest: { both: GENESIS },
      finalized: 'as earliest',
      safe: { both: FIRST.block },
      latest: { both: SECOND.block },
      pending: { standard: PENDING, preconf: PRECONF_BLOCK.block },
      '0x1': 'as safe',
      '0x2': 'as latest',
      '0x3': { standard: null, preconf: PRECONF_BLOCK.block },
      '0x4': { both: null },
    })
  })

  it('returns whole transactions on request, hashes by default', async () => {
    const { chain } = await startScene()
    expect(
      await askAll(chain, 'eth_getBlockByNumber', {
        sealed: ['0x1', true],
        pending: ['pending', true],
        default: ['0x2'],
      }),
    ).toStrictEqual({
      sealed: { both: { ...FIRST.block, transactions: FIRST.transactions } },
      pending: {
        standard: PENDING,
        preconf: { ...PRECONF_BLOCK.block, transactions: PRECONF_BLOCK.transactions },
      },
      default: { both: SECOND.block },
    })
  })

  it('follows the clock with an empty pending block, on preconf at ticks only (spec.md 4)', async () => {
    const { chain } = await startScene()
    await chain.seal()
    const timestamps = async () => {
      const blocks = await Promise.all(
        [chain.standard, chain.preconf].map((provider) =>
          provider.request({ method: 'eth_getBlockByNumber', params: ['pending', false] }),
        ),
      )
      return blocks.map((block) => Number(block!.timestamp))
    }
    const [, sealed] = await timestamps()
    await chain.clock.advance(5000)
    expect(await timestamps()).toEqual([1_700_000_009, sealed])
    await chain.tick()
    expect(await timestamps()).toEqual([1_700_000_009, 1_700_000_009])
  })
})
