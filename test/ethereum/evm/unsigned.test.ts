/** Unsigned transactions after a restart, beyond the history, and on other chains. */
import { MemoryLevel } from 'memory-level'
import { describe, expect, it } from 'vitest'
import { hexToBytes } from '../../../src/base/bytes.ts'
import type { Hex } from '../../../src/base/types.ts'
import { type ChainOptions, ImportError } from '../../../src/index.ts'
import { startChain } from '../../harness.ts'
import { ask, send } from '../../rpc/scene.ts'

const STRANGER: Hex = `0x${'99'.repeat(20)}`
const ZERO: Hex = `0x${'00'.repeat(20)}`

/** A chain whose first block has signed and unsigned transactions. */
async function start(options: ChainOptions = {}) {
  const chain = await startChain(options)
  await send(chain, 0, { nonce: 0, to: STRANGER, value: 10n ** 18n })
  await send(chain, 0, { nonce: 1, to: ZERO, value: 10n ** 18n })
  await chain.tick()
  for (const from of [STRANGER, ZERO, STRANGER]) {
    await chain.preconf.request({ method: 'eth_sendUnsignedTransaction', params: [{ from, to: STRANGER }] })
    await chain.tick()
  }
  const { block } = await chain.seal()
  return { chain, block }
}

describe('an unsigned transaction', () => {
  it('is replayed from a database, and the chain continues', async () => {
    const database = new MemoryLevel<never, never>({ storeEncoding: 'view' })
    const { chain, block } = await start({ database })
    await chain.finish()
    const again = await startChain({ database, clock: chain.clock })
    const found = await again.standard.request({ method: 'eth_getBlockByNumber', params: ['latest', true] })
    expect(found).toEqual(block)
    expect(block.transactions.map((tx) => (tx as { from: Hex }).from)).toEqual([
      chain.accounts[0]!.address,
      chain.accounts[0]!.address,
      STRANGER,
      ZERO,
      STRANGER,
    ])
    await again.preconf.request({
      method: 'eth_sendUnsignedTransaction',
      params: [{ from: STRANGER, to: ZERO }],
    })
    const { receipts } = await again.seal()
    expect(receipts).toMatchObject([{ from: STRANGER, status: '0x1', blockNumber: '0x2' }])
  })

  it('keeps its sender beyond the history', async () => {
    const { chain, block } = await start({ history: { blocks: 2 } })
    for (let i = 0; i < 3; i++) {
      await chain.clock.advance(2000)
      await chain.seal()
    }
    const found = await chain.standard.request({ method: 'eth_getBlockByNumber', params: ['0x1', true] })
    expect(found).toEqual(block)
  })

  it('makes its block invalid for the import into another chain', async () => {
    const { chain } = await start()
    const rlp = await chain.standard.request({ method: 'debug_getRawBlock', params: ['0x1'] })
    const other = await startChain()
    await expect(other.importBlocks(hexToBytes(rlp))).rejects.toThrow(ImportError)
    expect(await ask(other.standard, 'eth_blockNumber')).toBe('0x0')
  })

  it('cannot be sent as raw bytes', async () => {
    const { chain, block } = await start()
    const { hash } = block.transactions[4] as { hash: Hex }
    const raw = await chain.standard.request({ method: 'eth_getRawTransactionByHash', params: [hash] })
    const other = await startChain()
    await send(other, 0, { nonce: 0, to: STRANGER, value: 10n ** 18n })
    await other.tick()
    expect(await ask(other.preconf, 'eth_sendRawTransaction', [raw])).toMatch(
      /^error -32000 (invalid sender|insufficient funds)/,
    )
  })
})
