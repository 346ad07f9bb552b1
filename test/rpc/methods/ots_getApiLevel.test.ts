import { describe, expect, it } from 'vitest'
import { startChain } from '../../harness.ts'
import { ask } from '../scene.ts'

describe('ots_getApiLevel', () => {
  it('is the level that Otterscan requires', async () => {
    const chain = await startChain()
    expect(await ask(chain.standard, 'ots_getApiLevel')).toBe(8)
    expect(await ask(chain.preconf, 'ots_getApiLevel', [])).toBe(8)
  })
})
