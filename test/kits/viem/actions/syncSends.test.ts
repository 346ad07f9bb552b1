/** Sync sends for accounts of the node, and for those that sign in this process. */
import {
  createPublicClient,
  createWalletClient,
  custom,
  encodeDeployData,
  fallback,
  TransactionExecutionError,
  type Transport,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { describe, expect, it } from 'vitest'
import { PresealRpcError, type Provider } from '../../../../src/index.ts'
import {
  chainTransport,
  preconfActions,
  preseal,
  SendSyncQueuedError,
  SendSyncTimeoutError,
} from '../../../../src/kits/viem/index.ts'
import { Token } from '../../../contracts/artifacts.ts'
import { startChain, type TestChain } from '../../../harness.ts'
import { flush, tapped } from '../setup.ts'

const TRANSPORTS = {
  chainTransport: (provider: Provider, chain: TestChain) => {
    const { tap, push } = tapped(provider)
    return { tap, transport: chainTransport(push, { clock: chain.clock }) as Transport }
  },
  custom: (provider: Provider) => {
    const { tap } = tapped(provider)
    return { tap, transport: custom(tap) as Transport }
  },
}

async function start(via: keyof typeof TRANSPORTS, kind: 'local' | 'json-rpc', view: 'standard' | 'preconf') {
  const chain = await startChain()
  const provider = chain.provider(
    view,
    view === 'preconf' ? { defaultBlock: 'pending', pendingNonce: 'pool' } : {},
  )
  const { tap, transport } = TRANSPORTS[via](provider, chain)
  const [alice, bob] = chain.accounts
  const client = createWalletClient({
    account: kind === 'local' ? privateKeyToAccount(alice!.privateKey) : alice!.address,
    chain: view === 'preconf' ? preseal : foundry,
    transport,
  }).extend(preconfActions())
  const arrival = () => new Promise<void>((resolve) => void chain.once('transaction', () => resolve()))
  return { chain, client, tap, to: bob!.address, arrival }
}

describe.each([
  ['chainTransport', 'json-rpc'],
  ['chainTransport', 'local'],
  ['custom', 'json-rpc'],
  ['custom', 'local'],
] as const)('over %s, for a %s account,', (via, kind) => {
  it.each(['standard', 'preconf'] as const)(
    'sends and writes return the receipt of %s, without polling',
    async (view) => {
      const { chain, client, tap, to, arrival } = await start(via, kind, view)
      const show = async () => void (view === 'preconf' ? await chain.tick() : await chain.seal())
      let arrived = arrival()
      const deployment = client.sendTransactionSync({ data: encodeDeployData(Token) } as never)
      await arrived
      await flush()
      await show()
      const { contractAddress: address } = await deployment
      arrived = arrival()
      const write = client.writeContractSync({
        abi: Token.abi,
        address: address!,
        functionName: 'transfer',
        args: [to, 5n],
      } as never)
      await arrived
      await flush()
      await show()
      const receipt = await write
      expect(receipt.status).toBe('success')
      const reader = createPublicClient({ transport: custom(chain[view]) })
      expect(receipt).toEqual(await reader.getTransactionReceipt({ hash: receipt.transactionHash }))
      expect(tap.count('eth_getTransactionReceipt') + tap.count('eth_blockNumber')).toBe(0)
    },
  )

  it('a send behind a nonce gap fails with the gap and the hash', async () => {
    const { client, to } = await start(via, kind, 'preconf')
    const sent = client.sendTransactionSync({ to, value: 1n, nonce: 50, gas: 21_000n } as never)
    const error = await sent.catch((thrown) => thrown)
    expect(error).toBeInstanceOf(TransactionExecutionError)
    expect(error.shortMessage).toBe(
      'The transaction was added to the mempool, but is not ready to be executed.',
    )
    expect(error.details).toContain('its nonce is 50, the next one is 0')
    const cause = error.walk((thrown: unknown) => thrown instanceof SendSyncQueuedError)
    expect(cause?.hash).toMatch(/^0x[0-9a-f]{64}$/)
  })

  it("a send times out by the chain's clock, with the hash", async () => {
    const { chain, client, to, arrival } = await start(via, kind, 'preconf')
    const arrived = arrival()
    const sent = client
      .sendTransactionSync({ to, value: 1n, timeout: 500 } as never)
      .catch((thrown) => thrown)
    await arrived
    await flush()
    await chain.clock.advance(500)
    const cause = (await sent).walk((thrown: unknown) => thrown instanceof SendSyncTimeoutError)
    expect(cause?.hash).toMatch(/^0x[0-9a-f]{64}$/)
  })
})

describe('for an account of the node', () => {
  it.each([-32601, 4200])(
    'a node without eth_sendTransactionSync (%d) receives one send, and is polled',
    async (code) => {
      const chain = await startChain({ mining: 'auto' })
      const { tap, push } = tapped(chain.preconf)
      const request: typeof push.request = (args) =>
        args.method === 'eth_sendTransactionSync'
          ? Promise.reject(new PresealRpcError(code, 'unknown'))
          : push.request(args)
      const [alice, bob] = chain.accounts
      const client = createWalletClient({
        account: alice!.address,
        chain: foundry,
        transport: custom({ request }),
        pollingInterval: 10,
      }).extend(preconfActions())
      const receipt = await client.sendTransactionSync({ to: bob!.address, value: 1n })
      expect(receipt.status).toBe('success')
      expect(tap.count('eth_sendTransaction')).toBe(1)
    },
  )

  it('a fallback sends once, although the first transport does not answer in time', async () => {
    const chain = await startChain({ mining: 'auto' })
    const first = tapped(chain.preconf)
    const second = tapped(chain.preconf)
    const [alice, bob] = chain.accounts
    const client = createWalletClient({
      account: alice!.address,
      chain: foundry,
      transport: fallback([custom(first.tap), custom(second.tap)]),
      pollingInterval: 10,
    }).extend(preconfActions())
    const receipt = await client.sendTransactionSync({ to: bob!.address, value: 1n, timeout: 1000 })
    expect(receipt.status).toBe('success')
    expect([first, second].map(({ tap }) => tap.count('eth_sendTransactionSync'))).toEqual([0, 0])
    expect(first.tap.count('eth_sendTransaction')).toBe(1)
  })

  it('a reverted transaction is an error with throwOnReceiptRevert', async () => {
    const { chain, client, arrival } = await start('chainTransport', 'json-rpc', 'preconf')
    const arrived = arrival()
    // Init code that reverts.
    const sent = client.sendTransactionSync({
      data: '0x5f5ffd',
      gas: 100_000n,
      throwOnReceiptRevert: true,
    } as never)
    const failed = sent.catch((error) => error)
    await arrived
    await flush()
    await chain.tick()
    expect((await failed).walk().name).toBe('TransactionReceiptRevertedError')
  })
})
