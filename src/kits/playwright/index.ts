/** preseal/playwright: a chain for every test and a wallet in every page; `@playwright/test` is a peer dependency. */
import { createTest } from './createTest.ts'

export { expect } from '@playwright/test'
export type { PresealTestFixtures, PresealTestOptions, TestChain } from './createTest.ts'
export { createTest, type PresealTest } from './createTest.ts'
export type { ApproveOptions, Prompt, PromptHook } from './prompts.ts'
export type { WalletView } from './protocol.ts'
export type { ConnectOptions, Wallet } from './wallet.ts'
export type { PromptMode, WalletOptions } from './walletOptions.ts'

/** Playwright's `test` with the fixtures `chain` and `wallet`; see {@link createTest}. */
export const test = createTest()
