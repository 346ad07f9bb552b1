/** What a chain keeps of its options, in its database and its export. Loaded only for these. */

import { DEFAULT_MNEMONIC } from '../../base/options/accountOptions.ts'
import { check } from '../../base/options/option.ts'
import {
  CHAIN_OPTIONS,
  type ChainOptions,
  DEFAULT_HARDFORK,
  type ResolvedOptions,
} from '../../base/options/options.ts'

const KEPT = Object.entries(CHAIN_OPTIONS).flatMap(([name, { isKept }]) =>
  isKept ? [name as keyof typeof CHAIN_OPTIONS] : [],
)

/** Options that are kept, as JSON has them. */
export type KeptOptions = Partial<ChainOptions>

/** The options of a chain that are kept, as they apply. */
export function keptOptions(options: ResolvedOptions): KeptOptions {
  const { accounts, preconfInterval, blockTime, genesis, hardfork = DEFAULT_HARDFORK } = options
  // Keys and other mnemonics may be secret.
  const isPublic = 'mnemonic' in accounts && accounts.mnemonic === DEFAULT_MNEMONIC
  return {
    ...Object.fromEntries(KEPT.map((name) => [name, options[name]])),
    accounts: isPublic ? accounts : undefined,
    preconfInterval: preconfInterval === Math.min(200, blockTime) ? undefined : preconfInterval,
    hardfork: genesis === undefined ? hardfork : undefined,
  }
}

/** Checks that options are among the kept ones. @throws InvalidOptionError */
export function readKeptOptions(options: object): KeptOptions {
  for (const name of Object.keys(options)) {
    check(KEPT.includes(name as never), `settings.options.${name}`, `one of ${KEPT.join(', ')}`)
  }
  return options
}

/** The options of a chain that has kept some: those that are given, over them. */
export function overKept({ hardfork, ...kept }: KeptOptions, given: ChainOptions): ChainOptions {
  const own = Object.entries(given).filter(([, value]) => value !== undefined)
  return { ...kept, ...(given.genesis === undefined && { hardfork }), ...Object.fromEntries(own) }
}
