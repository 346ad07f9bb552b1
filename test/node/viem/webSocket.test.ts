/** The actions over viem's own `webSocket`, to a chain that is served. */
import { createClient, publicActions, walletActions, webSocket } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { preconfActions, preseal } from '../../../src/viem/index.ts'
import { startServer } from '../server/support.ts'

async function start(view: 'standard' | 'preconf') {
  const { chain, server } = await startServer()
  const url = view === 'standard' ? server.url : server.preconfUrl
  const client = createClient({
    account: privateKeyToAccount(chain.accounts[0]!.privateKey),
    chain: preseal,
    transport: webSocket(url.replace('http', 'ws'), { keepAlive: false, reconnect: false }),
  })
    .extend(publicActions)
    .extend(walletActions)
    .extend(preconfActions())
  onTestFinished(async () => (await client.transport.getRpcClient()).close())
  const send = (nonce: number, fee = 10n ** 10n) => {
    const to = chain.accounts[1]!.address
    return client.sendTransaction({
      to,
      value: 1n,
      nonce,
      gas: 21_000n,
      maxFeePerGas: fee,
      maxPriorityFeePerGas: fee,
    })
  }
  /** What a watcher is told of a transaction; there is something once it has begun. */
  const watch = async (hash: `0x${string}`) => {
    const stages: unknown[] = []
    const onError = (error: Error) => stages.push(error)
    client.watchTransactionStatus({ hash, onStatus: ({ stage }) => stages.push(stage), onError })
    await vi.waitUntil(() => stages.length > 0)
    return stages
  }
  return { chain, client, send, watch }
}

describe.each(['standard', 'preconf'] as const)('over WebSocket to %s', (view) => {
  it('a transaction is followed from the mempool to the sealed block, whose receipt is waited for', async () => {
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

  it('a wait for what is replaced rejects', async () => {
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

describe('over WebSocket', () => {
  it('a wait for a pre-confirmation rejects at once what is dropped', async () => {
    const { client, send, watch } = await start('preconf')
    const hash = await send(0)
    const waiting = client.waitForPreconfirmation({ hash }).catch((error) => error)
    await watch(hash)
    await client.request({ method: 'anvil_dropTransaction', params: [hash] } as never)
    expect(await waiting).toMatchObject({ name: 'TransactionDroppedError', reason: 'removed' })
  })

  it('on standard, a wait for a pre-confirmation says which view to connect to', async () => {
    const { client, send } = await start('standard')
    const waiting = client.waitForPreconfirmation({ hash: await send(0) })
    await expect(waiting).rejects.toMatchObject({ name: 'StandardViewError', code: -32601 })
  })

  it('a callback that throws ends neither its own watcher nor those beside it', async () => {
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
        throw new Error(`snapshot ${index}`)
      },
      onError: ({ message }) => thrown.push(message),
    })
    // The node has answered all three of them when it answers this.
    await client.getChainId()
    const hash = await send(0)
    await chain.tick()
    await chain.tick()
    await chain.seal()
    await vi.waitUntil(() => numbers.length > 0 && thrown.length > 2)
    expect(thrown).toEqual(['snapshot 1', 'snapshot 2', 'snapshot 0'])
    expect(hashes).toEqual([hash])
    expect(numbers).toEqual([1n])
    expect(errors).toEqual([])
  })
})
