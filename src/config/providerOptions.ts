/** The options of a connection to a chain: what they mean, their defaults, and the one place that checks them. */

import type { Dialect, ViewKind } from '../primitives/types.ts'
import { check, DIALECT_NAMES, isDialect } from './optionChecks.ts'

/** How a further connection wants unnamed and pending things read. */
export interface ProviderOptions {
  /** What a request that names no block means; 'latest'. */
  readonly defaultBlock?: 'latest' | 'pending' | undefined
  /** Whether the pending nonce on preconf counts waiting transactions too ('pool'); 'preconf'. */
  readonly pendingNonce?: 'preconf' | 'pool' | undefined
  /** How answers are worded; the chain's. */
  readonly dialect?: Dialect | undefined
}

/** Options with every default filled in. */
export interface ResolvedProviderOptions {
  readonly defaultBlock: 'latest' | 'pending'
  readonly pendingNonce: 'preconf' | 'pool'
  /** Undefined for the chain's. */
  readonly dialect: Dialect | undefined
}

/** @throws InvalidOptionError for the first option that cannot be used. */
export function resolveProviderOptions(
  view: ViewKind,
  options: ProviderOptions | undefined,
): ResolvedProviderOptions {
  check(view === 'standard' || view === 'preconf', 'view', "'standard' or 'preconf'")
  const { defaultBlock = 'latest', pendingNonce = 'preconf', dialect } = options ?? {}
  check(defaultBlock === 'latest' || defaultBlock === 'pending', 'defaultBlock', "'latest' or 'pending'")
  check(pendingNonce === 'preconf' || pendingNonce === 'pool', 'pendingNonce', "'preconf' or 'pool'")
  check(dialect === undefined || isDialect(dialect), 'dialect', DIALECT_NAMES)
  return { defaultBlock, pendingNonce, dialect }
}
