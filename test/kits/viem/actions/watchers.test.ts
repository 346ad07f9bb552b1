import { type BaseError, createPublicClient, custom, ProviderDisconnectedError, parseAbiItem } from 'viem'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  type FormattedPreconfBlock,
  type PreconfTransaction,
  PushUnsupportedError,
  watchPendingLogs,
  watchPreconfBlocks,
  watchPreconfTransactions,
} from '../../../../src/kits/viem/index.ts'
import { Token } from '../../../contracts/artifacts.ts'
import { startChain } from '../../../harness.ts'
import { deployToken, flush, start } from '../setup.ts'

const TRANSFER = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)')
const NOTHING = () => {}

describe('watchPreconfBlocks', () => {
  it('pushes every preconf block, formatted, without a request', async () => {
    const { chain, client, tap, to } = await start()
    const seen: FormattedPreconfBlock[] = []
    onTestFinished(client.watchPreconfBlocks({ onPreconfBlock: (preconfBlock) => seen.push(preconfBlock) }))
    await flush()
    const hash = await client.sendTransaction({ to, value: 1n })
    await tap.during(async () => {
      await chain.tick()
      await chain.tick()
    })
    const block = await client.getBlock({ blockTag: 'pending', includeTransactions: true })
    const receipts = [await client.getTransactionReceipt({ hash })]
    expect(seen).toEqual([
      { index: 1, added: 0, block, receipts },
      { index: 2, added: 1, block, receipts },
    ])
    await chain.seal()
    expect(seen.slice(2).map(({ index, block: { number } }) => [number, index])).toEqual([[2n, 0]])
  })
})

describe('watchPreconfTransactions', () => {
  it('pushes hashes, each once and in order', async () => {
    const { chain, client, to } = await start()
    const seen: string[] = []
    onTestFinished(client.watchPreconfTransactions({ onTransactions: (hashes) => seen.push(...hashes) }))
    await flush()
    const hashes: string[] = []
    for (const value of [1n, 2n, 3n]) {
      hashes.push(await client.sendTransaction({ to, value }))
      if (value !== 2n) await chain.tick()
    }
    await chain.seal()
    expect(seen).toEqual(hashes)
  })

  it('pushes whole transactions with the results of their execution', async () => {
    const { chain, client, tap, to } = await start()
    const seen: PreconfTransaction[] = []
    onTestFinished(
      client.watchPreconfTransactions({
        includeTransactions: true,
        onTransactions: (transactions) => seen.push(...transactions),
      }),
    )
    await flush()
    const hash = await client.sendTransaction({ to, value: 1n })
    expect(await tap.during(() => chain.tick())).toEqual([])
    const { logs, logsBloom, status, gasUsed, cumulativeGasUsed, contractAddress, effectiveGasPrice } =
      await client.getTransactionReceipt({ hash })
    const outcome = {
      logs,
      logsBloom,
      status,
      gasUsed,
      cumulativeGasUsed,
      contractAddress,
      effectiveGasPrice,
    }
    expect(seen).toEqual([{ ...(await client.getTransaction({ hash })), ...outcome }])
  })
})

describe('watchPendingLogs', () => {
  it('pushes the logs of every tick, decoded as by watchEvent, without a request', async () => {
    const setup = await start()
    const { chain, client, tap, to } = setup
    const address = await deployToken(setup)
    const pending: unknown[] = []
    const values: (bigint | undefined)[] = []
    const all: unknown[] = []
    const sealed: unknown[] = []
    const filter = { address, event: TRANSFER, args: { to } } as const
    onTestFinished(
      client.watchPendingLogs({
        ...filter,
        onLogs: (logs) => {
          pending.push(...logs)
          values.push(...logs.map(({ args }) => args.value))
        },
      }),
    )
    onTestFinished(client.watchPendingLogs({ onLogs: (logs) => all.push(...logs) }))
    onTestFinished(client.watchEvent({ ...filter, onLogs: (logs) => sealed.push(...logs) }))
    await flush()
    const { abi } = Token
    const transfer = (receiver: typeof to, value: bigint) =>
      client.writeContract({ abi, address, functionName: 'transfer', args: [receiver, value] })
    await transfer(to, 1n)
    expect(await tap.during(() => chain.tick())).toEqual([])
    expect(values).toEqual([1n])
    await transfer(to, 2n)
    await transfer(address, 3n)
    await chain.tick()
    expect(values).toEqual([1n, 2n])
    expect(all).toHaveLength(3)
    expect(sealed).toEqual([])
    await chain.seal()
    expect(pending.map((log) => ({ ...(log as object), blockHash: null }))).toEqual(
      sealed.map((log) => ({ ...(log as object), blockHash: null })),
    )
    expect(values).toEqual([1n, 2n])
  })

  it('ends if it is unwatched, also before it has started', async () => {
    const setup = await start()
    const { chain, client, tap } = setup
    const seen: unknown[] = []
    client.watchPendingLogs({ onLogs: (logs) => seen.push(logs) })()
    const unwatch = client.watchPendingLogs({ onLogs: (logs) => seen.push(logs) })
    await flush()
    unwatch()
    await deployToken(setup)
    await chain.seal()
    expect(seen).toEqual([])
    expect(tap.count('eth_unsubscribe')).toBe(2)
  })
})

