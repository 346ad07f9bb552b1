import {
  createPublicClient,
  custom,
  defineTransactionReceipt,
  ProviderDisconnectedError,
  WaitForTransactionReceiptTimeoutError,
} from 'viem'
import { describe, expect, it } from 'vitest'
import { createManualClock } from '../../../../src/index.ts'
import {
  chainTransport,
  NonceGapError,
  PushUnsupportedError,
  preseal,
  TransactionDroppedError,
  waitForPreconfirmation,
} from '../../../../src/kits/viem/index.ts'
import { provenBlob, signBare, wrap } from '../../../blobs.ts'
import { Token } from '../../../contracts/artifacts.ts'
import { startChain } from '../../../harness.ts'
import { deployToken, flush, progress, start, tapped } from '../setup.ts'

const UNKNOWN = `0x${'11'.repeat(32)}` as const

describe('waitForPreconfirmation', () => {
  it('has resolved when advancing the clock to the next tick returns', async () => {
    const clock = createManualClock()
    const { client, to } = await start('preconf', { mining: 'interval', clock })
    const hash = await client.sendTransaction({ to, value: 1n })
    const waiting = progress(client.waitForPreconfirmation({ hash }))
    await flush()
    await clock.advance(199)
    expect(waiting).toEqual({})
    await clock.advance(1)
    expect(waiting.value?.transactionHash).toBe(hash)
  })

  it('returns the pushed receipt, equal to the one that viem reads', async () => {
    const setup = await start()
    const { chain, client, tap, to } = setup
    const address = await deployToken(setup)
    const { abi } = Token
    const hash = await client.writeContract({ abi, address, functionName: 'transfer', args: [to, 5n] })
    const waiting = client.waitForPreconfirmation({ hash })
    await flush()
    let receipt: Awaited<typeof waiting> | undefined
    const methods = await tap.during(async () => {
      await chain.tick()
      receipt = await waiting
    })
    expect(methods).toEqual(['eth_unsubscribe'])
    expect(receipt).toEqual(await client.getTransactionReceipt({ hash }))
    expect(receipt!.logs).toHaveLength(1)
    expect((await chain.seal()).block.hash).toBe(receipt!.blockHash)
  })

  it('returns the receipt of a transaction that is pre-confirmed or sealed already', async () => {
    const { chain, client, to } = await start()
    const hash = await client.sendTransaction({ to, value: 1n })
    await chain.tick()
    const receipt = await client.waitForPreconfirmation({ hash })
    await chain.seal()
    await chain.seal()
    expect(await client.waitForPreconfirmation({ hash })).toEqual(receipt)
  })

  it('returns the receipt of a creation and of a reverted transaction', async () => {
    const setup = await start()
    const { chain, client, to } = setup
    const created = await client.deployContract({ abi: Token.abi, bytecode: Token.bytecode })
    const creation = client.waitForPreconfirmation({ hash: created })
    await flush()
    await chain.tick()
    const { contractAddress } = await creation
    expect(await client.getCode({ address: contractAddress!, blockTag: 'pending' })).toMatch(/^0x60/)
    const hash = await client.writeContract({
      abi: Token.abi,
      address: contractAddress!,
      functionName: 'transfer',
      args: [to, 2n ** 255n],
      gas: 100_000n,
    })
    const reverting = client.waitForPreconfirmation({ hash })
    await flush()
    await chain.tick()
    expect((await reverting).status).toBe('reverted')
  })

  it('returns the data that a transaction reverted with, as it is read and as it is sealed', async () => {
    const setup = await start('preconf', { revertReason: true })
    const { chain, client, to } = setup
    const address = await deployToken(setup)
    const hash = await client.writeContract({
      abi: Token.abi,
      address,
      functionName: 'transfer',
      args: [to, 2n ** 255n],
      gas: 100_000n,
    })
    const waiting = client.waitForPreconfirmation({ hash })
    await flush()
    await chain.tick()
    const receipt = await waiting
    expect(Reflect.get(receipt, 'revertReason')).toMatch(/^0x\w+$/)
    expect(receipt).toEqual(await client.getTransactionReceipt({ hash }))
    await chain.seal()
    expect(await client.waitForSeal({ hash })).toEqual(receipt)
  })

  it('shares one subscription among all waits, and ends it after the last', async () => {
    const { chain, client, tap, to } = await start()
    const hashes = await Promise.all(
      [1n, 2n, 3n].map((value, nonce) => client.sendTransaction({ to, value, nonce })),
    )
    const waiting = [...hashes, hashes[0]!].map((hash) => client.waitForPreconfirmation({ hash }))
    await flush()
    await chain.tick()
    const receipts = await Promise.all(waiting)
    expect(receipts.map(({ transactionIndex }) => transactionIndex)).toEqual([0, 1, 2, 0])
    expect(tap.count('eth_subscribe')).toBe(1)
    await flush()
    expect(tap.count('eth_unsubscribe')).toBe(1)
    const hash = await client.sendTransaction({ to, value: 4n })
    const again = client.waitForPreconfirmation({ hash })
    await flush()
    await chain.tick()
    expect((await again).transactionIndex).toBe(3)
  })

  it("times out by the chain's clock, and unsubscribes", async () => {
    const { chain, client, tap } = await start()
    const waiting = progress(client.waitForPreconfirmation({ hash: UNKNOWN, timeout: 1000 }))
    await flush()
    await chain.clock.advance(999)
    expect(waiting).toEqual({})
    await chain.clock.advance(1)
    await flush()
    expect(waiting.error).toBeInstanceOf(WaitForTransactionReceiptTimeoutError)
    expect(tap.count('eth_unsubscribe')).toBe(1)
  })

  it('unsubscribes if it times out while the subscription starts', async () => {
    const chain = await startChain()
    const { tap, push } = tapped(chain.provider('preconf'))
    let answer = () => {}
    const answered = new Promise<void>((resolve) => {
      answer = resolve
    })
    const request: typeof push.request = async (args) => {
      const result = await push.request(args)
      if (args.method === 'eth_subscribe') await answered
      return result
    }
    const client = createPublicClient({
      transport: chainTransport({ ...push, request }, { clock: chain.clock }),
    })
    const waiting = waitForPreconfirmation(client, { hash: UNKNOWN, timeout: 1 }).catch((error) => error)
    await flush()
    await chain.clock.advance(1)
    expect(await waiting).toBeInstanceOf(WaitForTransactionReceiptTimeoutError)
    answer()
    await flush()
    expect(tap.exchanges.map(({ method }) => method)).toContain('eth_unsubscribe')
  })

  it('waits forever with a timeout of 0', async () => {
    const { chain, client } = await start()
    const waiting = progress(client.waitForPreconfirmation({ hash: UNKNOWN, timeout: 0 }))
    await flush()
    await chain.clock.advance(1_000_000_000)
    await flush()
    expect(waiting).toEqual({})
    await chain.close()
    await flush()
    expect(waiting.error).toBeInstanceOf(ProviderDisconnectedError)
  })

  it('rejects on standard, over a transport that cannot push, and after the chain is closed', async () => {
    const { client } = await start('standard')
    await expect(client.waitForPreconfirmation({ hash: UNKNOWN })).rejects.toMatchObject({ code: -32601 })
    const chain = await startChain()
    const polling = createPublicClient({ transport: custom(chain.preconf) })
    await expect(waitForPreconfirmation(polling, { hash: UNKNOWN })).rejects.toThrow(PushUnsupportedError)
    const closed = await start()
    await closed.chain.close()
    await expect(closed.client.waitForPreconfirmation({ hash: UNKNOWN })).rejects.toThrow(
      ProviderDisconnectedError,
    )
  })

  it('rejects at once, with the reason, if the transaction is dropped or replaced', async () => {
    const { client, to } = await start()
    const fees = { gas: 21_000n, maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 10n ** 9n }
    const replaced = await client.sendTransaction({ ...fees, to, value: 1n, nonce: 0 })
    const dropped = await client.sendTransaction({ ...fees, to, value: 1n, nonce: 1 })
    const waiting = [replaced, dropped].map((hash) => progress(client.waitForPreconfirmation({ hash })))
    await flush()
    expect(waiting).toEqual([{}, {}])
    await client.sendTransaction({
      to,
      value: 1n,
      nonce: 0,
      maxFeePerGas: 10n ** 11n,
      maxPriorityFeePerGas: 10n ** 10n,
    })
    await client.request({ method: 'anvil_dropTransaction', params: [dropped] } as never)
    await flush()
    expect(waiting.map(({ error }) => (error as TransactionDroppedError).shortMessage)).toEqual([
      `The transaction with hash "${replaced}" was replaced by a transaction with its nonce.`,
      `The transaction with hash "${dropped}" was dropped: removed.`,
    ])
    // The same for transactions that were dropped or replaced before.
    for (const hash of [replaced, dropped]) {
      await expect(client.waitForPreconfirmation({ hash })).rejects.toThrow(TransactionDroppedError)
    }
  })

  it('rejects at once if a revert to a snapshot removes the pre-confirmed transaction', async () => {
    const { chain, client, to } = await start()
    const id = await chain.snapshot()
    const hash = await client.sendTransaction({ to, value: 1n, nonce: 0 })
    await chain.tick()
    const { push } = tapped(chain.provider('preconf'))
    // A node that has no receipt yet for a transaction that it announced.
    const request: typeof push.request = (args) =>
      args.method === 'eth_getTransactionReceipt' ? Promise.resolve(null) : push.request(args)
    const late = createPublicClient({
      transport: chainTransport({ ...push, request }, { clock: chain.clock }),
    })
    const waiting = progress(waitForPreconfirmation(late, { hash }))
    await flush()
    expect(waiting).toEqual({})
    await chain.revert(id)
    await flush()
    expect(waiting.error).toMatchObject({ name: 'TransactionDroppedError', hash, reason: 'removed' })
  })

  it('names the nonce gap if it times out behind one', async () => {
    const { chain, client, to } = await start()
    await client.sendTransaction({ to, value: 1n, nonce: 0 })
    const hash = await client.sendTransaction({ to, value: 1n, nonce: 50, gas: 21_000n })
    const waiting = progress(client.waitForPreconfirmation({ hash, timeout: 1000 }))
    await flush()
    await chain.clock.advance(1000)
    await flush()
    const error = waiting.error as NonceGapError
    expect(error).toBeInstanceOf(NonceGapError)
    expect(error.shortMessage).toBe(
      `The transaction with hash "${hash}" has nonce 50, but its sender's next nonce is 1.`,
    )
    expect(error.walk((cause) => cause instanceof WaitForTransactionReceiptTimeoutError)).not.toBeNull()
  })

  it('names the view to connect to if the client is on standard', async () => {
    const { client } = await start('standard')
    await expect(client.waitForPreconfirmation({ hash: UNKNOWN })).rejects.toMatchObject({
      name: 'StandardViewError',
      shortMessage: 'This client is connected to the standard view; pre-confirmations need the preconf view.',
    })
  })

  it('rejects if the formatter of its chain throws, without an effect on other waits', async () => {
    const { chain, client, tap, to } = await start()
    const transactionReceipt = defineTransactionReceipt({
      format: () => {
        throw new Error('no such field')
      },
    })
    const strict = { ...client, chain: { ...preseal, formatters: { transactionReceipt } } }
    const hash = await client.sendTransaction({ to, value: 1n })
    const failing = waitForPreconfirmation(strict as never, { hash }).catch((error) => error)
    const waiting = client.waitForPreconfirmation({ hash })
    await flush()
    await chain.tick()
    expect((await failing).message).toBe('no such field')
    expect((await waiting).transactionHash).toBe(hash)
    expect(tap.count('eth_subscribe')).toBe(1)
  })

  it('reads the receipt of a blob transaction, whose price is not pushed', async () => {
    const { chain, client, tap } = await start('preconf', { blobs: true })
    const blobs = [provenBlob()]
    const bare = await signBare(chain.accounts[0]!.privateKey, blobs)
    const hash = await client.sendRawTransaction({ serializedTransaction: wrap(bare, blobs) })
    const waiting = client.waitForPreconfirmation({ hash })
    await flush()
    await chain.tick()
    expect((await waiting).blobGasUsed).toBe(131_072n)
    expect(tap.count('eth_getTransactionReceipt')).toBe(2)
  })
})
