/** The options of a connection to a chain: what they mean, their defaults and their checks. */
import type { ViewKind } from '../primitives/types.ts'
import { check, type OptionsInput, type OptionsValue, option, parseOptions } from './option.ts'
import { choice, dialect } from './optionSchemas.ts'

/** Every option of a connection. */
export const PROVIDER_OPTIONS = {
  /** What a request that names no block means: `'latest'` or `'pending'`. */
  defaultBlock: option(choice(['latest', 'pending'], "'latest' or 'pending'"), { default: 'latest' }),
  /** What the pending nonce on preconf counts: `'preconf'` what is pre-confirmed, `'pool'` also what waits. */
  pendingNonce: option(choice(['preconf', 'pool'], "'preconf' or 'pool'"), { default: 'preconf' }),
  /** How answers are worded; by default as the chain's option says. */
  dialect: option(dialect),
}

/** How a further connection wants unnamed and pending things read. */
export interface ProviderOptions extends OptionsInput<typeof PROVIDER_OPTIONS> {}

/** Options with every default filled in; an undefined dialect is the chain's. */
export type ResolvedProviderOptions = OptionsValue<typeof PROVIDER_OPTIONS>

/** @throws InvalidOptionError for the first option that cannot be used. */
export function resolveProviderOptions(
  view: ViewKind,
  options: ProviderOptions | undefined,
): ResolvedProviderOptions {
  check(view === 'standard' || view === 'preconf', 'view', "'standard' or 'preconf'")
  return parseOptions(PROVIDER_OPTIONS, options)
}