describe('the watchers', () => {
  it('end if they are unwatched, also before they have started', async () => {
    const { chain, client, tap, to } = await start()
    const seen: unknown[] = []
    const see = (value: unknown) => seen.push(value)
    const watchBoth = () => [
      client.watchPreconfBlocks({ onPreconfBlock: see, onError: see }),
      client.watchPreconfTransactions({ onTransactions: see, onError: see }),
    ]
    for (const unwatch of watchBoth()) unwatch()
    const unwatches = watchBoth()
    await flush()
    for (const unwatch of unwatches) unwatch()
    await client.sendTransaction({ to, value: 1n })
    await chain.seal()
    expect(tap.count('eth_unsubscribe')).toBe(4)
    await chain.close()
    expect(seen).toEqual([])
  })

  it('name the view to connect to if the client is on standard', async () => {
    const { client } = await start('standard')
    const messages: string[] = []
    const onError = (error: Error) => messages.push((error as BaseError).shortMessage)
    client.watchPreconfBlocks({ onPreconfBlock: NOTHING, onError })
    client.watchPreconfTransactions({ onTransactions: NOTHING, onError })
    client.watchPendingLogs({ onLogs: NOTHING, onError })
    await flush()
    expect(messages).toEqual(
      Array(3).fill(
        'This client is connected to the standard view; pre-confirmations need the preconf view.',
      ),
    )
  })

  it('pass errors of their callbacks to their own onError, and continue', async () => {
    const setup = await start()
    const { chain, client, to } = setup
    const address = await deployToken(setup)
    const messages: string[] = []
    const fail = (what: string) => () => {
      throw new Error(what)
    }
    const onError = (error: Error) => messages.push(error.message)
    onTestFinished(client.watchPreconfBlocks({ onPreconfBlock: fail('block'), onError }))
    onTestFinished(client.watchPreconfTransactions({ onTransactions: fail('transaction'), onError }))
    onTestFinished(client.watchPendingLogs({ onLogs: fail('log'), onError }))
    await flush()
    for (const value of [1n, 2n]) {
      await client.writeContract({ abi: Token.abi, address, functionName: 'transfer', args: [to, value] })
      await chain.tick()
    }
    expect(messages.sort()).toEqual(['block', 'block', 'log', 'log', 'transaction', 'transaction'])
  })

  it('report the end of the chain, a view that lacks them, and a transport that cannot push', async () => {
    const errors: Error[] = []
    const onError = (error: Error) => errors.push(error)
    const { chain, client } = await start()
    client.watchPreconfBlocks({ onPreconfBlock: NOTHING, onError })
    client.watchPreconfTransactions({ onTransactions: NOTHING, onError })
    client.watchPendingLogs({ onLogs: NOTHING, onError })
    await flush()
    await chain.close()
    expect(errors.splice(0)).toEqual(Array(3).fill(expect.any(ProviderDisconnectedError)))

    const standard = await start('standard')
    standard.client.watchPreconfBlocks({ onPreconfBlock: NOTHING, onError })
    standard.client.watchPreconfTransactions({ onTransactions: NOTHING, onError })
    standard.client.watchPendingLogs({ onLogs: NOTHING, onError })
    await flush()
    expect(errors.splice(0)).toEqual(Array(3).fill(expect.objectContaining({ code: -32601 })))

    const polling = createPublicClient({ transport: custom((await startChain()).preconf) })
    watchPreconfBlocks(polling, { onPreconfBlock: NOTHING, onError })
    watchPreconfTransactions(polling, { onTransactions: NOTHING, onError })
    watchPendingLogs(polling, { onLogs: NOTHING, onError })
    await flush()
    expect(errors).toEqual(Array(3).fill(expect.any(PushUnsupportedError)))
  })
})
