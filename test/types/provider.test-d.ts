import { injected } from '@wagmi/core'
import { BrowserProvider } from 'ethers'
import { createPublicClient, createWalletClient, custom } from 'viem'
import { describe, expectTypeOf, test } from 'vitest'
import type {
  Hash,
  Hex,
  PresealChain,
  PresealRpcAccountProof,
  PresealRpcBlock,
  PresealRpcFilledTransaction,
  PresealRpcLog,
  PresealRpcPendingBlock,
  PresealRpcPermission,
  PresealRpcReceipt,
  PresealRpcTransaction,
  PresealRpcUncle,
  Provider,
  ProviderMessage,
  RpcAccessList,
  TransactionStatus,
} from '../../src/index.ts'

declare const chain: PresealChain
declare const provider: Provider
const address: Hex = '0x'

describe('types of a provider', () => {
  test('the result of a request is typed by its method', () => {
    expectTypeOf(provider.request({ method: 'eth_chainId' })).resolves.toEqualTypeOf<Hex>()
    expectTypeOf(provider.request({ method: 'eth_syncing' })).resolves.toEqualTypeOf<boolean>()
    expectTypeOf(
      provider.request({ method: 'eth_getBalance', params: [address] }),
    ).resolves.toEqualTypeOf<Hex>()
    expectTypeOf(
      provider.request({ method: 'eth_getBlockByNumber', params: ['pending', true] }),
    ).resolves.toEqualTypeOf<PresealRpcBlock | PresealRpcPendingBlock | null>()
    expectTypeOf(
      provider.request({ method: 'eth_getTransactionReceipt', params: [address] }),
    ).resolves.toEqualTypeOf<PresealRpcReceipt | null>()
    expectTypeOf(
      provider.request({ method: 'eth_getTransactionByHash', params: [address] }),
    ).resolves.toEqualTypeOf<PresealRpcTransaction | null>()
    expectTypeOf(provider.request({ method: 'eth_getLogs', params: [{}] })).resolves.toEqualTypeOf<
      PresealRpcLog[]
    >()
    expectTypeOf(
      provider.request({ method: 'eth_getProof', params: [address, ['0x0'], 'pending'] }),
    ).resolves.toEqualTypeOf<PresealRpcAccountProof>()
    expectTypeOf(
      provider.request({ method: 'eth_createAccessList', params: [{ to: address }] }),
    ).resolves.toEqualTypeOf<RpcAccessList>()
    expectTypeOf(
      provider.request({ method: 'eth_fillTransaction', params: [{ to: address }] }),
    ).resolves.toEqualTypeOf<PresealRpcFilledTransaction>()
    expectTypeOf(
      provider.request({ method: 'eth_getUncleByBlockNumberAndIndex', params: ['0x1', '0x0'] }),
    ).resolves.toEqualTypeOf<PresealRpcUncle | null>()
    expectTypeOf(
      provider.request({ method: 'chain_transactionStatus', params: [address] }),
    ).resolves.toEqualTypeOf<TransactionStatus>()
    expectTypeOf(
      provider.request({ method: 'eth_sendRawTransaction', params: [address] }),
    ).resolves.toEqualTypeOf<Hash>()
    expectTypeOf(provider.request({ method: 'eth_accounts' })).resolves.toEqualTypeOf<Hex[]>()
    expectTypeOf(
      provider.request({ method: 'wallet_requestPermissions', params: [{ eth_accounts: {} }] }),
    ).resolves.toEqualTypeOf<PresealRpcPermission[]>()
    expectTypeOf(
      provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId: '0x1' }] }),
    ).resolves.toEqualTypeOf<null>()
  })

  test('the params of a request are typed by its method', () => {
    const typed = [
      provider.request({
        method: 'eth_getBalance',
        params: [address, { blockHash: address, requireCanonical: true }],
      }),
      provider.request({
        method: 'eth_call',
        params: [{ to: address }, 'pending', { [address]: { balance: '0x1' } }],
      }),
      provider.request({ method: 'eth_sendRawTransactionSync', params: [address, 500] }),
      provider.request({ method: 'eth_subscribe', params: ['newPreconfBlocks'] }),
      provider.request({
        method: 'eth_newFilter',
        params: [{ fromBlock: 'earliest', topics: [null, [address]] }],
      }),
    ] as const
    expectTypeOf<Awaited<(typeof typed)[number]>>().toEqualTypeOf<Hex | PresealRpcReceipt>()
    // Constant arguments are accepted with their readonly types.
    const args = { method: 'eth_getBalance', params: [address, 'pending'] } as const
    expectTypeOf(provider.request(args)).resolves.toEqualTypeOf<Hex>()
    // Other params fall back to the overload for any method, whose result is unknown.
    expectTypeOf(provider.request({ method: 'eth_getBalance' })).resolves.toBeUnknown()
    expectTypeOf(provider.request({ method: 'eth_getBalance', params: [1] })).resolves.toBeUnknown()
    expectTypeOf(provider.request({ method: 'eth_chainId', params: [address] })).resolves.toBeUnknown()
  })

  test('any other method is accepted, with an unknown result', () => {
    expectTypeOf(provider.request({ method: 'parity_chain' })).resolves.toBeUnknown()
    expectTypeOf(provider.request({ method: 'x' as string, params: { anything: 1 } })).resolves.toBeUnknown()
    // @ts-expect-error a method is a string
    provider.request({ method: 1 })
    // @ts-expect-error there must be a method
    provider.request({ params: [] })
  })

  test('params that can be an object or a list are typed in both forms', () => {
    expectTypeOf(
      provider.request({
        method: 'wallet_watchAsset',
        params: { type: 'ERC20', options: { address: '0x', decimals: 18 } },
      }),
    ).resolves.toEqualTypeOf<boolean>()
    expectTypeOf(
      provider.request({
        method: 'wallet_watchAsset',
        params: [{ type: 'ERC20', options: { address: '0x', decimals: 18 } }],
      }),
    ).resolves.toEqualTypeOf<boolean>()
  })

  test('events are typed', () => {
    provider.on('connect', ({ chainId }) => expectTypeOf(chainId).toEqualTypeOf<Hex>())
    provider.on('accountsChanged', (accounts) => expectTypeOf(accounts).toEqualTypeOf<Hex[]>())
    provider.on('message', (message) =>
      expectTypeOf(message).toEqualTypeOf<
        ProviderMessage<'eth_subscription', { readonly subscription: Hex; readonly result: unknown }>
      >(),
    )
    provider.on('disconnect', ({ code }) => expectTypeOf(code).toEqualTypeOf<number>())
  })

  test('viem, ethers and wagmi accept the providers', () => {
    const client = createPublicClient({ transport: custom(chain.preconf) })
    expectTypeOf(client.getBlockNumber()).resolves.toEqualTypeOf<bigint>()
    createWalletClient({ transport: custom(chain.standard) })
    injected({ target: { id: 'preseal', name: 'preseal', provider: chain.preconf } })
    expectTypeOf(new BrowserProvider(chain.preconf)).toEqualTypeOf<BrowserProvider>()
    new BrowserProvider(chain.provider('standard', { defaultBlock: 'pending' }))
  })

  test('a chain can be used with `await using`', () => {
    expectTypeOf<PresealChain>().toExtend<{ [Symbol.asyncDispose](): Promise<void> }>()
  })
})
