/** The options of a connection to a chain. */
import type { ViewKind } from '../types.ts'
import { check, type OptionsInput, type OptionsValue, option, parseOptions } from './option.ts'
import { choice, dialect } from './optionSchemas.ts'

/** The options of a provider, with their defaults and checks. */
export const PROVIDER_OPTIONS = {
  /** The block of a request that names none: `'latest'` or `'pending'`. */
  defaultBlock: option(choice(['latest', 'pending']), { default: 'latest' }),
  /** How the preconf view counts the pending nonce: with `'preconf'` pre-confirmations, with `'pool'` also the mempool. */
  pendingNonce: option(choice(['preconf', 'pool']), { default: 'preconf' }),
  /** How answers are worded; by default the chain's option. */
  dialect: option(dialect),
}

/** A connection's settings for requests without a block, pending nonces and the wording of answers. */
export interface ProviderOptions extends OptionsInput<typeof PROVIDER_OPTIONS> {}

/** The options of `chain.live`: stock clients expect these of the preconf view. */
export const LIVE_OPTIONS: ProviderOptions = { defaultBlock: 'pending', pendingNonce: 'pool' }

/** {@link ProviderOptions} with defaults; an undefined dialect is the chain's. */
export type ResolvedProviderOptions = OptionsValue<typeof PROVIDER_OPTIONS>

/** Checks a view and its options. @throws InvalidOptionError for the first invalid value. */
export function resolveProviderOptions(
  view: ViewKind,
  options: ProviderOptions | undefined,
): ResolvedProviderOptions {
  check(view === 'standard' || view === 'preconf', 'view', "'standard' or 'preconf'")
  return parseOptions(PROVIDER_OPTIONS, options)
}
