/** The form of the settings of an exported chain, and its checks. */

import { check, type OptionsValue, option, parseOptions } from '../../base/options/option.ts'
import {
  address,
  bigint,
  blockGas,
  boolean,
  isHexOf,
  milliseconds,
  wei,
} from '../../base/options/optionSchemas.ts'
import type { ChainOptions, ChainSettings } from '../../base/options/options.ts'
import { isObject, scalar } from '../../base/schema.ts'
import type { Address, Hash } from '../../base/types.ts'

/** The version of the form. */
export const SETTINGS_VERSION = 1

/** The options that settings have, beside `accounts` and `preconfInterval`. */
export const EXPORTED_OPTIONS = [
  'gasLimit',
  'coinbase',
  'extraData',
  'fixedBaseFee',
  'gasPrice',
  'autoImpersonate',
  'mining',
  'blockTime',
  'allowBlocksWithSameTimestamp',
  'blobs',
  'allowUnlimitedContractSize',
  'transactionGasCap',
  'revertReason',
] as const satisfies readonly (keyof ChainOptions)[]

const uint64 = bigint(0n, 2n ** 64n - 1n, 'an integer of up to 64 bits')
const hash = scalar<Hash, Hash>('a hash', (value) => (isHexOf(value, 32) ? value : undefined))
const list = scalar<readonly unknown[], readonly unknown[]>('a list', (value) =>
  Array.isArray(value) ? value : undefined,
)
const object = scalar<object, object>('an object', (value) => (isObject(value) ? value : undefined))

const PARTS = {
  version: option(
    scalar<number, number>(
      `${SETTINGS_VERSION}, the version that chain.export() of this version writes`,
      (value) => (value === SETTINGS_VERSION ? SETTINGS_VERSION : undefined),
    ),
  ),
  options: option(object, { default: {} }),
  next: option(object, { default: {} }),
  modes: option(object),
  impersonation: option(object),
  blocks: option(list, { default: [] }),
}

const NEXT = {
  timeOffset: option(
    scalar<number, number>('a number', (value) => (Number.isFinite(value) ? (value as number) : undefined)),
    { default: 0 },
  ),
  chainId: option(bigint(1n, 2n ** 53n - 1n, 'an integer from 1 to 2^53 - 1')),
  timestampInterval: option(uint64),
  nextTimestamp: option(uint64),
  nextByTime: option(boolean),
  nextBaseFee: option(wei),
  nextPrevRandao: option(hash),
  gasLimit: option(blockGas),
  coinbase: option(address),
  minGasPrice: option(wei),
}

const MODES = {
  automine: option(boolean, { default: false }),
  isRunning: option(boolean, { default: false }),
  blockTime: option(milliseconds, { default: 2000 }),
}

const IMPERSONATION = {
  everyone: option(boolean),
  accounts: option(list, { default: [] }),
}

const NOTE = {
  number: option(
    scalar<number, number>('a block number', (value) =>
      Number.isSafeInteger(value) ? (value as number) : undefined,
    ),
  ),
  chainId: option(uint64),
  unsigned: option(list, { default: [] }),
  patch: option(list),
}

/** What a block's RLP does not have. */
export interface BlockNote {
  readonly chainId?: bigint | undefined
  /** The senders of unsigned transactions, by index. */
  readonly unsigned: ReadonlyMap<number, Address>
  /** Written to its state, in the form of `patchEncoding.ts`. */
  readonly patch?: readonly unknown[] | undefined
}

/** Settings, checked. */
export interface ParsedSettings {
  readonly options: Readonly<Record<string, unknown>>
  readonly next: OptionsValue<typeof NEXT>
  readonly modes: OptionsValue<typeof MODES> | undefined
  readonly impersonation:
    | { readonly everyone: boolean | undefined; readonly accounts: ReadonlySet<Address> }
    | undefined
  /** By block number. */
  readonly notes: ReadonlyMap<number, BlockNote>
}

/** Checks settings. @throws InvalidOptionError for the first invalid part. */
export function parseSettings(given: ChainSettings): ParsedSettings {
  const { version, options, next, modes, impersonation, blocks } = parseOptions(PARTS, given)
  check(version !== undefined, 'settings.version', String(SETTINGS_VERSION))
  const known: readonly string[] = [...EXPORTED_OPTIONS, 'accounts', 'preconfInterval']
  for (const name of Object.keys(options)) {
    check(known.includes(name), `settings.options.${name}`, `one of ${known.join(', ')}`)
  }
  const notes = new Map<number, BlockNote>()
  for (const one of blocks) {
    const { number, unsigned, ...note } = parseOptions(NOTE, one)
    check(number !== undefined, 'settings.blocks', 'numbers of blocks')
    notes.set(number, { ...note, unsigned: new Map(unsigned.map(toSender)) })
    for (const account of note.patch ?? []) checkPatch(account)
  }
  const impersonated = impersonation && parseOptions(IMPERSONATION, impersonation)
  return {
    options: options as Readonly<Record<string, unknown>>,
    next: parseOptions(NEXT, next),
    modes: modes && parseOptions(MODES, modes),
    impersonation: impersonated && {
      ...impersonated,
      accounts: new Set(impersonated.accounts.map((one) => address.parse(one, 'settings.impersonation'))),
    },
    notes,
  }
}

function toSender(pair: unknown): [index: number, sender: Address] {
  const [index, sender] = Array.isArray(pair) ? pair : []
  check(
    Number.isSafeInteger(index) && isHexOf(sender, 20),
    'settings.blocks',
    'pairs of an index and a sender',
  )
  return [index, sender]
}

const QUANTITY = /^0x[0-9a-f]{1,64}$/i

/** @throws InvalidOptionError unless a patch can be decoded. */
function checkPatch(account: unknown): void {
  const [of, fields] = Array.isArray(account) ? account : []
  const {
    balance = '0x0',
    nonce = '0x0',
    code = '0x',
    state = [],
    stateDiff = [],
  } = isObject(fields) ? fields : {}
  const slots = Array.isArray(state) && Array.isArray(stateDiff) ? [...state, ...stateDiff] : [undefined]
  const isValid =
    isHexOf(of, 20) &&
    isObject(fields) &&
    [balance, nonce].every((one) => QUANTITY.test(String(one))) &&
    /^0x([0-9a-f]{2})*$/i.test(String(code)) &&
    slots.every((slot) => Array.isArray(slot) && isHexOf(slot[0], 32) && isHexOf(slot[1], 32))
  check(isValid, 'settings.blocks', 'patches of accounts')
}
