/** Loads extensions of dialects, in lazy chunks. Owns: the loaded extension. */
import { loadOnce } from '../base/waiting.ts'
import type { DialectRules } from './dialect.ts'
import type { DialectExtension } from './dialectExtension.ts'

const loadHardhat = loadOnce(async () => (await import('./hardhat/hardhat.ts')).hardhat)

/** Loads the extension of a dialect; undefined if it has none. */
export function loadExtension({ extension }: DialectRules): Promise<DialectExtension> | undefined {
  return extension === undefined ? undefined : loadHardhat()
}
