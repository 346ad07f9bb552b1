/** The forks of a geth genesis: their starts and their blob parameters. */
import { InvalidOptionError } from '../base/errors.ts'
import type { Address, GethGenesis } from '../base/types.ts'

/** The blob parameters of a fork (EIP-7840). */
export interface BlobParameters {
  /** The number of blobs in a block at which their price stays the same. */
  readonly target: number
  /** The maximum number of blobs in a block. */
  readonly max: number
  /** `BLOB_BASE_FEE_UPDATE_FRACTION`: the higher, the slower the price changes. */
  readonly updateFraction: number
}

/** The forks of a chain and when they start. */
export interface ForkSchedule {
  /** In order. */
  readonly forks: readonly ScheduledFork[]
  /** The blob parameters in the genesis, by fork. */
  readonly blobs: ReadonlyMap<string, BlobParameters>
  readonly depositContract: Address
  /** See `ChainRules`. */
  readonly terminalTotalDifficulty: bigint | undefined
  /** The name of the hardfork at a block. @param difficulty - the block's. */
  hardforkAt(number: bigint, timestamp: bigint, difficulty: bigint): string
}

/** A fork and its field in a genesis; `optional` forks may be omitted, `timed` ones start at a timestamp. */
interface Fork {
  readonly name: string
  readonly field: string
  readonly optional?: true
  readonly timed?: true
}

/** Every fork after the first, in order. */
export const FORK_ORDER: readonly Fork[] = [
  { name: 'homestead', field: 'homesteadBlock' },
  { name: 'dao', field: 'daoForkBlock', optional: true },
  { name: 'tangerineWhistle', field: 'eip150Block' },
  { name: 'spuriousDragon', field: 'eip158Block' },
  { name: 'byzantium', field: 'byzantiumBlock' },
  { name: 'constantinople', field: 'constantinopleBlock' },
  { name: 'petersburg', field: 'petersburgBlock' },
  { name: 'istanbul', field: 'istanbulBlock' },
  { name: 'muirGlacier', field: 'muirGlacierBlock', optional: true },
  { name: 'berlin', field: 'berlinBlock' },
  { name: 'london', field: 'londonBlock' },
  { name: 'arrowGlacier', field: 'arrowGlacierBlock', optional: true },
  { name: 'grayGlacier', field: 'grayGlacierBlock', optional: true },
  { name: 'paris', field: 'mergeForkBlock', optional: true },
  { name: 'shanghai', field: 'shanghaiTime', timed: true },
  { name: 'cancun', field: 'cancunTime', timed: true },
  { name: 'prague', field: 'pragueTime', timed: true },
  { name: 'osaka', field: 'osakaTime', timed: true },
  { name: 'bpo1', field: 'bpo1Time', timed: true, optional: true },
  { name: 'bpo2', field: 'bpo2Time', timed: true, optional: true },
  { name: 'bpo3', field: 'bpo3Time', timed: true, optional: true },
  { name: 'bpo4', field: 'bpo4Time', timed: true, optional: true },
  { name: 'bpo5', field: 'bpo5Time', timed: true, optional: true },
]

/** The forks before bpo1 that can set blob parameters. */
const BLOB_FORKS = ['cancun', 'prague', 'osaka']
/** The forks after Osaka, which only set blob parameters (EIP-7892). */
export const BLOB_PARAMETER_FORKS: readonly string[] = ['bpo1', 'bpo2', 'bpo3', 'bpo4', 'bpo5']

const MAINNET_DEPOSIT_CONTRACT: Address = '0x00000000219ab540356cbb839cbe05303d7705fa'

type Config = GethGenesis['config']
/**
 * A fork with its start: a block number, or a timestamp in seconds; undefined for a merge at no fixed block.
 */
export type ScheduledFork = Fork & { readonly at: number | undefined }

/**
 * Reads the forks of a genesis.
 *
 * @throws InvalidOptionError if a fork is invalid or starts before one it builds on, and for proof of authority.
 */
export function readForkSchedule(genesis: GethGenesis): ForkSchedule {
  const { config } = genesis
  const merge = readMerge(genesis)
  if (merge.block !== 0 && config['clique'] != null) {
    throw new InvalidOptionError(
      'genesis.config.clique',
      'no value: before the merge only proof of work is supported',
    )
  }
  const forks = scheduleForks(config, merge.block)
  return {
    forks,
    blobs: readBlobSchedule(config, forks),
    depositContract: (config['depositContractAddress'] ?? MAINNET_DEPOSIT_CONTRACT) as Address,
    terminalTotalDifficulty: merge.totalDifficulty,
    hardforkAt(number, timestamp, difficulty) {
      const merged = merge.block === undefined ? difficulty === 0n && number > 0n : number >= merge.block
      let hardfork = 'chainstart'
      for (const { name, timed, at } of forks) {
        const begun =
          name === 'paris' ? merged : timed ? merged && timestamp >= BigInt(at!) : number >= BigInt(at!)
        if (begun) hardfork = name
      }
      return hardfork
    },
  }
}

