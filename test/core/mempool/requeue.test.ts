/** Included transactions that are withdrawn, as a chain shows them. */
import { describe, expect, it } from 'vitest'
import type { Hash } from '../../../src/index.ts'
import { startChain, type TestChain } from '../../harness.ts'
import { ask } from '../../rpc/scene.ts'
import { hashesOf, send, sign } from '../sequencer/support.ts'

/** Records the drops of a chain from now on. */
function recordDrops(chain: TestChain): unknown[] {
  const drops: unknown[] = []
  chain.on('dropped', (drop) => drops.push(drop))
  return drops
}

const status = (chain: TestChain) => ask(chain.standard, 'txpool_status')
const rollback = (chain: TestChain, depth = 1) => ask(chain.standard, 'anvil_rollback', [depth])

/** Seals a block of one account's transfers for each of `counts`. */
async function sealTransfers(chain: TestChain, ...counts: readonly number[]): Promise<Hash[]> {
  const hashes: Hash[] = []
  for (const count of counts) {
    for (let i = 0; i < count; i++) hashes.push(await send(chain, { nonce: hashes.length }))
    await chain.seal()
  }
  return hashes
}

describe('withdrawn transactions', () => {
  it('wait again even if they are more than one sender may have waiting', async () => {
    const chain = await startChain({ mempool: { maxPerSender: 10 } })
    const hashes = await sealTransfers(chain, 10, 5)
    const drops = recordDrops(chain)
    await chain.reorg({ depth: 2 })
    expect(drops).toEqual([])
    expect(await status(chain)).toEqual({ pending: '0xf', queued: '0x0' })
    await expect(send(chain, { nonce: 15 })).rejects.toMatchObject({ message: 'account limit exceeded' })
    expect(hashesOf(await chain.seal())).toEqual(hashes)
  })

  it('wait again even if they are more than the mempool holds', async () => {
    const chain = await startChain({ mempool: { maxTransactions: 3 } })
    const hashes = await sealTransfers(chain, 3, 2)
    const drops = recordDrops(chain)
    await rollback(chain, 2)
    expect(drops).toEqual([])
    expect(hashesOf(await chain.seal())).toEqual(hashes)
  })

  it('evict the highest waiting nonces of their sender', async () => {
    const chain = await startChain({ mempool: { maxPerSender: 2 } })
    const hashes = [await send(chain, { nonce: 0 })]
    await chain.tick()
    hashes.push(await send(chain, { nonce: 1 }), await send(chain, { nonce: 2 }))
    const drops = recordDrops(chain)
    await chain.retract({ transactions: [hashes[0]!] })
    expect(drops).toEqual([{ hash: hashes[2], reason: 'evicted' }])
    expect(hashesOf(await chain.seal())).toEqual(hashes.slice(0, 2))
  })

  it('evict the least valuable of the others, even if that pays more', async () => {
    const chain = await startChain({ mempool: { maxTransactions: 3 } })
    const withdrawn = await send(chain, { nonce: 0, tip: 1n })
    await chain.tick()
    const others = [
      await send(chain, { from: 1, nonce: 0, tip: 9n }),
      await send(chain, { from: 1, nonce: 1, tip: 7n }),
      await send(chain, { from: 2, nonce: 0, tip: 8n }),
    ]
    const drops = recordDrops(chain)
    await chain.retract({ transactions: [withdrawn] })
    expect(drops).toEqual([{ hash: others[1], reason: 'evicted' }])
    expect(hashesOf(await chain.seal())).toEqual([others[0], others[2], withdrawn])
  })

  it('are not evicted again by what pays more', async () => {
    const chain = await startChain({ mempool: { maxTransactions: 1 } })
    const withdrawn = await send(chain, { nonce: 0, tip: 1n })
    await chain.tick()
    await chain.retract({ transactions: [withdrawn] })
    await expect(send(chain, { from: 1, nonce: 0, tip: 9n })).rejects.toMatchObject({
      message: 'transaction underpriced',
    })
    expect(hashesOf(await chain.seal())).toEqual([withdrawn])
  })

  it.each(['fifo', 'fees'] as const)('come before equal ones that arrived later, by %s', async (ordering) => {
    const chain = await startChain({ mempool: { ordering } })
    const first = await send(chain, { nonce: 0 })
    const second = await send(chain, { from: 1, nonce: 0 })
    await chain.seal()
    const third = await send(chain, { from: 2, nonce: 0 })
    await chain.tick()
    const last = await send(chain, { from: 3, nonce: 0 })
    await chain.retract({ transactions: [third] })
    await rollback(chain)
    expect(hashesOf(await chain.seal())).toEqual([first, second, third, last])
  })

  it('wait again if the minimum gas price has risen since', async () => {
    const chain = await startChain()
    const cheap = await send(chain, { nonce: 0, cap: 2n * 10n ** 9n })
    await chain.tick()
    const drops = recordDrops(chain)
    await ask(chain.standard, 'anvil_setMinGasPrice', ['0x174876e800'])
    await chain.retract({ transactions: [cheap] })
    await expect(send(chain, { from: 1, nonce: 0, cap: 2n * 10n ** 9n })).rejects.toMatchObject({
      message: 'transaction underpriced',
    })
    expect(drops).toEqual([])
    expect(hashesOf(await chain.seal())).toEqual([cheap])
  })

  it('wait again if the base fee has risen since their inclusion', async () => {
    const chain = await startChain({}, {}, { skipHeaderValidation: true })
    await ask(chain.standard, 'anvil_setNextBlockBaseFeePerGas', ['0x0'])
    const free = await send(chain, { nonce: 0, cap: 0n, tip: 0n })
    await chain.seal()
    const drops = recordDrops(chain)
    await rollback(chain)
    expect(drops).toEqual([])
    expect(await ask(chain.standard, 'chain_transactionStatus', [free])).toEqual({
      status: 'Known',
      stage: 'queued',
    })
  })

  it('wait again if their sender can pay for each in turn, but not for the maximum cost of all', async () => {
    const chain = await startChain({ hardfork: 'prague' })
    // The sender has 10,000 ether, and a transaction may cost 3,000 of it.
    const plan = { gas: 30_000_000n, cap: 10n ** 14n }
    const hashes: Hash[] = []
    for (const nonce of [0, 1, 2, 3]) {
      hashes.push(await send(chain, { nonce, ...plan }))
      await chain.seal()
    }
    const drops = recordDrops(chain)
    await rollback(chain, 4)
    expect(drops).toEqual([])
    for (const hash of hashes) expect(hashesOf(await chain.seal())).toEqual([hash])
  })

  it('are not dropped if they already wait', async () => {
    const chain = await startChain()
    const raw = await sign(chain, { nonce: 0 })
    const hash = await chain.standard.request({ method: 'eth_sendRawTransaction', params: [raw] })
    await chain.seal()
    await ask(chain.standard, 'anvil_setNonce', [chain.accounts[0]!.address, '0x0'])
    await chain.standard.request({ method: 'eth_sendRawTransaction', params: [raw] })
    const drops = recordDrops(chain)
    await rollback(chain)
    expect(drops).toEqual([])
    expect(hashesOf(await chain.seal())).toEqual([hash])
  })

  it('are replaced by a waiting transaction with their nonce, if they do not pay more', async () => {
    const chain = await startChain()
    const withdrawn = await send(chain, { nonce: 0 })
    await chain.seal()
    await ask(chain.standard, 'anvil_setNonce', [chain.accounts[0]!.address, '0x0'])
    const other = await send(chain, { nonce: 0, value: 2n })
    const drops = recordDrops(chain)
    await rollback(chain)
    expect(drops).toEqual([
      { hash: withdrawn, reason: 'replaced', message: 'replacement transaction underpriced' },
    ])
    expect(hashesOf(await chain.seal())).toEqual([other])
  })
})
