import { toAddress } from '../../base/bytes.ts'
import { getOrInsert } from '../../base/collections.ts'
import type { Address } from '../../base/types.ts'
import type { AddedPrecompile, ForkRules, PrecompileRow } from '../forks.ts'
import { activeForks } from '../rules.ts'

/** The precompiles of Frontier (Yellow Paper, appendix E). */
const FRONTIER = {
  ecrecover: [0x01, 'ECREC'],
  sha256: [0x02, 'SHA256'],
  ripemd160: [0x03, 'RIPEMD160'],
  identity: [0x04, 'ID'],
} as const satisfies Record<string, PrecompileRow>

/** The names of all hardforks' precompiles, as code uses them; answers name them by their titles (EIP-7910). */
export type PrecompileName = keyof typeof FRONTIER | AddedPrecompile

/** The precompiles of a hardfork by name, each with its address as a number and its title, in order of addresses. */
export function activePrecompiles(fork: ForkRules): readonly (readonly [PrecompileName, ...PrecompileRow])[] {
  const added = activeForks(fork).map(({ precompiles }) => precompiles)
  const rows: Readonly<Record<string, PrecompileRow>> = Object.assign({ ...FRONTIER }, ...added)
  return Object.entries(rows).map(([name, row]) => [name as PrecompileName, ...row])
}

const byFork = new WeakMap<ForkRules, ReadonlySet<Address>>()

/** The addresses of a hardfork's precompiles; cached. */
export function precompilesOf(fork: ForkRules): ReadonlySet<Address> {
  const create = () => new Set(activePrecompiles(fork).map(([, address]) => toAddress(address)))
  return getOrInsert(byFork, fork, create)
}
