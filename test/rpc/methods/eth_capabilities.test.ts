import { describe, expect, it } from 'vitest'
import { startForkScene } from '../../core/fork/forkScene.ts'
import { startChain } from '../../harness.ts'
import { ask } from '../scene.ts'

describe('eth_capabilities', () => {
  it('returns the head and the oldest blocks of a history that does not reach back to genesis', async () => {
    const chain = await startChain({ history: { blocks: 4, proofs: 2 } })
    await chain.standard.request({ method: 'anvil_mine', params: ['0x9'] })
    const head = await chain.standard.request({ method: 'eth_getBlockByNumber', params: ['latest', false] })
    const window = (oldestBlock: string, retentionBlocks: string) => ({
      disabled: false,
      oldestBlock,
      deleteStrategy: { type: 'window', retentionBlocks },
    })
    const recent = window('0x6', '0x4')
    for (const provider of [chain.standard, chain.preconf]) {
      expect(await ask(provider, 'eth_capabilities')).toEqual({
        head: { number: '0x9', hash: head?.hash },
        state: recent,
        tx: recent,
        logs: recent,
        receipts: recent,
        blocks: { disabled: false, oldestBlock: '0x0' },
        stateproofs: window('0x8', '0x2'),
      })
    }
  })

  it('returns blocks that are served', async () => {
    const chain = await startChain({ history: { blocks: 4, proofs: 2 } })
    const { address } = chain.accounts[0]!
    await chain.standard.request({ method: 'anvil_mine', params: ['0x9'] })
    const { state, stateproofs } = await chain.standard.request({ method: 'eth_capabilities' })
    const previous = (block: string | undefined) => `0x${(Number(block) - 1).toString(16)}`
    const balance = (block: unknown) => ask(chain.standard, 'eth_getBalance', [address, block])
    const proof = (block: unknown) => ask(chain.standard, 'eth_getProof', [address, [], block])
    expect(await balance(state.oldestBlock)).toBe('0x21e19e0c9bab2400000')
    expect(await balance(previous(state.oldestBlock))).toMatch(/^error -32000/)
    expect(await proof(stateproofs.oldestBlock)).toMatchObject({ address })
    expect(await proof(previous(stateproofs.oldestBlock))).toMatch(/^error -32000/)
  })

  it('has no proofs of its own blocks on a fork', async () => {
    const { fork } = await startForkScene()
    expect(await ask(fork.standard, 'eth_capabilities')).toMatchObject({
      head: { number: '0x2' },
      state: { disabled: false, oldestBlock: '0x0' },
      stateproofs: { disabled: true },
    })
  })
})
