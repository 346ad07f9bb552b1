import {
  createPublicClient,
  custom,
  ProviderDisconnectedError,
  WaitForTransactionReceiptTimeoutError,
} from 'viem'
import { describe, expect, it } from 'vitest'
import { createManualClock } from '../../../../src/index.ts'
import {
  NonceGapError,
  PushUnsupportedError,
  TransactionDroppedError,
  waitForSeal,
} from '../../../../src/kits/viem/index.ts'
import { startChain } from '../../../harness.ts'
import { flush, progress, start } from '../setup.ts'

const UNKNOWN = `0x${'11'.repeat(32)}` as const

describe.each(['standard', 'preconf'] as const)('waitForSeal on %s', (view) => {
  it('has resolved when advancing the clock to the seal returns, and not before', async () => {
    const clock = createManualClock()
    const { client, to } = await start(view, { mining: 'interval', clock })
    const hash = await client.sendTransaction({ to, value: 1n })
    const waiting = progress(client.waitForSeal({ hash }))
    await flush()
    await clock.advance(1999)
    expect(waiting).toEqual({})
    await clock.advance(1)
    expect(waiting.value).toEqual(await client.getTransactionReceipt({ hash }))
  })

  it('returns the receipt of a transaction that is sealed already, and unsubscribes', async () => {
    const { chain, client, tap, to } = await start(view)
    const hash = await client.sendTransaction({ to, value: 1n })
    const { block } = await chain.seal()
    const receipt = await client.waitForSeal({ hash })
    expect(receipt.blockHash).toBe(block.hash)
    await flush()
    expect(tap.count('eth_unsubscribe')).toBe(view === 'preconf' ? 2 : 1)
  })

  it('rejects if the transaction is replaced, during the wait or before', async () => {
    const { chain, client, to } = await start(view)
    const hash = await client.sendTransaction({ to, value: 1n, nonce: 0 })
    const waiting = progress(client.waitForSeal({ hash }))
    await flush()
    const other = await client.sendTransaction({
      to,
      value: 2n,
      nonce: 0,
      maxFeePerGas: 10n ** 11n,
      maxPriorityFeePerGas: 10n ** 10n,
    })
    await chain.seal()
    await flush()
    expect(waiting.error).toBeInstanceOf(TransactionDroppedError)
    expect((waiting.error as Error).message).toContain(
      `The transaction with hash "${hash}" was replaced by a transaction with its nonce.`,
    )
    await expect(client.waitForSeal({ hash })).rejects.toThrow(TransactionDroppedError)
    expect((await client.waitForSeal({ hash: other })).status).toBe('success')
  })

  it('names the nonce gap if it times out behind one', async () => {
    const { chain, client, to } = await start(view)
    const hash = await client.sendTransaction({ to, value: 1n, nonce: 50, gas: 21_000n })
    const waiting = progress(client.waitForSeal({ hash, timeout: 1000 }))
    await flush()
    await chain.clock.advance(1000)
    await flush()
    expect(waiting.error).toBeInstanceOf(NonceGapError)
    expect(waiting.error).toMatchObject({ hash, nonce: 50, nextNonce: 0 })
    expect((waiting.error as Error).message).toContain("nonce 50, but its sender's next nonce is 0")
  })

  it("times out by the chain's clock, and ends with the chain", async () => {
    const { chain, client } = await start(view)
    const waiting = progress(client.waitForSeal({ hash: UNKNOWN, timeout: 1000 }))
    const forever = progress(client.waitForSeal({ hash: UNKNOWN, timeout: 0 }))
    await flush()
    await chain.clock.advance(1000)
    await flush()
    expect(waiting.error).toBeInstanceOf(WaitForTransactionReceiptTimeoutError)
    expect(forever).toEqual({})
    await chain.close()
    await flush()
    expect(forever.error).toBeInstanceOf(ProviderDisconnectedError)
  })
})

describe('waitForSeal', () => {
  it('continues to wait if the pre-confirmed transaction is withdrawn', async () => {
    const { chain, client, to } = await start()
    const hash = await client.sendTransaction({ to, value: 1n })
    const waiting = progress(client.waitForSeal({ hash }))
    await flush()
    await chain.tick()
    await chain.retract({ transactions: [hash] })
    await flush()
    expect(waiting).toEqual({})
    const { block } = await chain.seal()
    await flush()
    expect(waiting.value?.blockHash).toBe(block.hash)
  })

  it('rejects at once, with the reason, if the transaction is dropped on preconf', async () => {
    const { client, to } = await start()
    const hash = await client.sendTransaction({ to, value: 1n })
    const waiting = progress(client.waitForSeal({ hash }))
    await flush()
    await client.request({ method: 'anvil_dropTransaction', params: [hash] } as never)
    await flush()
    expect(waiting.error).toMatchObject({ name: 'TransactionDroppedError', hash, reason: 'removed' })
  })

  it('shares its subscriptions among all waits', async () => {
    const { chain, client, tap, to } = await start()
    const hashes = await Promise.all(
      [1n, 2n, 3n].map((value, nonce) => client.sendTransaction({ to, value, nonce })),
    )
    const waiting = hashes.map((hash) => client.waitForSeal({ hash }))
    await flush()
    await chain.seal()
    const receipts = await Promise.all(waiting)
    expect(receipts.map(({ transactionIndex }) => transactionIndex)).toEqual([0, 1, 2])
    await flush()
    expect([tap.count('eth_subscribe'), tap.count('eth_unsubscribe')]).toEqual([2, 2])
  })

  it('rejects over a transport that cannot push', async () => {
    const client = createPublicClient({ transport: custom((await startChain()).preconf) })
    await expect(waitForSeal(client, { hash: UNKNOWN })).rejects.toThrow(PushUnsupportedError)
  })
})
