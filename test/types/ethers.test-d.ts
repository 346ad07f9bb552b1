import { BrowserProvider, type Provider, type TransactionReceipt, Wallet } from 'ethers'
import { describe, expectTypeOf, test } from 'vitest'
import type { PresealChain } from '../../src/index.ts'
import { PresealProvider } from '../../src/kits/ethers/index.ts'

declare const chain: PresealChain
declare const hash: string

describe('types of preseal/ethers', () => {
  test('a provider is a provider of ethers', () => {
    const provider = new PresealProvider(chain, { view: 'standard', network: 31337, pollingInterval: 100 })
    expectTypeOf(provider).toExtend<Provider>()
    expectTypeOf(provider.getTransactionReceipt(hash)).resolves.toEqualTypeOf<TransactionReceipt | null>()
    new Wallet(hash, provider)
    // @ts-expect-error there is no such view
    new PresealProvider(chain, { view: 'pending' })
    // @ts-expect-error a provider is created from a chain
    new PresealProvider(new BrowserProvider(chain.preconf))
  })
})
