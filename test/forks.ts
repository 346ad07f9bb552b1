import type { Hardfork } from '@ethereumjs/common'
import { FORKS, type ForkRules, type ForkName as RuleFork } from '../src/ethereum/forks.ts'
import { createChainRules, forkRules, hardforkConfig, type Rules } from '../src/ethereum/rules.ts'
import type { GethGenesis } from '../src/index.ts'

/** The hardforks whose names rules ask for, in order. */
export const RULE_FORKS = FORKS.filter(({ minor }) => !minor).map(({ name }) => name) as RuleFork[]

/** The hardforks that the rules distinguish, in order, from the first one on. */
export const ALL_FORKS: readonly ForkName[] = ['frontier', ...RULE_FORKS]

export type ForkName = 'frontier' | RuleFork

/** Whether a fork is this one or a later one. */
export const isSince = (fork: ForkName, since: ForkName): boolean =>
  ALL_FORKS.indexOf(fork) >= ALL_FORKS.indexOf(since)

/** The rules with every fork up to this one active. */
export const forksUpTo = (last: ForkName): ForkRules => forkRules(last)

/** The names of all hardforks, from Frontier to the first that only changes blobs. */
export const HARDFORKS: readonly string[] = [
  'chainstart',
  ...FORKS.map(({ name }) => name).filter((name) => !/^(dao|bpo[2-5])$/.test(name)),
]

/** The hardforks up to Osaka, in order. */
export const FORK_NAMES = HARDFORKS.filter((name) => name !== 'bpo1') as Hardfork[]

/** Those that change the EVM; the others delay the difficulty bomb. */
export const EVM_FORKS = FORK_NAMES.filter((name) => !name.endsWith('Glacier'))

/** A block number that no test reaches. */
const NEVER = Number.MAX_SAFE_INTEGER

/** The rules of a hardfork of {@link HARDFORKS} or {@link ALL_FORKS}, on a chain that begins with it. */
export function rulesOf(hardfork: string, chainId = 31337): Rules {
  const last = FORKS.findIndex(({ name }) => name === hardfork)
  const config: Record<string, unknown> = {
    blobSchedule: { bpo1: { target: 9, max: 14, baseFeeUpdateFraction: 9 } },
  }
  for (const [order, { name, field, timed, minor }] of FORKS.entries()) {
    if (order <= last) config[field] = 0
    else if (!timed && !minor && name !== 'paris') config[field] = NEVER
  }
  const rules = createChainRules({ config: { ...config, chainId }, alloc: {}, gasLimit: '0x0' })
  const difficulty = config['mergeForkBlock'] === undefined ? 1n : 0n
  return rules.at(1n, 1n, difficulty)
}

/** A genesis on Prague with these accounts. */
export const genesisOf = (alloc: GethGenesis['alloc']): GethGenesis => ({
  config: hardforkConfig(31_337, 'prague'),
  alloc,
  gasLimit: '0x1c9c380',
})
