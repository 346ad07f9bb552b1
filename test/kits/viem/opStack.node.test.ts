import { ipc } from 'viem/node'
import { describe, expect, it, vi } from 'vitest'
import { PresealRpcError } from '../../../src/index.ts'
import { startChain } from '../../harness.ts'
import { serve } from './loopback.ts'
import { clientOf } from './setup.ts'

/** A node with the OP Stack's names only, reached over a socket by viem's own transport. */
async function start(unknownKind: number, known = /^(newFlashblock|pendingLogs)/) {
  const chain = await startChain()
  const { path, asked } = await serve(
    chain.provider('preconf', { pendingNonce: 'pool' }),
    (method, [kind]) => {
      if (method === 'chain_transactionStatus')
        return new PresealRpcError(-32601, 'the method does not exist')
      const unknown = method === 'eth_subscribe' && !known.test(kind as string)
      return unknown ? new PresealRpcError(unknownKind, 'unknown subscription') : undefined
    },
  )
  const { client } = clientOf(chain, ipc(path, { reconnect: false }))
  const to = chain.accounts[1]!.address
  return {
    chain,
    client,
    asked,
    to,
    subscribed: (kind: string) => vi.waitUntil(() => asked.includes(`eth_subscribe ${kind}`)),
  }
}

describe.each([
  ['go-ethereum', -32601],
  ['reth', -32602],
] as const)('actions on a node of the OP Stack with the errors of %s', (_, code) => {
  it('wait for a pre-confirmation', async () => {
    const { chain, client, asked, to, subscribed } = await start(code)
    const hash = await client.sendTransaction({ to, value: 1n })
    const waiting = client.waitForPreconfirmation({ hash })
    await subscribed('newFlashblockTransactions')
    await client.getChainId()
    await chain.tick()
    const receipt = await waiting
    expect(receipt).toEqual(await client.getTransactionReceipt({ hash }))
    // Without full transactions, and with the name that worked before.
    await client.waitForPreconfirmation({ hash })
    expect(asked.filter((method) => method.startsWith('eth_subscribe'))).toEqual([
      'eth_subscribe newPreconfTransactions',
      'eth_subscribe newFlashblockTransactions',
      'eth_subscribe newFlashblockTransactions',
    ])
  })

  it('watch blocks, transactions and logs', async () => {
    const { chain, client, to, subscribed } = await start(code)
    const seen: unknown[] = []
    const onError = (error: Error) => seen.push(error)
    client.watchPreconfBlocks({ onPreconfBlock: (block) => seen.push(block), onError })
    await subscribed('newFlashblocks')
    client.watchPreconfTransactions({ onTransactions: ([hash]) => seen.push(hash), onError })
    await subscribed('newFlashblockTransactions')
    client.watchPendingLogs({ onLogs: NOTHING, onError })
    await subscribed('pendingLogs')
    const hash = await client.sendTransaction({ to, value: 1n })
    await chain.tick()
    const block = await client.getBlock({ blockTag: 'pending', includeTransactions: true })
    expect(seen).toEqual([{ block }, hash])
  })

  it('return the status of a transaction', async () => {
    const { client, asked, to } = await start(code)
    const hash = await client.sendTransaction({ to, value: 1n })
    const from = asked.length
    expect(await client.getTransactionStatus({ hash })).toEqual({ status: 'Known', stage: 'pending' })
    expect(await client.getTransactionStatus({ hash })).toEqual({ status: 'Known', stage: 'pending' })
    expect(asked.slice(from)).toEqual([
      'chain_transactionStatus',
      'base_transactionStatus',
      'base_transactionStatus',
    ])
  })

  it('fail once if the node has neither name', async () => {
    const { client } = await start(code, /^$/)
    const hash = `0x${'11'.repeat(32)}` as const
    await expect(client.waitForPreconfirmation({ hash })).rejects.toMatchObject({
      code,
      name: 'RpcRequestError',
    })
    const errors: Error[] = []
    client.watchPreconfTransactions({ onTransactions: NOTHING, onError: (error) => errors.push(error) })
    await vi.waitUntil(() => errors.length > 0)
    expect(errors).toEqual([expect.objectContaining({ code, name: 'RpcRequestError' })])
  })
})

const NOTHING = () => {}