/**
 * The start of the merge: a given block, the genesis, a total difficulty, or by default the first block without
 * difficulty.
 */
function readMerge({ config, difficulty }: GethGenesis): {
  readonly block?: number
  readonly totalDifficulty?: bigint
} {
  const named = readStart(config, 'mergeForkBlock') ?? readStart(config, 'mergeNetsplitBlock')
  if (named !== undefined) return { block: named }
  const terminal = readQuantity(config['terminalTotalDifficulty'])
  const initial = readQuantity(difficulty) ?? 0n
  if (config['terminalTotalDifficultyPassed'] === true) return { block: 0 }
  if (terminal !== undefined && terminal <= initial) return { block: 0 }
  if (terminal !== undefined) return { totalDifficulty: terminal }
  const timed = FORK_ORDER.some((fork) => fork.timed && config[fork.field] != null)
  return timed && initial === 0n ? { block: 0 } : {}
}

/** The scheduled forks in order, each with its start. */
function scheduleForks(given: Config, mergeBlock: number | undefined): ScheduledFork[] {
  const { eip155Block, eip158Block, petersburgBlock, constantinopleBlock } = given
  if ((eip155Block ?? eip158Block) !== (eip158Block ?? eip155Block)) {
    throw new InvalidOptionError('genesis.config.eip155Block', 'the same block as eip158Block')
  }
  const config: Config = {
    ...given,
    eip158Block: eip158Block ?? eip155Block,
    // As in geth: without a block for Petersburg, EIP-1283, which it removes, was never active.
    petersburgBlock: petersburgBlock ?? constantinopleBlock,
    daoForkBlock: given['daoForkSupport'] === true ? given['daoForkBlock'] : undefined,
    mergeForkBlock: mergeBlock,
  }
  if (config['amsterdamTime'] != null) {
    throw new InvalidOptionError(
      'genesis.config.amsterdamTime',
      'no value: forks after Osaka are not supported',
    )
  }
  const forks: ScheduledFork[] = []
  let missing: string | undefined
  for (const fork of FORK_ORDER) {
    const at = readStart(config, fork.field)
    if (at === undefined && fork.name !== 'paris') {
      if (!fork.optional) missing ??= fork.field
      continue
    }
    const before = forks.findLast((other) => other.timed === fork.timed && other.at !== undefined)
    if (missing !== undefined && fork.name !== 'paris') {
      throw new InvalidOptionError(`genesis.config.${missing}`, `a value if ${fork.field} is given`)
    }
    if (before !== undefined && at !== undefined && before.at! > at) {
      throw new InvalidOptionError(`genesis.config.${fork.field}`, `at least ${before.field} (${before.at})`)
    }
    // Without London there is no merge.
    if (fork.name === 'paris' && missing !== undefined) continue
    forks.push({ ...fork, at })
  }
  return forks
}

/** The blob parameters of a genesis by fork (EIP-7840); those of unscheduled forks are ignored, as in geth. */
function readBlobSchedule(config: Config, forks: readonly ScheduledFork[]): Map<string, BlobParameters> {
  const schedule = (config['blobSchedule'] ?? {}) as Readonly<Record<string, Record<string, unknown>>>
  const blobs = new Map<string, BlobParameters>()
  for (const { name } of forks) {
    const given = schedule[name]
    const needed = BLOB_PARAMETER_FORKS.includes(name)
    if (!needed && (given === undefined || !BLOB_FORKS.includes(name))) continue
    const read = (key: string, least: number): number => {
      const value = given?.[key]
      if (Number.isSafeInteger(value) && Number(value) >= least) return Number(value)
      const expected = `an integer >= ${least}`
      throw new InvalidOptionError(`genesis.config.blobSchedule.${name}.${key}`, expected)
    }
    const target = read('target', 0)
    // At least 1: EIP-7918 divides by `max`, EIP-4844 by the fraction.
    const max = read('max', 1)
    const updateFraction = read('baseFeeUpdateFraction', 1)
    blobs.set(name, { target, max, updateFraction })
  }
  return blobs
}

function readStart(config: Config, field: string): number | undefined {
  const value = config[field]
  if (value === undefined || value === null) return undefined
  if (Number.isSafeInteger(value) && Number(value) >= 0) return Number(value)
  throw new InvalidOptionError(`genesis.config.${field}`, 'an integer >= 0')
}

function readQuantity(value: unknown): bigint | undefined {
  if (typeof value === 'number' && value >= 0) return BigInt(Math.trunc(value))
  return typeof value === 'string' && /^(0x[0-9a-f]+|\d+)$/i.test(value) ? BigInt(value) : undefined
}
