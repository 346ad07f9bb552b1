/** Preconf blocks that are named by their hash: they are what they were, whatever follows. */
import { describe, expect, it } from 'vitest'
import type { Address, Hash, Provider } from '../../../src/index.ts'
import { startChain } from '../../harness.ts'
import { ask } from '../../rpc/scene.ts'

/** Two preconf blocks of block 1, the second of which was sealed, and two of block 2; a transaction waits after each. */
async function start() {
  const chain = await startChain({ mining: 'manual' })
  const [from, to] = chain.accounts.map(({ address }) => address) as [Address, Address]
  const send = () =>
    chain.preconf.request({
      method: 'eth_sendTransaction',
      params: [{ from, to, value: '0x1', gas: '0x5208' }],
    })
  await send()
  const superseded = (await chain.tick()).block.hash
  await send()
  const sealed = (await chain.seal()).block.hash
  await send()
  const older = (await chain.tick()).block.hash
  await send()
  const newest = (await chain.tick()).block.hash
  await send()
  const count = (provider: Provider, block: unknown) =>
    ask(provider, 'eth_getTransactionCount', [from, block])
  return { chain, count, superseded, sealed, older, newest }
}

describe('a preconf block by its hash', () => {
  it('has its own nonces, on the view whose pending counts what waits too', async () => {
    const { chain, count, superseded, sealed, older, newest } = await start()
    for (const provider of [chain.preconf, chain.live] as Provider[]) {
      const counts = []
      for (const blockHash of [superseded, sealed, older, newest])
        counts.push(await count(provider, { blockHash }))
      expect(counts).toEqual(['0x1', '0x2', '0x3', '0x4'])
    }
    expect([await count(chain.preconf, 'pending'), await count(chain.live, 'pending')]).toEqual([
      '0x4',
      '0x5',
    ])
    expect(await count(chain.live, '0x2')).toBe('0x5')
  })

  it('is canonical only if it is the newest, or was sealed', async () => {
    const { chain, count, superseded, sealed, older, newest } = await start()
    const canonical = (blockHash: Hash) =>
      count(chain.preconf as Provider, { blockHash, requireCanonical: true })
    expect(await canonical(superseded)).toBe('error -32000 header not found')
    expect(await canonical(older)).toBe('error -32000 header not found')
    expect(await canonical(sealed)).toBe('0x2')
    expect(await canonical(newest)).toBe('0x4')
  })
})
