import { describe, expect, it } from 'vitest'
import { askBoth, startScene } from '../scene.ts'
import { QUEUED, WAITING } from '../sceneValues.ts'

describe('txpool_content', () => {
  it('shows waiting transactions, not pre-confirmed ones', async () => {
    const { chain } = await startScene()
    expect(await askBoth(chain, 'txpool_content')).toStrictEqual({
      both: {
        pending: { [WAITING.from]: { '0': WAITING } },
        queued: { [QUEUED.from]: { '1': QUEUED } },
      },
    })
  })
})
