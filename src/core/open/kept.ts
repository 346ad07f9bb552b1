/** The options that a chain keeps in its database and its export. Loaded only for chains that have one. */

import { DEFAULT_MNEMONIC } from '../../base/options/accountOptions.ts'
import { check } from '../../base/options/option.ts'
import { DEFAULT_HARDFORK } from '../../ethereum/rules.ts'
import { CHAIN_OPTIONS, type ChainOptions, type ResolvedOptions } from '../options.ts'

/** Where a chain can be kept. */
type Medium = 'database' | 'export'

function namesIn(medium: Medium): (keyof typeof CHAIN_OPTIONS)[] {
  const names = Object.keys(CHAIN_OPTIONS) as (keyof typeof CHAIN_OPTIONS)[]
  return names.filter((name) => [medium, 'both'].includes(CHAIN_OPTIONS[name].keptIn!))
}

/** Options that are kept, as JSON has them. */
export type KeptOptions = Partial<ChainOptions>

/** The options of a chain that are kept, as they apply. */
export function keptOptions(options: ResolvedOptions, medium: Medium): KeptOptions {
  const { accounts, preconfInterval, blockTime, genesis, hardfork = DEFAULT_HARDFORK } = options
  // Keys and other mnemonics may be secret.
  const isPublic = 'mnemonic' in accounts && accounts.mnemonic === DEFAULT_MNEMONIC
  const stated: ResolvedOptions = { ...options, hardfork: genesis === undefined ? hardfork : undefined }
  const names = namesIn(medium).filter(
    (name) =>
      (name !== 'accounts' || isPublic) &&
      (name !== 'preconfInterval' || preconfInterval !== Math.min(200, blockTime)),
  )
  return Object.fromEntries(names.map((name) => [name, stated[name]]))
}

/** Checks that options are among the kept ones. @throws InvalidOptionError */
export function readKeptOptions(options: object, medium: Medium): KeptOptions {
  const known: readonly string[] = namesIn(medium)
  for (const name of Object.keys(options)) {
    check(known.includes(name), `settings.options.${name}`, `one of ${known.join(', ')}`)
  }
  return options
}

/** The options of a chain that has kept some: those that are given, over them. */
export function overKept({ hardfork, ...kept }: KeptOptions, given: ChainOptions): ChainOptions {
  const own = Object.entries(given).filter(([, value]) => value !== undefined)
  return { ...kept, ...(given.genesis === undefined && { hardfork }), ...Object.fromEntries(own) }
}
