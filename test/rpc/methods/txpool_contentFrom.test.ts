import { describe, expect, it } from 'vitest'
import { askAll, startScene } from '../scene.ts'
import { QUEUED, WAITING } from '../sceneValues.ts'

describe('txpool_contentFrom', () => {
  it('shows the waiting transactions of one sender', async () => {
    const { chain, accounts } = await startScene()
    const calls = { executable: [accounts[2]], queued: [accounts[3]], 'pre-confirmed alone': [accounts[0]] }
    expect(await askAll(chain, 'txpool_contentFrom', calls)).toStrictEqual({
      executable: { both: { pending: { '0': WAITING }, queued: {} } },
      queued: { both: { pending: {}, queued: { '1': QUEUED } } },
      'pre-confirmed alone': { both: { pending: {}, queued: {} } },
    })
  })
})
