import type {
  EIP1193EventMap,
  PublicRpcSchema,
  Address as ViemAddress,
  BlockTag as ViemBlockTag,
  Hash as ViemHash,
  Hex as ViemHex,
  ProviderConnectInfo as ViemProviderConnectInfo,
  ProviderMessage as ViemProviderMessage,
  RpcAuthorization as ViemRpcAuthorization,
  WalletCapabilitiesRecord,
  WalletSendCallsReturnType,
} from 'viem'
import { describe, expectTypeOf, test } from 'vitest'
import type {
  Address,
  BlockTag,
  Hash,
  Hex,
  Provider,
  ProviderConnectInfo,
  ProviderMessage,
  RpcAccessList,
  RpcAuthorization,
  RpcCallsSent,
  RpcCapabilities,
} from '../../src/index.ts'

describe("types with viem's names (base/DECISIONS.md 29a)", () => {
  test("scalars are viem's", () => {
    expectTypeOf<Hex>().toEqualTypeOf<ViemHex>()
    expectTypeOf<Hash>().toEqualTypeOf<ViemHash>()
    expectTypeOf<Address>().toEqualTypeOf<ViemAddress>()
    expectTypeOf<BlockTag>().toEqualTypeOf<ViemBlockTag>()
  })

  test("shapes of EIP-1193 and of authorisations are assignable to viem's, and viem's to them", () => {
    expectTypeOf<ProviderMessage>().toExtend<ViemProviderMessage>()
    expectTypeOf<ViemProviderMessage>().toExtend<ProviderMessage>()
    expectTypeOf<ProviderConnectInfo>().toExtend<ViemProviderConnectInfo>()
    expectTypeOf<ViemProviderConnectInfo>().toExtend<ProviderConnectInfo>()
    expectTypeOf<RpcAuthorization>().toExtend<ViemRpcAuthorization>()
    expectTypeOf<ViemRpcAuthorization>().toExtend<RpcAuthorization>()
  })

  test("other shapes without the prefix are assignable to viem's", () => {
    type AccessList = Extract<PublicRpcSchema[number], { Method: 'eth_createAccessList' }>['ReturnType']
    expectTypeOf<RpcAccessList>().toExtend<AccessList>()
    expectTypeOf<RpcCallsSent>().toExtend<WalletSendCallsReturnType>()
    expectTypeOf<RpcCapabilities>().toExtend<WalletCapabilitiesRecord>()
  })

  test("listeners typed by viem's event map are accepted", () => {
    const listen = (provider: Provider, listeners: EIP1193EventMap) => {
      provider.on('connect', listeners.connect)
      provider.on('message', listeners.message)
    }
    expectTypeOf(listen).returns.toEqualTypeOf<void>()
  })
})
