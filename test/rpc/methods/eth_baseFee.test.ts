import { describe, expect, it } from 'vitest'
import { ask, askBoth, send, startScene } from '../scene.ts'

describe('eth_baseFee', () => {
  it('is the base fee of the next block, until that is sealed', async () => {
    const { chain, accounts, second, preconfBlock } = await startScene()
    const { baseFeePerGas } = preconfBlock.block
    expect(baseFeePerGas).not.toBe(second.block.baseFeePerGas)
    expect(await askBoth(chain, 'eth_baseFee')).toEqual({ both: baseFeePerGas })
    await send(chain, 5, { nonce: 0, to: accounts[0]! })
    const { block } = await chain.seal()
    expect(block.baseFeePerGas).toBe(baseFeePerGas)
    const next = (await chain.tick()).block.baseFeePerGas
    expect(next).not.toBe(baseFeePerGas)
    expect(await ask(chain.standard, 'eth_baseFee')).toBe(next)
    expect(await ask(chain.preconf, 'eth_baseFee')).toBe(next)
  })
})
