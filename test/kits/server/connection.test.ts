import { describe, expect, it } from 'vitest'
import { InvalidOptionError } from '../../../src/base/errors.ts'
import type { ChainOptions, ViewKind } from '../../../src/index.ts'
import { type ConnectionOptions, createConnection } from '../../../src/kits/server/index.ts'
import { startChain, type TestChain } from '../../harness.ts'
import { send, sign } from '../../rpc/scene.ts'
import { failure, result } from './messages.ts'

/** A connection to a chain, and everything it sent so far. */
async function connect(view: ViewKind = 'preconf', options?: ConnectionOptions, chainOptions?: ChainOptions) {
  const chain = await startChain(chainOptions)
  const sent: unknown[] = []
  const provider = chain.provider(view)
  const connection = createConnection(provider, (text) => void sent.push(JSON.parse(text)), options)
  /** Sends a message, and takes everything that was sent by the time it is answered. */
  const exchange = async (message: unknown) => {
    await connection.receive(typeof message === 'string' ? message : JSON.stringify(message))
    return sent.splice(0)
  }
  return { chain, connection, provider, sent, exchange }
}

const ask = (id: unknown, method: string, ...params: unknown[]) => ({ jsonrpc: '2.0', id, method, params })
const pushed = (subscription: string, value: unknown) => ({
  jsonrpc: '2.0',
  method: 'eth_subscription',
  params: { subscription, result: value },
})

/** Sends one wei from account 0. */
const transfer = (chain: TestChain, nonce: number) =>
  send(chain, 0, { nonce, to: chain.accounts[1]!.address, value: 1n })

