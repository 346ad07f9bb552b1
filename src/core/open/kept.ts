/** What a chain keeps of its options, in its database and its export. Loaded only for these. */

import { DEFAULT_MNEMONIC } from '../../base/options/accountOptions.ts'
import { check } from '../../base/options/option.ts'
import { CHAIN_OPTIONS, type ChainOptions, type ResolvedOptions } from '../../base/options/options.ts'

const KEPT = Object.entries(CHAIN_OPTIONS).flatMap(([name, { isKept }]) =>
  isKept ? [name as keyof typeof CHAIN_OPTIONS] : [],
)

/** Options that are kept, as JSON has them. */
export type KeptOptions = Partial<ChainOptions>

/** The options of a chain that are kept. */
export function keptOptions(options: ResolvedOptions): KeptOptions {
  const { accounts, preconfInterval, blockTime } = options
  // Keys and other mnemonics may be secret.
  const isPublic = 'mnemonic' in accounts && accounts.mnemonic === DEFAULT_MNEMONIC
  const isDefault = preconfInterval === Math.min(200, blockTime)
  const kept = KEPT.filter(
    (name) => (name !== 'accounts' || isPublic) && (name !== 'preconfInterval' || !isDefault),
  )
  return Object.fromEntries(kept.map((name) => [name, options[name]]))
}

/** Checks that options are among the kept ones. @throws InvalidOptionError */
export function readKeptOptions(options: object): KeptOptions {
  for (const name of Object.keys(options)) {
    check(KEPT.includes(name as never), `settings.options.${name}`, `one of ${KEPT.join(', ')}`)
  }
  return options
}

/** The options of a chain that has kept some: those that are given, over them. */
export function overKept(kept: KeptOptions, given: ChainOptions): ChainOptions {
  const own = Object.entries(given).filter(([, value]) => value !== undefined)
  return { ...kept, ...Object.fromEntries(own) }
}
