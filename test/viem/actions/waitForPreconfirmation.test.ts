import {
  createPublicClient,
  custom,
  ProviderDisconnectedError,
  WaitForTransactionReceiptTimeoutError,
} from 'viem'
import { describe, expect, it } from 'vitest'
import { createManualClock } from '../../../src/index.ts'
import { inProcess, PushUnsupportedError, waitForPreconfirmation } from '../../../src/viem/index.ts'
import { provenBlob, signBare, wrap } from '../../blobs.ts'
import { Token } from '../../contracts/artifacts.ts'
import { startChain } from '../../harness.ts'
import { deployToken, settled, start, tapped } from '../setup.ts'

const UNKNOWN = `0x${'11'.repeat(32)}` as const

/** What a promise came to so far. */
function progress<T>(promise: Promise<T>) {
  const now: { value?: T; error?: unknown } = {}
  promise.then(
    (value) => {
      now.value = value
    },
    (error) => {
      now.error = error
    },
  )
  return now
}

describe('waitForPreconfirmation', () => {
  it('has resolved when advancing the clock to the next tick returns', async () => {
    const clock = createManualClock()
    const { client, to } = await start('preconf', { mining: 'interval', clock })
    const hash = await client.sendTransaction({ to, value: 1n })
    const waiting = progress(client.waitForPreconfirmation({ hash }))
    await settled()
    await clock.advance(199)
    expect(waiting).toEqual({})
    await clock.advance(1)
    expect(waiting.value?.transactionHash).toBe(hash)
  })

  it('gives the receipt that viem reads, pushed whole', async () => {
    const setup = await start()
    const { chain, client, tap, to } = setup
    const address = await deployToken(setup)
    const { abi } = Token
    const hash = await client.writeContract({ abi, address, functionName: 'transfer', args: [to, 5n] })
    const waiting = client.waitForPreconfirmation({ hash })
    await settled()
    let receipt: Awaited<typeof waiting> | undefined
    const asked = await tap.during(async () => {
      await chain.tick()
      receipt = await waiting
    })
    expect(asked).toEqual(['eth_unsubscribe'])
    expect(receipt).toEqual(await client.getTransactionReceipt({ hash }))
    expect(receipt!.logs).toHaveLength(1)
    expect((await chain.seal()).block.hash).toBe(receipt!.blockHash)
  })

  it('gives the receipt of what is pre-confirmed or sealed already', async () => {
    const { chain, client, to } = await start()
    const hash = await client.sendTransaction({ to, value: 1n })
    await chain.tick()
    const receipt = await client.waitForPreconfirmation({ hash })
    await chain.seal()
    await chain.seal()
    expect(await client.waitForPreconfirmation({ hash })).toEqual(receipt)
  })

  it('gives the receipt of a creation and of a reverted transaction', async () => {
    const setup = await start()
    const { chain, client, to } = setup
    const created = await client.deployContract({ abi: Token.abi, bytecode: Token.bytecode })
    const creation = client.waitForPreconfirmation({ hash: created })
    await settled()
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
    await settled()
    await chain.tick()
    expect((await reverting).status).toBe('reverted')
  })

  it('shares one subscription among those who wait, and ends it with the last', async () => {
    const { chain, client, tap, to } = await start()
    const hashes = await Promise.all(
      [1n, 2n, 3n].map((value, nonce) => client.sendTransaction({ to, value, nonce })),
    )
    const waiting = [...hashes, hashes[0]!].map((hash) => client.waitForPreconfirmation({ hash }))
    await settled()
    await chain.tick()
    const receipts = await Promise.all(waiting)
    expect(receipts.map(({ transactionIndex }) => transactionIndex)).toEqual([0, 1, 2, 0])
    expect(tap.count('eth_subscribe')).toBe(1)
    await settled()
    expect(tap.count('eth_unsubscribe')).toBe(1)
    const hash = await client.sendTransaction({ to, value: 4n })
    const again = client.waitForPreconfirmation({ hash })
    await settled()
    await chain.tick()
    expect((await again).transactionIndex).toBe(3)
  })

  it("times out by the chain's clock, and leaves nothing behind", async () => {
    const { chain, client, tap } = await start()
    const waiting = progress(client.waitForPreconfirmation({ hash: UNKNOWN, timeout: 1000 }))
    await settled()
    await chain.clock.advance(999)
    expect(waiting).toEqual({})
    await chain.clock.advance(1)
    await settled()
    expect(waiting.error).toBeInstanceOf(WaitForTransactionReceiptTimeoutError)
    expect(tap.count('eth_unsubscribe')).toBe(1)
  })

  it('leaves nothing behind where it times out while the subscription starts', async () => {
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
    const client = createPublicClient({ transport: inProcess({ ...push, request }, { clock: chain.clock }) })
    const waiting = waitForPreconfirmation(client, { hash: UNKNOWN, timeout: 1 }).catch((error) => error)
    await settled()
    await chain.clock.advance(1)
    expect(await waiting).toBeInstanceOf(WaitForTransactionReceiptTimeoutError)
    answer()
    await settled()
    expect(tap.exchanges.map(({ method }) => method)).toContain('eth_unsubscribe')
  })

  it('waits for ever with a timeout of 0', async () => {
    const { chain, client } = await start()
    const waiting = progress(client.waitForPreconfirmation({ hash: UNKNOWN, timeout: 0 }))
    await settled()
    await chain.clock.advance(1_000_000_000)
    await settled()
    expect(waiting).toEqual({})
    await chain.close()
    await settled()
    expect(waiting.error).toBeInstanceOf(ProviderDisconnectedError)
  })

  it('rejects on standard, over a transport that cannot push, and once the chain is closed', async () => {
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

  it('reads the receipt of a blob transaction, whose price is not pushed', async () => {
    const { chain, client, tap } = await start('preconf', { blobs: true })
    const blobs = [provenBlob()]
    const bare = await signBare(chain.accounts[0]!.privateKey, blobs)
    const hash = await client.sendRawTransaction({ serializedTransaction: wrap(bare, blobs) })
    const waiting = client.waitForPreconfirmation({ hash })
    await settled()
    await chain.tick()
    expect((await waiting).blobGasUsed).toBe(131_072n)
    expect(tap.count('eth_getTransactionReceipt')).toBe(2)
  })
})
