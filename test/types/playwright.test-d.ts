import { test as base, defineConfig, mergeTests } from '@playwright/test'
import { describe, expectTypeOf, test } from 'vitest'
import type { PresealChain } from '../../src/index.ts'
import {
  createTest,
  test as onChain,
  type PresealTestOptions,
  type Prompt,
  type Wallet,
} from '../../src/kits/playwright/index.ts'

describe('types of preseal/playwright', () => {
  test('a test gets a chain and a wallet beside the fixtures of Playwright', () => {
    onChain('one of them', async ({ page, context, chain, wallet }) => {
      expectTypeOf(chain).toExtend<PresealChain>()
      expectTypeOf(chain.advance(200)).resolves.toEqualTypeOf<void>()
      expectTypeOf(wallet).toEqualTypeOf<Wallet>()
      expectTypeOf(wallet.waitForPrompt()).resolves.toEqualTypeOf<Prompt>()
      expectTypeOf(wallet.inContext(context)).resolves.toEqualTypeOf<Wallet>()
      await page.goto('/')
    })
    // @ts-expect-error the source of its wallets is not a fixture
    onChain('another', ({ presealTest }) => presealTest)
  })

  test('options are set by use, by createTest and in a configuration', () => {
    onChain.use({ chainOptions: { mining: 'manual' }, chainClock: 'manual', rpcUrl: /node/ })
    // @ts-expect-error the clock is an option of its own
    onChain.use({ chainOptions: { clock: undefined } })
    createTest({ walletOptions: { views: ['live', 'standard'], prompts: 'hold' } })
    // @ts-expect-error a prompt is approved, rejected or held
    createTest({ walletOptions: { prompts: 'ask' } })
    defineConfig<PresealTestOptions>({ use: { walletOptions: { connected: true } } })
  })

  test('it can be extended and merged', () => {
    const merged = mergeTests(onChain, base.extend<{ greeting: string }>({ greeting: 'hello' }))
    merged('one of them', ({ chain, greeting }) => {
      expectTypeOf(chain.chainId).toEqualTypeOf<number>()
      expectTypeOf(greeting).toEqualTypeOf<string>()
    })
  })
})
