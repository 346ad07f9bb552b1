/**
 * Settings: values that requests change while a chain runs, and how they survive.
 *
 * All settings are one value, which is a part of the tip: so a snapshot has them, a change of the tip is stored with them, and a
 * failed change leaves them as they were. A database and an export have it as JSON. A setting is a row of {@link SETTINGS}, and
 * nothing else is needed for it to survive reverts, restarts and exports; a reset sets it back.
 */

import { type Option, type OptionsValue, option, parseFields } from '../../base/options/option.ts'
import {
  address,
  bigint,
  blockGas,
  boolean,
  isHexOf,
  milliseconds,
  uint64,
  wei,
} from '../../base/options/optionSchemas.ts'
import { array, createSchema, type Schema, scalar } from '../../base/schema.ts'
import type { Hash } from '../../base/types.ts'
import type { Block } from '../../ethereum/block.ts'
import type { ChainOptions } from '../options.ts'

/** How long a setting holds. */
interface Lifetime {
  /** It is for the next block only. */
  readonly isOnce?: boolean
  /** Neither a revert nor a reset changes it. */
  readonly stays?: boolean
  /** The options that it replaces, which apply while it is undefined. */
  readonly replaces?: readonly (keyof ChainOptions)[]
}

function setting<T>(schema: Schema<T>, lifetime: Lifetime = {}): Option<T | undefined> & Lifetime {
  return { ...option(schema), ...lifetime }
}

const hash = scalar<Hash, Hash>('a hash', (value) => (isHexOf(value, 32) ? value : undefined))
const number = scalar<number, number>('a number', (value) =>
  Number.isFinite(value) ? (value as number) : undefined,
)

const MODES = {
  /** Whether a send is sealed at once. */
  automine: option(boolean, { default: false }),
  /** Whether blocks are made by the clock. */
  isRunning: option(boolean, { default: false }),
  /** Milliseconds. */
  blockTime: option(milliseconds, { default: 2000 }),
}

/** When blocks are made, as requests have set it. */
export type MiningModes = OptionsValue<typeof MODES>

/** Every setting, with the schema of its stored value. */
export const SETTINGS = {
  /** Milliseconds by which the chain's time is ahead of its clock's. */
  timeOffset: option(number, { default: 0 }) as Option<number> & Lifetime,
  /** For all blocks to come. */
  chainId: setting(bigint(1n, 2n ** 53n - 1n, 'an integer from 1 to 2^53 - 1')),
  /** Seconds from each block to the next, regardless of the clock; with 0 a block has its parent's timestamp. */
  timestampInterval: setting(uint64),
  /** Unix time in seconds. */
  nextTimestamp: setting(uint64, { isOnce: true }),
  /** Whether the next block has the chain's time although there is an interval. */
  nextByTime: setting(boolean, { isOnce: true }),
  /** Wei per gas. */
  nextBaseFee: setting(wei, { isOnce: true }),
  nextPrevRandao: setting(hash, { isOnce: true }),
  /** For all blocks to come. The next one has it already, however far it is from its parent's. */
  gasLimit: setting(blockGas, { replaces: ['gasLimit'] }),
  coinbase: setting(address, { replaces: ['coinbase'] }),
  /** Wei per gas below which the mempool accepts no transaction. */
  minGasPrice: setting(wei),
  /** The accounts that are impersonated, each once. */
  impersonated: setting(array(address, { max: Number.POSITIVE_INFINITY })),
  /** Whether every account is impersonated. */
  autoImpersonate: setting(boolean, { replaces: ['autoImpersonate'] }),
  modes: setting<MiningModes>(
    createSchema('an object', (value, path) => parseFields(MODES, value, path)),
    { stays: true, replaces: ['mining', 'blockTime'] },
  ),
}

/** The settings of a chain; a value, replaced as a whole. What is undefined is as the options say. */
export interface Settings extends Partial<OptionsValue<typeof SETTINGS>> {
  readonly timeOffset: number
}

/** The settings of a chain that has not changed any. */
export const NO_SETTINGS: Settings = Object.freeze({ timeOffset: 0 })

const ROWS = Object.entries(SETTINGS) as [keyof typeof SETTINGS, Lifetime][]
const ONCE = ROWS.filter(([, { isOnce }]) => isOnce).map(([name]) => name)
const STAYING = ROWS.filter(([, { stays }]) => stays).map(([name]) => name)

/**
 * The settings after a block is built, without those that apply to the next block only. If its timestamp was one of
 * them, time continues from there.
 *
 * @param ms - the clock's time at which the block ends.
 */
export function settingsAfter(
  settings: Settings,
  { timestamp }: Pick<Block, 'timestamp'>,
  ms: number,
): Settings {
  if (ONCE.every((name) => settings[name] === undefined)) return settings
  const lasting = without(settings, ONCE)
  if (settings.nextTimestamp === undefined) return lasting
  return { ...lasting, timeOffset: 1000 * Number(timestamp) - ms }
}

/** The settings of a chain that goes back to others, with those that stay. @param now - the ones before. */
export function goBackTo(settings: Settings, now: Settings): Settings {
  if (STAYING.every((name) => settings[name] === now[name])) return settings
  const staying = STAYING.map((name) => [name, now[name]])
  return { ...settings, ...Object.fromEntries(staying) }
}

/** The settings without those that replace options which are stated anew. */
export function underOptions(
  settings: Settings,
  isStated: (option: keyof ChainOptions) => boolean,
): Settings {
  const replaced = ROWS.filter(([, { replaces }]) => replaces?.some(isStated))
  return without(
    settings,
    replaced.map(([name]) => name),
  )
}

function without(settings: Settings, names: readonly string[]): Settings {
  const rest = Object.entries(settings).filter(([name]) => !names.includes(name))
  return Object.fromEntries(rest) as object as Settings
}