describe('a connection', () => {
  it('answers requests, batches and invalid messages', async () => {
    const { exchange } = await connect()
    expect(await exchange(ask('a', 'eth_chainId'))).toEqual([result('a', '0x7a69')])
    expect(await exchange([ask(1, 'eth_chainId'), ask(2, 'net_version')])).toEqual([
      [result(1, '0x7a69'), result(2, '31337')],
    ])
    expect(await exchange('{')).toEqual([failure(null, -32700, 'parse error')])
    expect(await exchange({ jsonrpc: '2.0', method: 'eth_chainId' })).toEqual([])
    const { exchange: limited } = await connect('preconf', { maxBatch: 1 })
    expect(await limited([ask(1, 'eth_chainId'), ask(2, 'eth_chainId')])).toEqual([
      failure(null, -32600, 'batch too large: 2 requests, limit 1'),
    ])
  })

  it('limits requests in flight, including those of batches', async () => {
    const { chain, connection, exchange, sent } = await connect('preconf', { maxInFlight: 2 })
    const arrived = new Promise<void>((resolve) => {
      let count = 0
      chain.on('transaction', () => {
        count += 1
        if (count === 2) resolve()
      })
    })
    const sends = await Promise.all(
      [2, 3].map(async (index) =>
        ask(
          index,
          'eth_sendRawTransactionSync',
          await sign(chain, index, { nonce: 0, to: chain.accounts[1]!.address }),
        ),
      ),
    )
    const waiting = connection.receive(JSON.stringify(sends))
    await arrived
    const refused = (id: number) => failure(id, -32005, 'too many requests in flight: limit 2')
    expect(await exchange(ask(9, 'eth_chainId'))).toEqual([refused(9)])
    const batch = [ask(10, 'eth_subscribe', 'newHeads'), ask(11, 'eth_chainId')]
    expect(await exchange(batch)).toEqual([[refused(10), refused(11)]])
    const another = await connect('preconf', { maxInFlight: 2 })
    expect(await another.exchange(ask(9, 'eth_chainId'))).toEqual([result(9, '0x7a69')])
    await chain.tick()
    await waiting
    expect(sent).toMatchObject([
      [
        { id: 2, result: { status: '0x1' } },
        { id: 3, result: {} },
      ],
    ])
    sent.length = 0
    expect(await exchange(ask(9, 'eth_chainId'))).toEqual([result(9, '0x7a69')])
  })

  it('pushes the notifications of its subscriptions until they end', async () => {
    const { chain, exchange, sent } = await connect()
    expect(await exchange(ask(1, 'eth_subscribe', 'newPreconfTransactions'))).toEqual([result(1, '0x1')])
    expect(await exchange(ask(2, 'eth_subscribe', 'newPendingTransactions'))).toEqual([result(2, '0x2')])
    const hash = await transfer(chain, 0)
    await chain.tick()
    expect(sent.splice(0)).toEqual([pushed('0x2', hash), pushed('0x1', hash)])
    expect(await exchange(ask(3, 'eth_unsubscribe', '0x2'))).toEqual([result(3, true)])
    expect(await exchange(ask(4, 'eth_unsubscribe', '0x2'))).toEqual([result(4, false)])
    const next = await transfer(chain, 1)
    await chain.tick()
    expect(sent).toEqual([pushed('0x1', next)])
  })

  it('returns the id of a subscription that is answered after its batch reached the limit', async () => {
    const chain = await startChain()
    const provider = chain.provider('preconf')
    const { request } = provider
    let answer = () => {}
    const answered = new Promise<void>((resolve) => {
      answer = resolve
    })
    // A remote provider can answer later requests first.
    const late = async (args: { readonly method: string }) => {
      const given = await request(args)
      if (args.method === 'eth_subscribe') await answered
      else answer()
      return given
    }
    const sent: unknown[] = []
    const connection = createConnection(
      Object.assign(provider, { request: late }),
      (text) => void sent.push(JSON.parse(text)),
      { maxBatchResponseBytes: 100 },
    )
    const long = 'x'.repeat(100)
    const batch = [ask(1, 'eth_subscribe', 'newHeads'), ask(long, 'eth_chainId'), ask(3, 'eth_chainId')]
    await connection.receive(JSON.stringify(batch))
    expect(sent.splice(0)).toEqual([
      [result(1, '0x1'), result(long, '0x7a69'), failure(3, -32003, 'response too large: limit 100 bytes')],
    ])
    const { block } = await chain.seal()
    expect(sent).toEqual([pushed('0x1', expect.objectContaining({ hash: block.hash }))])
  })

  it('answers a subscription before it pushes for it, also if the rest of its batch is late', async () => {
    const { chain, connection, sent } = await connect('preconf')
    const first = await send(chain, 0, { nonce: 0, to: chain.accounts[1]!.address })
    // The tick that answers the third request also causes notifications.
    const batch = [
      ask(1, 'eth_subscribe', 'newPreconfTransactions'),
      ask(2, 'eth_getTransactionReceipt', first),
      ask(3, 'eth_sendRawTransactionSync', await signedTransfer(chain)),
    ]
    const added = new Promise<void>((resolve) => chain.once('transaction', () => resolve()))
    const answered = connection.receive(JSON.stringify(batch))
    await added
    await chain.tick()
    await answered
    expect(sent).toHaveLength(3)
    expect(sent[0]).toMatchObject([result(1, '0x1'), result(2, null), { id: 3, result: { status: '0x1' } }])
    const { transactionHash } = (sent[0] as { result: { transactionHash: string } }[])[2]!.result
    expect(sent.slice(1)).toEqual([pushed('0x1', first), pushed('0x1', transactionHash)])
  })

  it('pushes for a subscription that was created without a request id', async () => {
    const { chain, exchange, sent } = await connect()
    const { id: _, ...subscribe } = ask(0, 'eth_subscribe', 'newPendingTransactions')
    expect(await exchange(subscribe)).toEqual([])
    const hash = await transfer(chain, 0)
    expect(sent).toEqual([pushed('0x1', hash)])
  })

  it('pushes nothing for a subscription that ended in the batch in which it started', async () => {
    const { chain, exchange, sent } = await connect()
    const batch = [ask(1, 'eth_subscribe', 'newPendingTransactions'), ask(2, 'eth_unsubscribe', '0x1')]
    expect(await exchange(batch)).toEqual([[result(1, '0x1'), result(2, true)]])
    await transfer(chain, 0)
    expect(sent).toEqual([])
  })

  it('is closed if more bytes wait behind an answer than the limit', async () => {
    const { chain, connection, provider, sent } = await connect('preconf', { maxQueuedBytes: 1000 })
    const closed = new Promise<void>((resolve) => provider.on('disconnect', () => resolve()))
    const batch = [
      ask(1, 'eth_subscribe', 'newPreconfBlocks'),
      ask(2, 'eth_subscribe', 'newHeads'),
      ask(3, 'eth_unsubscribe', '0x2'),
      // Waits for the tick that causes a notification of the first subscription.
      ask(4, 'eth_sendRawTransactionSync', await signedTransfer(chain)),
    ]
    const added = new Promise<void>((resolve) => chain.once('transaction', () => resolve()))
    const answered = connection.receive(JSON.stringify(batch))
    await added
    await chain.tick()
    await closed
    await answered
    expect(sent).toEqual([])
    await expect(provider.request({ method: 'eth_chainId' })).rejects.toMatchObject({ code: 4900 })
  })

  it('limits subscriptions, counting those that are being created', async () => {
    const { exchange } = await connect('standard', { maxSubscriptions: 2 })
    const subscribe = (id: number) => ask(id, 'eth_subscribe', 'newHeads')
    const refused = (id: number) => failure(id, -32005, 'too many subscriptions: limit 2')
    expect(await exchange([subscribe(1), subscribe(2), subscribe(3)])).toEqual([
      [result(1, '0x1'), result(2, '0x2'), refused(3)],
    ])
    expect(await exchange(subscribe(4))).toEqual([refused(4)])
    expect(await exchange(ask(5, 'eth_unsubscribe', '0x1'))).toEqual([result(5, true)])
    // A subscription that fails does not count.
    expect(await exchange(ask(6, 'eth_subscribe', 'nothing'))).toEqual([
      failure(6, -32601, 'no "nothing" subscription in eth namespace'),
    ])
    expect(await exchange(subscribe(7))).toEqual([result(7, '0x3')])
    expect(await exchange(subscribe(8))).toEqual([refused(8)])
  })

  it('no longer counts a subscription that was ended by another spelling of its id', async () => {
    const { exchange } = await connect('standard', { maxSubscriptions: 10 })
    for (let id = 1; id <= 10; id++) await exchange(ask(id, 'eth_subscribe', 'newHeads'))
    expect(await exchange(ask(11, 'eth_unsubscribe', '0xA'))).toEqual([result(11, true)])
    expect(await exchange(ask(12, 'eth_subscribe', 'newHeads'))).toEqual([result(12, '0xb')])
  })

  it('is isolated from the subscriptions of others', async () => {
    const { chain, exchange, sent } = await connect()
    const others: string[] = []
    const other = createConnection(chain.provider('preconf'), (text) => void others.push(text))
    expect(await exchange(ask(1, 'eth_subscribe', 'newPendingTransactions'))).toEqual([result(1, '0x1')])
    await other.receive(JSON.stringify(ask(1, 'eth_unsubscribe', '0x1')))
    expect(others.map((text) => JSON.parse(text))).toEqual([result(1, false)])
    const hash = await transfer(chain, 0)
    expect(sent).toEqual([pushed('0x1', hash)])
    expect(others).toHaveLength(1)
  })

  it('closes its provider, and sends no further notifications and answers', async () => {
    const { chain, connection, provider, exchange, sent } = await connect()
    await exchange(ask(1, 'eth_subscribe', 'newPendingTransactions'))
    const waiting = connection.receive(
      JSON.stringify(ask(2, 'eth_sendRawTransactionSync', await signedTransfer(chain))),
    )
    connection.close()
    connection.close()
    await waiting
    await transfer(chain, 0)
    await connection.receive(JSON.stringify(ask(3, 'eth_chainId')))
    expect(sent).toEqual([])
    await expect(provider.request({ method: 'eth_chainId' })).rejects.toMatchObject({ code: 4900 })
  })

  it('answers waiting requests with 4900 when the chain is closed', async () => {
    const { chain, connection, sent } = await connect()
    const added = new Promise<void>((resolve) => chain.once('transaction', () => resolve()))
    const waiting = connection.receive(
      JSON.stringify(ask(1, 'eth_sendRawTransactionSync', await signedTransfer(chain))),
    )
    await added
    await chain.close()
    await waiting
    expect(sent).toEqual([failure(1, 4900, 'disconnected')])
  })

  it('gives up filters and subscriptions of a closed chain, whatever is named', async () => {
    const { chain, connection, exchange, sent } = await connect()
    await exchange([ask(1, 'eth_subscribe', 'newHeads'), ask(2, 'eth_newBlockFilter')])
    await chain.close()
    const requests = [ask(3, 'eth_unsubscribe', '0x1'), ask(4, 'eth_uninstallFilter', '0x1')]
    const nameless = { jsonrpc: '2.0', id: 5, method: 'eth_unsubscribe' }
    await connection.receive(JSON.stringify([...requests, nameless, ask(6, 'eth_chainId')]))
    const given = [3, 4, 5].map((id) => result(id, true))
    expect(sent).toEqual([[...given, failure(6, 4900, 'disconnected')]])
  })

  it.each([
    [{ maxBatch: 0 }, 'maxBatch', 'an integer >= 1'],
    [{ maxSubscriptions: -1 }, 'maxSubscriptions', 'an integer >= 0'],
    [{ maxInFlight: 0 }, 'maxInFlight', 'an integer >= 1'],
    [{ maxQueuedBytes: 0 }, 'maxQueuedBytes', 'an integer >= 1'],
  ])('refuses the options %j', async (options, option, expected) => {
    const chain = await startChain()
    const create = () => createConnection(chain.provider('preconf'), () => {}, options)
    expect(create).toThrow(new InvalidOptionError(option, expected))
  })
})

/** A signed transfer by account 5. */
function signedTransfer(chain: TestChain) {
  return sign(chain, 5, { nonce: 0, to: chain.accounts[1]!.address })
}
