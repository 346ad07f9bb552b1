import { MemoryLevel } from 'memory-level'
import { describe, expect, it } from 'vitest'
import { concatBytes, hexToBytes } from '../../../src/base/bytes.ts'
import type { Hex } from '../../../src/index.ts'
import { startChain } from '../../harness.ts'
import { startScene } from '../../rpc/scene.ts'
import { startNests } from './nest.ts'

const REASON = `0x590a5151${'5'.padStart(64, '0')}`

describe('revertReason', () => {
  it('is in the receipt of a transaction that reverted, pre-confirmed and sealed', async () => {
    const { chain, send, other } = await startNests({ revertReason: true })
    const reverted = await send('refuse', [5n])
    const silent = await send('refuse', [5n], { data: '0xffffffff' })
    const outOfGas = await send('burn', [], { gas: 60_000n })
    const fine = await send('dive', [other, 1n])
    const expected = [
      [reverted, REASON],
      [silent, '0x'],
      [outOfGas, undefined],
      [fine, undefined],
    ]
    const { receipts } = await chain.tick()
    expect(receipts.map((receipt) => [receipt.transactionHash, receipt.revertReason])).toEqual(expected)
    const sealed = await chain.seal()
    expect(sealed.receipts.map((receipt) => [receipt.transactionHash, receipt.revertReason])).toEqual(
      expected,
    )
    const receipt = await chain.standard.request({ method: 'eth_getTransactionReceipt', params: [reverted] })
    expect(receipt).toEqual(sealed.receipts[0])
  })

  it('is absent without the option', async () => {
    const { preconfBlock } = await startScene()
    expect(preconfBlock.receipts[3]).toMatchObject({ status: '0x0' })
    expect(preconfBlock.receipts[3]).not.toHaveProperty('revertReason')
  })

  it('is restored when the chain is replayed from its database', async () => {
    const database = new MemoryLevel()
    const { chain, seal } = await startNests({ revertReason: true, database })
    const hash = await seal('refuse', [5n])
    await chain.finish()
    const again = await startChain({ revertReason: true, database })
    const receipt = await again.standard.request({ method: 'eth_getTransactionReceipt', params: [hash] })
    expect(receipt!.revertReason).toBe(REASON)
  })

  it('is in the receipts of imported blocks', async () => {
    const { chain, seal } = await startNests({ revertReason: true })
    const hash = await seal('refuse', [5n])
    const raw = (number: Hex) => chain.standard.request({ method: 'debug_getRawBlock', params: [number] })
    const blocks = [await raw('0x1'), await raw('0x2')]
    const other = await startChain({ revertReason: true })
    await other.importBlocks(concatBytes(...blocks.map(hexToBytes)))
    const receipt = await other.standard.request({ method: 'eth_getTransactionReceipt', params: [hash] })
    expect(receipt!.revertReason).toBe(REASON)
  })
})
