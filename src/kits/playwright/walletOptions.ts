/** The options of wallets, with their defaults and checks. */
import { type OptionsInput, type OptionsValue, option, parseOptions } from '../../base/options/option.ts'
import {
  accept,
  address,
  boolean,
  choice,
  integer,
  MAX_TIMEOUT,
  text,
} from '../../base/options/optionSchemas.ts'
import { createSchema } from '../../base/schema.ts'
import type { Address } from '../../base/types.ts'
import type { WalletView } from './protocol.ts'

/** The answer of a wallet to a prompt that no hook has answered. */
export type PromptMode = 'approve' | 'reject' | 'hold'

const VIEWS: readonly WalletView[] = ['live', 'preconf', 'standard']

/** An account: its index in the chain's accounts, or its address. */
export const account = createSchema<number | Address, number | Address>(
  'an index of chain.accounts, or an address',
  (value, path) => (typeof value === 'number' ? integer(0).parse(value, path) : address.parse(value, path)),
)

/** A chain id. Not named `chainId`: the CJS build would take private fields of that name for a shared export. */
export const chainNumber = integer(1, { expected: 'an integer from 1 to 2^53 - 1' })

/** The milliseconds of a timeout; Infinity for no timeout. */
export const timeout = accept<number>(
  'an integer >= 0 (milliseconds), or Infinity',
  (value) =>
    value === Number.POSITIVE_INFINITY ||
    (Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_TIMEOUT),
)

const views = accept<readonly WalletView[]>(
  "a list of 'live', 'preconf' and 'standard', each at most once",
  (value) =>
    Array.isArray(value) &&
    value.length > 0 &&
    new Set(value).size === value.length &&
    value.every((one) => VIEWS.includes(one)),
)

const WALLET_OPTIONS = {
  /** The selected account: an index of `chain.accounts`, or an address; by default the first. */
  account: option(account, { default: 0 }),
  /** Whether every page is connected from the start, without a prompt; by default false. */
  connected: option(boolean, { default: false }),
  /** The answer to prompts that no hook answers: `'approve'` (the default), `'reject'`, or `'hold'`. */
  prompts: option(choice<PromptMode>(['approve', 'reject', 'hold']), { default: 'approve' }),
  /** Milliseconds of the chain's clock between a prompt and its automatic answer; by default 0. */
  delay: option(integer(0, { most: MAX_TIMEOUT }), { default: 0 }),
  /** Milliseconds of real time after which a prompt that waits for the test is rejected; by default 10,000. */
  promptTimeout: option(timeout, { default: 10_000 }),
  /** The views. Each is announced as a separate wallet, and `window.ethereum` is the first. By default `['live']`. */
  views: option(views, { default: ['live'] }),
  /**
   * Whether pages can use the chain's cheats, and send and sign at `rpcUrl` for the chain's accounts, as on a
   * development chain. By default false: pages can use only the methods of real nodes and wallets. They can never name
   * URLs to fork.
   */
  cheats: option(boolean, { default: false }),
  /** The name that apps show for the wallet (EIP-6963); by default 'preseal'. */
  name: option(text(), { default: 'preseal' }),
  /** The reverse domain name by which apps find the wallet (EIP-6963); by default 'localhost.preseal'. */
  rdns: option(
    accept<string>(
      'a reverse domain name, such as com.example.wallet',
      (value) => typeof value === 'string' && /^[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(value),
    ),
    { default: 'localhost.preseal' },
  ),
  /** The wallet's icon, as a data URI of an image (EIP-6963); by default preseal's. */
  icon: option(
    accept<string>(
      'a data URI of an image',
      (value) => typeof value === 'string' && value.startsWith('data:image/'),
    ),
  ),
  /** Whether the providers have `isMetaMask: true`, for apps that support no other wallet; by default false. */
  isMetaMask: option(boolean, { default: false }),
}

/** The options of a test's wallets. Each browser context has a wallet. */
export interface WalletOptions extends OptionsInput<typeof WALLET_OPTIONS> {}

/** {@link WalletOptions} with their defaults. */
export type ResolvedWalletOptions = OptionsValue<typeof WALLET_OPTIONS>

/** Checks the options and fills in the defaults. @throws InvalidOptionError */
export function resolveWalletOptions(options: WalletOptions | undefined): ResolvedWalletOptions {
  return parseOptions(WALLET_OPTIONS, options)
}
