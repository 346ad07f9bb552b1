import type { Hardfork } from '@ethereumjs/common'
import { FORKS, type Fork, type ForkRules, type ForkName as RuleFork } from '../src/ethereum/forks.ts'
import { createChainRules, forkRules, HARDFORKS, hardforkConfig, type Rules } from '../src/ethereum/rules.ts'
import type { GethGenesis } from '../src/index.ts'

/** The newest hardfork that stock @ethereumjs executes as this library does. Tests compare with it up to this one. */
const NEWEST_OF_STOCK: RuleFork = 'osaka'

const STOCK = FORKS.slice(0, FORKS.findIndex(({ name }) => name === NEWEST_OF_STOCK) + 1)

const namesOf = (forks: readonly Fork[]) =>
  forks.filter(({ minor }) => !minor).map(({ name }) => name) as RuleFork[]

/** The hardforks whose names rules ask for and that stock @ethereumjs has, in order. */
export const STOCK_FORKS = namesOf(STOCK)

/** The hardforks of stock @ethereumjs that a chain can start with, in order. */
export const STOCK_STARTS = HARDFORKS.filter((name) => STOCK_FORKS.includes(name))

/** The hardforks that the rules distinguish, in order, from the first one on. */
export const ALL_FORKS: readonly ForkName[] = ['frontier', ...namesOf(FORKS)]

export type ForkName = 'frontier' | RuleFork

/** Whether a fork is this one or a later one. */
export const isSince = (fork: ForkName, since: ForkName): boolean =>
  ALL_FORKS.indexOf(fork) >= ALL_FORKS.indexOf(since)

/** The rules with every fork up to this one active. */
export const forksUpTo = (last: ForkName): ForkRules => forkRules(last)

/** The hardforks that stock @ethereumjs has, in order; the DAO fork is one of balances. */
export const FORK_NAMES = ['chainstart', ...STOCK.map(({ name }) => name)].filter(
  (name) => name !== 'dao',
) as Hardfork[]

/** The same, and the first fork that only changes blobs. */
export const WITH_BLOB_FORK: readonly string[] = [...FORK_NAMES, 'bpo1']

/** Those that change the EVM; the others delay the difficulty bomb. */
export const EVM_FORKS = FORK_NAMES.filter((name) => !name.endsWith('Glacier'))

/** A block number that no test reaches. */
const NEVER = Number.MAX_SAFE_INTEGER

/** The rules of a hardfork of {@link WITH_BLOB_FORK} or {@link ALL_FORKS}, on a chain that begins with it. */
export function rulesOf(hardfork: string, chainId = 31337): Rules {
  const last = FORKS.findIndex(({ name }) => name === hardfork)
  const blobForks = FORKS.filter(({ timed, minor }) => timed && minor)
  const blobs = { target: 9, max: 14, baseFeeUpdateFraction: 9 }
  const config: Record<string, unknown> = {
    blobSchedule: Object.fromEntries(blobForks.map(({ name }) => [name, blobs])),
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
