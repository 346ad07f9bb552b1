/**
 * Settings: values that requests change while a chain runs. Together they are one value of the tip, stored as JSON. A
 * setting needs only a row of {@link SETTINGS} to be part of snapshots, databases, exports and resets.
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

/** How long a setting applies. */
interface Lifetime {
  /** Applies to the next block only. */
  readonly isOnce?: boolean
  /** Survives reverts and resets. */
  readonly stays?: boolean
  /** The options that apply while the setting is undefined. */
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
  /** Seal each send before it is answered. */
  automine: option(boolean, { default: false }),
  /** Make blocks by the clock. */
  isRunning: option(boolean, { default: false }),
  /** In milliseconds. */
  blockTime: option(milliseconds, { default: 2000 }),
}

/** Which events make blocks, as set by requests. */
export type MiningModes = OptionsValue<typeof MODES>

/** The settings, with the schemas of their stored values. */
export const SETTINGS = {
  /** How many milliseconds the chain's time is ahead of the clock. */
  timeOffset: option(number, { default: 0 }) as Option<number> & Lifetime,
  /** Applies from the next block on. */
  chainId: setting(bigint(1n, 2n ** 53n - 1n, 'an integer from 1 to 2^53 - 1')),
  /** Seconds from block to block, regardless of the clock. With 0 a block has its parent's timestamp. */
  timestampInterval: setting(uint64),
  /** Unix time in seconds. */
  nextTimestamp: setting(uint64, { isOnce: true }),
  /** Give the next block the chain's time even if `timestampInterval` is set. */
  nextByTime: setting(boolean, { isOnce: true }),
  /** Wei per gas. */
  nextBaseFee: setting(wei, { isOnce: true }),
  nextPrevRandao: setting(hash, { isOnce: true }),
  /** Applies from the next block on, even if it differs from the parent's gas limit by more than a block may. */
  gasLimit: setting(blockGas, { replaces: ['gasLimit'] }),
  coinbase: setting(address, { replaces: ['coinbase'] }),
  /** The minimum price that the mempool accepts, in wei per gas. */
  minGasPrice: setting(wei),
  /** The impersonated accounts, each once. */
  impersonated: setting(array(address, { max: Number.POSITIVE_INFINITY })),
  /** Impersonate every account. */
  autoImpersonate: setting(boolean, { replaces: ['autoImpersonate'] }),
  modes: setting<MiningModes>(
    createSchema('an object', (value, path) => parseFields(MODES, value, path)),
    { stays: true, replaces: ['mining', 'blockTime'] },
  ),
}

/** The settings of a chain, replaced as a whole. If a setting is undefined, the chain's options decide. */
export interface Settings extends Partial<OptionsValue<typeof SETTINGS>> {
  readonly timeOffset: number
}

/** The settings of a chain that no request has changed. */
export const NO_SETTINGS: Settings = Object.freeze({ timeOffset: 0 })

const ROWS = Object.entries(SETTINGS) as [keyof typeof SETTINGS, Lifetime][]
const namesOf = (has: (row: Lifetime) => boolean | undefined) =>
  ROWS.filter(([, row]) => has(row)).map(([name]) => name)
const ONCE = namesOf(({ isOnce }) => isOnce)
const STAYING = namesOf(({ stays }) => stays)

/**
 * Returns the settings after a block, without the ones that apply to one block only. If the timestamp of the block was
 * set, the chain's time continues from it.
 *
 * @param ms - the clock's time when the block ended, in milliseconds.
 */
export function settingsAfter(settings: Settings, block: Pick<Block, 'timestamp'>, ms: number): Settings {
  if (ONCE.every((name) => settings[name] === undefined)) return settings
  const lasting = without(settings, ONCE)
  if (settings.nextTimestamp === undefined) return lasting
  return { ...lasting, timeOffset: 1000 * Number(block.timestamp) - ms }
}

/** Returns the settings after a revert to `settings`. The ones that survive reverts keep their values of `now`. */
export function goBackTo(settings: Settings, now: Settings): Settings {
  if (STAYING.every((name) => settings[name] === now[name])) return settings
  const staying = STAYING.map((name) => [name, now[name]])
  return { ...settings, ...Object.fromEntries(staying) }
}

/** Returns the settings without the ones that replace a given option. @param isStated - whether one is given. */
export function underOptions(
  settings: Settings,
  isStated: (option: keyof ChainOptions) => boolean,
): Settings {
  return without(
    settings,
    namesOf(({ replaces }) => replaces?.some(isStated)),
  )
}

function without(settings: Settings, names: readonly string[]): Settings {
  const rest = Object.entries(settings).filter(([name]) => !names.includes(name))
  return Object.fromEntries(rest) as object as Settings
}
