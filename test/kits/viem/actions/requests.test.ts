import { createClient, custom, fallback } from 'viem'
import { describe, expect, it } from 'vitest'
import {
  chainTransport,
  SendSyncQueuedError,
  SendSyncTimeoutError,
  sendRawTransactionSync,
} from '../../../../src/kits/viem/index.ts'
import { flush, start } from '../setup.ts'

type Setup = Awaited<ReturnType<typeof start>>

async function sign({ client, to }: Setup, nonce: number) {
  const transaction = { to, value: 1n, gas: 21_000n, maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n }
  return client.account.signTransaction({ ...transaction, nonce, chainId: 31_337, type: 'eip1559' })
}

/** Resolves when the next transaction enters the mempool, which for the first one waits for a library to load. */
function arrival({ chain }: Setup): Promise<void> {
  return new Promise((resolve) => void chain.once('transaction', () => resolve()))
}

describe('getTransactionStatus', () => {
  it('follows a transaction from the mempool to the sealed block', async () => {
    const setup = await start()
    const { chain, client, to } = setup
    const queued = await client.sendRawTransaction({ serializedTransaction: await sign(setup, 1) })
    const stageOf = async (hash: typeof queued) => {
      const { status, stage } = await client.getTransactionStatus({ hash })
      return `${status} ${stage}`
    }
    expect(await stageOf(queued)).toBe('Known queued')
    const hash = await client.sendTransaction({ to, value: 1n, nonce: 0 })
    expect(await stageOf(hash)).toBe('Known pending')
    await chain.tick()
    expect(await stageOf(hash)).toBe('Known preconfirmed')
    await chain.seal()
    expect(await stageOf(queued)).toBe('Known sealed')
    expect(await stageOf(`0x${'11'.repeat(32)}`)).toBe('Unknown undefined')
  })
})

describe('sendRawTransactionSync', () => {
  it('returns the pre-confirmed receipt', async () => {
    const setup = await start()
    const { chain, client } = setup
    const serializedTransaction = await sign(setup, 0)
    const arrived = arrival(setup)
    const sent = client.sendRawTransactionSync({ serializedTransaction })
    await arrived
    await chain.tick()
    const receipt = await sent
    expect(receipt).toEqual(await client.getTransactionReceipt({ hash: receipt.transactionHash }))
  })

  it('fails with the hash if it times out, or the transaction is not ready to be executed', async () => {
    const setup = await start()
    const { chain, client } = setup
    const failure = async (nonce: number) => {
      const serializedTransaction = await sign(setup, nonce)
      const arrived = arrival(setup)
      const sent = client.sendRawTransactionSync({ serializedTransaction, timeout: 500 })
      const failing = sent.catch((error) => error)
      await arrived
      await flush()
      await chain.clock.advance(500)
      return failing
    }
    const late = await failure(0)
    expect(late).toBeInstanceOf(SendSyncTimeoutError)
    expect(await client.getTransactionStatus({ hash: late.hash })).toMatchObject({ stage: 'pending' })
    const queued = await failure(7)
    expect(queued).toBeInstanceOf(SendSyncQueuedError)
    expect(await client.getTransactionStatus({ hash: queued.hash })).toMatchObject({ stage: 'queued' })
  })

  it('keeps the error and the hash with a fallback, which sends to the next transport too', async () => {
    const setup = await start()
    const { chain } = setup
    const transports = [custom(chain.preconf), chainTransport(chain)]
    const client = createClient({ transport: fallback(transports, { retryCount: 0 }) })
    const queued = sendRawTransactionSync(client, { serializedTransaction: await sign(setup, 7) })
    const gap = await queued.catch((error) => error)
    expect(gap).toBeInstanceOf(SendSyncQueuedError)
    expect(await setup.client.getTransactionStatus({ hash: gap.hash })).toMatchObject({ stage: 'queued' })
    const serializedTransaction = await sign(setup, 0)
    const arrived = arrival(setup)
    const sent = sendRawTransactionSync(client, { serializedTransaction, timeout: 500 })
    const late = sent.catch((error) => error)
    await arrived
    for (const _ of transports) {
      await flush()
      await chain.clock.advance(500)
    }
    const error = await late
    expect(error).toBeInstanceOf(SendSyncTimeoutError)
    expect(await setup.client.getTransactionStatus({ hash: error.hash })).toMatchObject({ stage: 'pending' })
  })

  it('throws every other error as viem does', async () => {
    const setup = await start()
    const { chain, client } = setup
    const serializedTransaction = await sign(setup, 0)
    await client.sendRawTransaction({ serializedTransaction })
    await chain.seal()
    const again = client.sendRawTransactionSync({ serializedTransaction })
    await expect(again).rejects.toMatchObject({ name: 'InvalidInputRpcError', details: 'nonce too low' })
  })
})
