/** Stock clients run the same story over the server as in process: on both views, by HTTP and by WebSocket. */
import { describe, expect, it } from 'vitest'
import { PRECONF, tellStory } from '../../clients/story.ts'
import { connectEthers, connectViem } from '../../clients/storyClients.ts'
import { sign } from '../../rpc/scene.ts'
import { ask, startServer } from './support.ts'

describe.each([
  ['viem', connectViem],
  ['ethers', connectEthers],
] as const)('%s', (_name, connect) => {
  describe.each(['HTTP', 'WebSocket'] as const)('by %s', (transport) => {
    describe.each(['standard', 'preconf'] as const)('on %s', (view) => {
      tellStory(view, connect, async () => {
        const { chain, server } = await startServer({ preconf: PRECONF })
        const url = view === 'standard' ? server.url : server.preconfUrl
        return { chain, place: transport === 'HTTP' ? url : url.replace('http', 'ws') }
      })
    })
  })
})

describe('a script that fetches', () => {
  it('sends transactions and batches with plain JSON', async () => {
    const { chain, server } = await startServer()
    const post = async (url: string, message: unknown) => {
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(message) })
      return (await response.json()) as { id: unknown; result: unknown }[]
    }
    const [from, to] = chain.accounts.map(({ address }) => address)
    const before = await post(server.preconfUrl, [
      ask('chain', 'eth_chainId'),
      ask('nonce', 'eth_getTransactionCount', from, 'pending'),
      ask('gas', 'eth_estimateGas', { from, to, value: '0x1' }),
    ])
    expect(before).toEqual([
      { jsonrpc: '2.0', id: 'chain', result: '0x7a69' },
      { jsonrpc: '2.0', id: 'nonce', result: '0x0' },
      { jsonrpc: '2.0', id: 'gas', result: '0x5208' },
    ])
    const raws = await Promise.all([0, 1].map((nonce) => sign(chain, 0, { nonce, to: to!, value: 1n })))
    const sent = await post(
      server.url,
      raws.map((raw, i) => ask(i, 'eth_sendRawTransaction', raw)),
    )
    await chain.tick()
    const receipts = sent.map(({ result: hash }, i) => ask(i, 'eth_getTransactionReceipt', hash))
    expect(await post(server.preconfUrl, receipts)).toMatchObject(
      sent.map(({ result: transactionHash }, id) => ({ id, result: { transactionHash, status: '0x1' } })),
    )
    expect(await post(server.url, receipts)).toMatchObject(sent.map((_, id) => ({ id, result: null })))
  })
})
