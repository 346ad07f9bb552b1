/** Loads extensions of dialects, in lazy chunks. Owns: the loaded extension. */
import type { DialectRules } from './dialect.ts'
import type { DialectExtension } from './dialectExtension.ts'

let loaded: Promise<DialectExtension> | undefined

/** Loads the extension of a dialect; undefined if it has none. */
export function loadExtension({ extension }: DialectRules): Promise<DialectExtension> | undefined {
  if (extension === undefined) return undefined
  loaded ??= import('./hardhat/hardhat.ts').then(({ hardhat }) => hardhat)
  return loaded
}
