/** A chain that continues another one from a block on. */
import { describe, expect, it } from 'vitest'
import { startChain } from '../harness.ts'
import { ask } from '../rpc/scene.ts'
import { RECIPIENT, sign } from '../sequencer/support.ts'
import { forkOf } from './remoteChain.ts'

const ALICE = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'

describe('a fork', () => {
  it('starts on the head of the forked chain, and goes on by itself', async () => {
    const remote = await startChain({ chainId: 4242 })
    await ask(remote.preconf, 'eth_sendRawTransaction', [
      await sign(remote, { nonce: 0, value: 7n, chainId: 4242 }),
    ])
    await remote.seal()
    const chain = await forkOf(remote.standard)
    expect(chain.chainId).toBe(4242)
    expect(await ask(chain.standard, 'eth_blockNumber')).toBe('0x1')
    expect(await ask(chain.standard, 'eth_getBalance', [RECIPIENT, 'latest'])).toBe('0x7')
    expect(await ask(chain.standard, 'eth_getTransactionCount', [ALICE, 'latest'])).toBe('0x1')
    const hash = await ask(chain.preconf, 'eth_sendRawTransaction', [
      await sign(chain, { nonce: 1, value: 5n, chainId: 4242 }),
    ])
    await chain.tick()
    expect(await ask(chain.preconf, 'eth_getBalance', [RECIPIENT, 'pending'])).toBe('0xc')
    const sealed = await chain.seal()
    expect(sealed.block).toMatchObject({ number: '0x2', transactions: [{ hash }] })
    expect(await ask(chain.standard, 'eth_getBalance', [RECIPIENT, 'latest'])).toBe('0xc')
    expect(await ask(remote.standard, 'eth_getBalance', [RECIPIENT, 'latest'])).toBe('0x7')
  })
})
