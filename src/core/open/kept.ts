/** The options that a database or an export keeps. Loaded only for chains that have one. */

import { DEFAULT_MNEMONIC } from '../../base/options/accountOptions.ts'
import { check } from '../../base/options/option.ts'
import type { ChainSpec } from '../../ethereum/chainSpec.ts'
import { DEFAULT_HARDFORK } from '../../ethereum/rules.ts'
import { CHAIN_OPTIONS, type ChainOptions, type ResolvedOptions } from '../options.ts'

type Medium = 'database' | 'export'

function namesIn(medium: Medium): (keyof typeof CHAIN_OPTIONS)[] {
  const names = Object.keys(CHAIN_OPTIONS) as (keyof typeof CHAIN_OPTIONS)[]
  return names.filter((name) => [medium, 'both'].includes(CHAIN_OPTIONS[name].keptIn!))
}

type KeptOptions = Partial<ChainOptions>

/** Returns the options that a medium keeps. Fills in the default hardfork, and leaves out secret accounts. */
export function keptOptions(options: ResolvedOptions, medium: Medium): KeptOptions {
  const { accounts, preconfInterval, blockTime, genesis, hardfork = DEFAULT_HARDFORK } = options
  // Keys and custom mnemonics may be secret.
  const isPublic = 'mnemonic' in accounts && accounts.mnemonic === DEFAULT_MNEMONIC
  const stated: ResolvedOptions = { ...options, hardfork: genesis === undefined ? hardfork : undefined }
  const names = namesIn(medium).filter(
    (name) =>
      (name !== 'accounts' || isPublic) &&
      (name !== 'preconfInterval' || preconfInterval !== Math.min(200, blockTime)),
  )
  return Object.fromEntries(names.map((name) => [name, stated[name]]))
}

/** Returns the options if the medium keeps each of them. @throws InvalidOptionError if it does not. */
export function readKeptOptions(options: object, medium: Medium): KeptOptions {
  const known: readonly string[] = namesIn(medium)
  for (const name of Object.keys(options)) {
    check(known.includes(name), `settings.options.${name}`, `one of ${known.join(', ')}`)
  }
  return options
}

/**
 * Checks that a chain continues under the spec of its blocks.
 *
 * @param made - the name of the spec under which the blocks were made; undefined for Ethereum's rules.
 * @throws InvalidOptionError if the spec has another name.
 */
export function requireSpec(
  medium: 'database' | 'settings',
  spec: ChainSpec | undefined,
  made?: string,
): void {
  const nameOf = (name: string | undefined) => (name === undefined ? "Ethereum's rules" : `the rules ${name}`)
  check(made === spec?.name, medium, `a chain by ${nameOf(spec?.name)}, not by ${nameOf(made)}`)
}

/** Returns the kept options, overridden by the given ones. A given genesis also replaces the kept hardfork. */
export function overKept({ hardfork, ...kept }: KeptOptions, given: ChainOptions): ChainOptions {
  const own = Object.entries(given).filter(([, value]) => value !== undefined)
  return { ...kept, ...(given.genesis === undefined && { hardfork }), ...Object.fromEntries(own) }
}
