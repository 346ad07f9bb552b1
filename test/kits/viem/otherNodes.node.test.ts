/** Following a transaction on nodes without a method for its status: by heads, receipts and nonces. */
import { ipc } from 'viem/node'
import { describe, expect, it, vi } from 'vitest'
import { PresealRpcError, type ViewKind } from '../../../src/index.ts'
import { startChain } from '../../harness.ts'
import { serve } from './loopback.ts'
import { clientOf } from './setup.ts'

/** A node without the methods and subscriptions of preseal; on preconf it has those of the OP Stack. */
async function start(view: ViewKind) {
  const chain = await startChain()
  const { path, asked } = await serve(chain.provider(view), (method, [kind]) => {
    const unknown = method.endsWith('_transactionStatus') || `${kind}`.startsWith('newPreconf')
    return unknown ? new PresealRpcError(-32601, 'the method does not exist') : undefined
  })
  return { chain, asked, ...clientOf(chain, ipc(path, { reconnect: false })) }
}

describe.each(['standard', 'preconf'] as const)('a node without statuses, on %s,', (view) => {
  it('lets a transaction be followed by heads, and by pre-confirmations if it has them', async () => {
    const { chain, client, asked, send, watch } = await start(view)
    const hash = await send(0)
    const stages = await watch(hash)
    const asksForStatus = () => asked.filter((method) => method.endsWith('_transactionStatus')).length
    const before = asksForStatus()
    const sealed = client.waitForSeal({ hash })
    await chain.tick()
    if (view === 'preconf') await vi.waitUntil(() => stages.includes('preconfirmed'))
    const { block } = await chain.seal()
    expect((await sealed).blockHash).toBe(block.hash)
    await vi.waitUntil(() => stages.includes('sealed'))
    expect(stages).toEqual(view === 'preconf' ? ['pending', 'preconfirmed', 'sealed'] : ['pending', 'sealed'])
    // The missing method is requested only once.
    expect(asksForStatus()).toBe(before)
  })

  it('shows that a transaction was replaced once another one uses its nonce', async () => {
    const { chain, client, send, watch } = await start(view)
    const hash = await send(0)
    const stages = await watch(hash)
    const rejected = vi.fn()
    client.waitForSeal({ hash }).catch(rejected)
    // Requests are answered in order, so its first poll has been answered by then.
    for (let request = 0; request < 10; request++) await client.getChainId()
    await send(0, 10n ** 11n)
    await chain.seal()
    await vi.waitUntil(() => stages.includes('replaced') && rejected.mock.calls.length > 0)
    expect(stages).toEqual(['pending', 'replaced'])
    expect(rejected.mock.calls).toEqual([
      [expect.objectContaining({ name: 'TransactionDroppedError', hash })],
    ])
  })

  it('shows that a transaction is unknown', async () => {
    const { chain, watch, client } = await start(view)
    const stages = await watch(`0x${'11'.repeat(32)}`)
    await chain.seal()
    await client.getBlockNumber()
    expect(stages).toEqual(['Unknown'])
  })
})
