/** The networks of official tests as configs of a geth genesis: one fork, or two, one after the other. */
import type { GethGenesis, Hex } from '../../src/base/types.ts'
import { FORKS } from '../../src/ethereum/forks.ts'
import { STOCK_FORKS } from '../forks.ts'

/** What a test's `config` says of its chain, besides the network. */
export interface NetworkConfig {
  readonly chainid?: Hex
  /** The blob parameters by fork (EIP-7840), in hex. */
  readonly blobSchedule?: Readonly<Record<string, Readonly<Record<string, Hex>>>>
}

/** Names of forks in tests that are not those of {@link FORKS} with a capital letter. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  Frontier: 'chainstart',
  EIP150: 'tangerineWhistle',
  EIP158: 'spuriousDragon',
  ConstantinopleFix: 'petersburg',
  Merge: 'paris',
}

/** The networks that begin with a fork that has rules of its own, and that stock @ethereumjs has. */
export const FORK_NETWORKS: readonly string[] = ['chainstart', ...STOCK_FORKS].map(
  (name) =>
    Object.keys(OTHER_NAMES).find((other) => OTHER_NAMES[other] === name) ??
    `${name[0]!.toUpperCase()}${name.slice(1)}`,
)

/** `At5`, `AtTime15k`, or `AtDiffC0000`. */
const TRANSITION = /^([A-Z]\w*?)To([A-Z]\w*?)At(?:Time(\d+)k|Diff([0-9A-F]+)|(\d+))$/

/** A block number that no test reaches. */
const NEVER = Number.MAX_SAFE_INTEGER

/**
 * The config of a network, such as `Osaka`, `BerlinToLondonAt5`, `ParisToShanghaiAtTime15k`, or
 * `ArrowGlacierToParisAtDiffC0000`.
 *
 * @param end - the block at which all later forks up to the merge begin; by default none is reached.
 * @throws Error for an unknown network.
 */
export function networkConfig(
  network: string,
  { chainid = '0x01', blobSchedule = {} }: NetworkConfig = {},
  end = NEVER,
): GethGenesis['config'] {
  const [, first = network, second, time, difficulty, block = 0] = TRANSITION.exec(network) ?? []
  const [from, to] = [orderOf(first), orderOf(second ?? first)]
  const config: Record<string, unknown> = {}
  for (const [order, { name, field, timed, minor }] of FORKS.entries()) {
    if (name === 'dao' && second !== 'Dao') continue
    if (order <= from) config[field] = 0
    else if (order > to) {
      if (!timed && !minor) config[field] = end
    } else if (name === 'paris' && difficulty !== undefined) {
      config['terminalTotalDifficulty'] = `0x${difficulty}`
    } else if ((!minor && name !== 'paris') || order === to)
      config[field] = timed ? 1000 * Number(time) : Number(block)
  }
  return {
    ...config,
    // The two are one fork; stock @ethereumjs needs both.
    eip155Block: config['eip158Block'],
    daoForkSupport: second === 'Dao',
    chainId: Number(chainid),
    blobSchedule: Object.fromEntries(
      Object.entries(blobSchedule).map(([fork, parameters]) => [
        forkName(fork),
        Object.fromEntries(Object.entries(parameters).map(([key, value]) => [key, Number(value)])),
      ]),
    ),
  }
}

/** Whether the genesis block of a network is after the merge. */
export function isMergedAtGenesis(network: string): boolean {
  const [, first = network] = TRANSITION.exec(network) ?? []
  return orderOf(first) >= orderOf('Paris')
}

/** The index of a fork in {@link FORKS}; -1 for Frontier. */
function orderOf(fork: string): number {
  const name = forkName(fork)
  const order = FORKS.findIndex((one) => one.name === name)
  if (order < 0 && fork !== 'Frontier') throw new Error(`unknown fork ${fork}`)
  return order
}

/** The name of a fork in {@link FORKS}; `chainstart` for Frontier. */
export function forkName(fork: string): string {
  const [initial = '', ...rest] = fork.replace(/^BPO/, 'bpo')
  return OTHER_NAMES[fork] ?? initial.toLowerCase() + rest.join('')
}
