/** The actions over viem's `webSocket`, on a served chain. */
import { webSocket } from 'viem'
import { describe, expect, it, vi } from 'vitest'
import { startServer } from '../server/support.ts'
import { clientOf } from './setup.ts'

async function start(view: 'standard' | 'preconf') {
  const { chain, server } = await startServer()
  const url = view === 'standard' ? server.url : server.preconfUrl
  const transport = webSocket(url.replace('http', 'ws'), { keepAlive: false, reconnect: false })
  return { chain, ...clientOf(chain, transport) }
}

describe.each(['standard', 'preconf'] as const)('actions over WebSocket to %s', (view) => {
  it('follow a transaction from the mempool to the sealed block, and wait for its receipt', async () => {
    const { chain, client, send, watch } = await start(view)
    const hash = await send(0)
    const sealed = client.waitForSeal({ hash })
    const stages = await watch(hash)
    await chain.tick()
    if (view === 'preconf') await vi.waitUntil(() => stages.includes('preconfirmed'))
    const { block } = await chain.seal()
    expect((await sealed).blockHash).toBe(block.hash)
    await vi.waitUntil(() => stages.includes('sealed'))
    expect(stages).toEqual(view === 'preconf' ? ['pending', 'preconfirmed', 'sealed'] : ['pending', 'sealed'])
  })

  it('reject a wait for a transaction that is replaced', async () => {
    const { chain, client, send, watch } = await start(view)
    const hash = await send(0)
    const sealed = client.waitForSeal({ hash }).catch((error) => error)
    const stages = await watch(hash)
    await send(0, 10n ** 11n)
    if (view === 'standard') await chain.seal()
    expect(await sealed).toMatchObject({ name: 'TransactionDroppedError', hash })
    await vi.waitUntil(() => stages.length > 1)
    expect(stages).toEqual(['pending', 'replaced'])
  })
})

describe('actions over WebSocket', () => {
  it('reject a wait for a pre-confirmation once the transaction is dropped', async () => {
    const { client, send, watch } = await start('preconf')
    const hash = await send(0)
    const waiting = client.waitForPreconfirmation({ hash }).catch((error) => error)
    await watch(hash)
    await client.request({ method: 'anvil_dropTransaction', params: [hash] } as never)
    expect(await waiting).toMatchObject({ name: 'TransactionDroppedError', reason: 'removed' })
  })

  it('reject a wait for a pre-confirmation on standard, and say which view to connect to', async () => {
    const { client, send } = await start('standard')
    const waiting = client.waitForPreconfirmation({ hash: await send(0) })
    await expect(waiting).rejects.toMatchObject({ name: 'StandardViewError', code: -32601 })
  })

  it('continue to watch after a callback that throws', async () => {
    const { chain, client, send } = await start('preconf')
    const thrown: string[] = []
    const numbers: bigint[] = []
    const hashes: string[] = []
    const errors: Error[] = []
    const onError = (error: Error) => errors.push(error)
    client.watchBlockNumber({ onBlockNumber: (number) => numbers.push(number), onError })
    client.watchPreconfTransactions({ onTransactions: (found) => hashes.push(...found), onError })
    client.watchPreconfBlocks({
      onPreconfBlock: ({ index }) => {
        throw new Error(`preconf block ${index}`)
      },
      onError: ({ message }) => thrown.push(message),
    })
    // Requests are answered in order, so the three subscriptions exist now.
    await client.getChainId()
    const hash = await send(0)
    await chain.tick()
    await chain.tick()
    await chain.seal()
    await vi.waitUntil(() => numbers.length > 0 && thrown.length > 2)
    expect(thrown).toEqual(['preconf block 1', 'preconf block 2', 'preconf block 0'])
    expect(hashes).toEqual([hash])
    expect(numbers).toEqual([1n])
    expect(errors).toEqual([])
  })
})
