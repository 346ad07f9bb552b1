/** The options of accounts: derived from a mnemonic or listed, and which of them may send without a key. */
import { SchemaError } from '../errors.ts'
import { createSchema, type Schema, scalar } from '../schema.ts'
import type { Address, Hex } from '../types.ts'
import { type OptionsInput, type OptionsValue, option, parseFields } from './option.ts'
import { boolean, integer, isHexOf, wei } from './optionSchemas.ts'

/** The default balance of a dev account: 10,000 ether, in wei. */
export const DEFAULT_BALANCE = 10_000n * 10n ** 18n

/** The mnemonic of the default dev accounts, the same as anvil's and Hardhat's. */
export const DEFAULT_MNEMONIC = 'test test test test test test test test test test test junk'

/** The maximum number of derived accounts: deriving one takes a millisecond or more. */
const MAX_ACCOUNTS = 10_000

/** The options of accounts derived from a mnemonic. */
export const ACCOUNT_OPTIONS = {
  /** Number of accounts; at most 10,000. */
  count: option(integer(0, { most: MAX_ACCOUNTS }), {
    default: 10,
    flag: {
      name: 'accounts',
      value: 'N',
      help: 'number of dev accounts',
      default: '10; none with --genesis',
    },
  }),
  /** The BIP-39 words that the accounts are derived from. */
  mnemonic: option(
    scalar<string, string>('a BIP-39 mnemonic', (value) => (typeof value === 'string' ? value : undefined)),
    {
      default: DEFAULT_MNEMONIC,
      flag: {
        value: 'WORDS',
        help: 'BIP-39 words that the dev accounts are derived from',
        default: 'test … junk',
      },
    },
  ),
  /** Balance of each account in wei. */
  balance: option(wei, {
    default: DEFAULT_BALANCE,
    flag: { value: 'ETHER', help: 'balance of each dev account', default: '10000', of: 'ether' },
  }),
}

/** The option that lets accounts send without their keys. */
export const SENDER_OPTIONS = {
  /**
   * Whether every account can send without its key, as if it were impersonated. `anvil_autoImpersonateAccount` changes
   * it while the chain runs.
   */
  autoImpersonate: option(boolean, {
    default: false,
    keptIn: 'both',
    flag: { help: 'let every account send without its key' },
  }),
}

/** A prefunded account of a list. */
export interface ListedAccount {
  readonly privateKey: Hex
  /** By default the address of the key. */
  readonly address?: Address | undefined
  /** In wei; by default 10,000 ether. */
  readonly balance?: bigint | undefined
}

/** Accounts with their keys, or the options that they are derived from. */
export type ResolvedAccounts = readonly ListedAccount[] | OptionsValue<typeof ACCOUNT_OPTIONS>

/** The schema of the whole option; converts addresses and keys to lower case. */
export const accounts: Schema<
  ResolvedAccounts,
  readonly ListedAccount[] | OptionsInput<typeof ACCOUNT_OPTIONS>
> = createSchema('a list of accounts, or an object', (value, path) => {
  if (typeof value !== 'object' || value === null) {
    throw new SchemaError(path, 'a list of accounts, or an object')
  }
  if (!Array.isArray(value)) return parseFields(ACCOUNT_OPTIONS, value, path)
  return value.map((account: Partial<ListedAccount> | null | undefined, i) => {
    const { address, privateKey, balance } = account ?? {}
    if (!(address === undefined || isHexOf(address, 20)) || !isHexOf(privateKey, 32)) {
      throw new SchemaError(`${path}[${i}]`, 'an object with a 20-byte address and a 32-byte privateKey')
    }
    return {
      address: address?.toLowerCase() as Address | undefined,
      privateKey: privateKey.toLowerCase() as Hex,
      balance: balance === undefined ? undefined : wei.parse(balance, `${path}[${i}].balance`),
    }
  })
})

/** The initial balance, in wei, of the account at this place. */
export function balanceOf(accounts: ResolvedAccounts, place: number): bigint {
  if ('mnemonic' in accounts) return accounts.balance
  return accounts[place]?.balance ?? DEFAULT_BALANCE
}
