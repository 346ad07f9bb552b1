import { describe, expect, it } from 'vitest'
import type { Hex } from '../../../src/index.ts'
import { ask, startScene } from '../scene.ts'

describe('ots_hasCode', () => {
  it('tells whether an account has code after a block', async () => {
    const { chain, token, accounts } = await startScene()
    const has = (account: Hex, block?: string) => ask(chain.standard, 'ots_hasCode', [account, block])
    expect(await has(token)).toBe(true)
    expect(await has(token, 'latest')).toBe(true)
    expect(await has(token, '0x0')).toBe(false)
    expect(await has(accounts[0]!, 'latest')).toBe(false)
    expect(await has(token, '0x9')).toBe('error -32000 header not found')
  })
})
