/** Forks as fixtures: started once, and rolled back for each test. */
import { describe, expect, it } from 'vitest'
import { createChain, createManualClock, type Hash } from '../../../src/index.ts'
import { createChainTest } from '../../../src/kits/vitest/index.ts'
import { between } from '../../core/fork/remoteChain.ts'

const original = await createChain({ mining: 'manual', clock: createManualClock() })
const owner = original.accounts[1]!.address
await original.setBalance(owner, 5n)
await original.seal()
const { provider, asked } = between(original.standard)

const test = createChainTest({ chainOptions: { fork: { provider: provider as never } } })
const params = [owner, 'latest'] as const
const starts = () => asked.filter(({ method }) => method === 'eth_chainId').length

describe('a fork as a fixture', () => {
  let sealed: Hash | undefined

  test.for([1, 2, 3])(
    'is started once, and rolled back for each test: %i',
    async (_, { chain, clock, standard }) => {
      expect(starts()).toBe(1)
      expect(await standard.request({ method: 'eth_blockNumber' })).toBe('0x1')
      // A dev account has its balance on the fork.
      expect(await standard.request({ method: 'eth_getBalance', params })).toBe('0x21e19e0c9bab2400000')
      await chain.setBalance(owner, 7n)
      await clock.advance(2000)
      const { hash } = (await standard.request({
        method: 'eth_getBlockByNumber',
        params: ['0x2', false],
      }))!
      sealed ??= hash!
      expect(hash).toBe(sealed)
    },
  )

  test('is another one if a test has closed it', async ({ chain }) => {
    await chain.close()
    expect(starts()).toBe(1)
  })

  test('starts again then', async ({ standard }) => {
    expect(starts()).toBe(2)
    expect(await standard.request({ method: 'eth_blockNumber' })).toBe('0x1')
  })

  it('changes nothing on the forked chain', async () => {
    const block = await original.standard.request({ method: 'eth_blockNumber' })
    expect(block).toBe('0x1')
    await original.close()
  })
})
