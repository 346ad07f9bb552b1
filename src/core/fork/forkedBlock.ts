/**
 * The block that a chain is forked at, from JSON that any chain may have written, the rules of the blocks after it, and the hashes
 * of those before.
 */

import { hexToBytes, quantity as quantityToHex } from '../../base/bytes.ts'
import { SchemaError } from '../../base/errors.ts'
import { MAX_BLOCK_GAS, MIN_BLOCK_GAS } from '../../base/options/optionSchemas.ts'
import { isAbsent } from '../../base/schema.ts'
import type { Hardfork, Hash, Hex } from '../../base/types.ts'
import { Missing } from '../../base/waiting.ts'
import type { Block } from '../../ethereum/block.ts'
import { createHeader, type FeeParameters, type Header, hashHeader } from '../../ethereum/header.ts'
import type { Rules } from '../../ethereum/rules.ts'
import {
  address,
  block,
  blockAt,
  hash,
  hexUpTo,
  orNull,
  quantity,
  quantityFrom,
  type Reader,
  type RemoteBlock,
} from './answers.ts'
import { ForkedChainChangedError } from './errors.ts'
import { askAll, type Remote, resultOf } from './remote.ts'

/**
 * The fields of a header from which a chain can go on: the numbers of later blocks and the milliseconds of their times are
 * safe integers, and fees that follow from them fit an EVM word.
 */
const HEADER: { readonly [Name in keyof Header]: Reader<NonNullable<Header[Name]>> } = {
  parentHash: hash,
  sha3Uncles: hash,
  miner: address,
  stateRoot: hash,
  transactionsRoot: hash,
  receiptsRoot: hash,
  logsBloom: hexUpTo(),
  difficulty: quantity(256),
  number: quantity(52),
  gasLimit: quantityFrom(MIN_BLOCK_GAS, MAX_BLOCK_GAS),
  gasUsed: quantity(63),
  timestamp: quantity(42),
  extraData: hexUpTo(),
  mixHash: hash,
  nonce: hexUpTo(),
  baseFeePerGas: quantity(128),
  withdrawalsRoot: hash,
  blobGasUsed: quantity(32),
  excessBlobGas: quantity(32),
  parentBeaconBlockRoot: hash,
  requestsHash: hash,
}

const size = quantity(53)

/** The fields of a block's header, those that are absent undefined. @throws SchemaError */
function readHeaderFields(json: RemoteBlock): Partial<Header> {
  const fields = Object.entries(HEADER).map(([field, read]) => {
    const value = json[field]
    return [field, isAbsent(value) ? undefined : read(value, `.${field}`)] as const
  })
  return Object.fromEntries(fields)
}

/** What `read` accepts, if a chain can begin with it. */
export function forkable(read: Reader<RemoteBlock>): Reader<RemoteBlock> {
  return (answer, path) => {
    const found = read(answer, path)
    readHeaderFields(found)
    sizeOf(found)
    return found
  }
}

const sizeOf = (json: RemoteBlock): number => Number(size(json['size'] ?? '0x0', '.size'))

/**
 * The block as the head of a chain: with the forked chain's hash, and without its transactions, which may be of types that
 * only that chain has.
 */
export function toForkedBlock(json: RemoteBlock, rules: Rules): Block {
  const header = createHeader(readHeaderFields(json), rules)
  return {
    header,
    hash: json.hash.toLowerCase() as Hash,
    number: header.number,
    timestamp: header.timestamp,
    rules,
    transactions: [],
    receipts: [],
    uncles: [],
    withdrawals: rules.fork.shanghai ? [] : undefined,
    size: sizeOf(json),
  }
}

/**
 * The fee parameters in a header of the OP stack: since Holocene `extraData` is a version, the denominator and the
 * elasticity, and since Jovian also the least base fee. Undefined for any other `extraData`, one with an elasticity that
 * leaves no gas target included.
 */
export function feeParametersOf(extraData: Hex): FeeParameters | undefined {
  const bytes = hexToBytes(extraData)
  const [version] = bytes
  const isHolocene = version === 0 && bytes.length === 9
  const isJovian = version === 1 && bytes.length === 17
  if (!isHolocene && !isJovian) return undefined
  const at = (start: number, end: number) => BigInt(`0x${extraData.slice(2 + 2 * start, 2 + 2 * end)}`)
  const [changeDenominator, elasticity] = [at(1, 5), at(5, 9)]
  if (changeDenominator === 0n || elasticity === 0n || elasticity > MIN_BLOCK_GAS) return undefined
  return { changeDenominator, elasticity, least: isJovian ? at(9, 17) : 0n }
}

/** When the forks of well-known chains began, in Unix seconds, newest first. */
const SCHEDULES: Readonly<Record<string, readonly (readonly [Hardfork, number])[]>> = {
  // Ethereum: mainnet, Sepolia, Hoodi.
  1: [
    ['osaka', 1_764_798_551],
    ['prague', 1_746_612_311],
    ['cancun', 1_710_338_135],
    ['shanghai', 1_681_338_455],
  ],
  11155111: [
    ['osaka', 1_760_427_360],
    ['prague', 1_741_159_776],
    ['cancun', 1_706_655_072],
    ['shanghai', 1_677_557_088],
  ],
  560048: [
    ['osaka', 1_761_677_592],
    ['prague', 1_742_999_832],
    ['cancun', 0],
  ],
  // OP Mainnet and Base.
  10: [
    ['prague', 1_746_806_401],
    ['cancun', 1_710_374_401],
    ['shanghai', 1_704_992_401],
  ],
  8453: [
    ['prague', 1_746_806_401],
    ['cancun', 1_710_374_401],
    ['shanghai', 1_704_992_401],
  ],
  // Arbitrum One, whose headers have no field of these forks.
  42161: [['cancun', 1_710_424_089]],
}

/** The address of the precompile that Osaka adds (EIP-7951). */
const P256_VERIFY = `0x${'100'.padStart(40, '0')}`

/** The answer of eth_config (EIP-7910), as far as it is read. */
interface RemoteConfig {
  readonly current?: {
    readonly activationTime?: unknown
    readonly precompiles?: Readonly<Record<string, unknown>>
    readonly systemContracts?: Readonly<Record<string, unknown>>
    readonly blobSchedule?: unknown
  } | null
}

/** The hardfork of a block by eth_config; undefined if that does not say, or if the block is before the current one. */
export function hardforkByConfig(config: unknown, timestamp: bigint): Hardfork | undefined {
  const { current } = (config ?? {}) as RemoteConfig
  const since = current?.activationTime
  if (!current?.precompiles || !Number.isSafeInteger(since) || timestamp < BigInt(since as number)) {
    return undefined
  }
  const precompiles = Object.entries(current.precompiles)
    .flat()
    .map((name) => String(name).toLowerCase())
  if (precompiles.includes(P256_VERIFY)) return 'osaka'
  const contracts = Object.keys(current.systemContracts ?? {}).join(' ')
  if (contracts.includes('HISTORY_STORAGE')) return 'prague'
  return contracts.includes('BEACON_ROOTS') ? 'cancun' : undefined
}

/** The hardfork of a well-known chain at a time. */
export function hardforkBySchedule(chainId: bigint, timestamp: bigint): Hardfork | undefined {
  return SCHEDULES[String(chainId)]?.find(([, since]) => timestamp >= BigInt(since))?.[0]
}

/** The hardfork by the fields that a header has; Osaka adds none, so that it reads as Prague. */
export function hardforkByHeader(json: RemoteBlock): Hardfork {
  const has = (field: string) => !isAbsent(json[field])
  if (has('requestsHash')) return 'prague'
  if (has('parentBeaconBlockRoot') || has('excessBlobGas')) return 'cancun'
  return has('withdrawalsRoot') ? 'shanghai' : 'paris'
}

// Whether the header of a block has the block's hash.

/** Fields of a block that are not part of its header, besides those of {@link Header}. */
const OTHERS = ['hash', 'size', 'totalDifficulty', 'transactions', 'uncles', 'withdrawals']

/** Names of unknown fields that an error shows. */
const MAX_SHOWN = 3

/**
 * Requires that the hash of a block follows from the fields of its header.
 *
 * @throws SchemaError, which names fields that Ethereum's headers do not have: some chains hash more than those.
 */
export function requireHeaderHash(json: RemoteBlock): void {
  const fields = readHeaderFields(json)
  const hash = json.hash.toLowerCase() as Hash
  // A field that is absent is not hashed.
  if (hashHeader(fields as Header) === hash) return
  const unknown = Object.keys(json).filter((name) => !(name in fields) && !OTHERS.includes(name))
  const shown = unknown.filter((name) => /^\w{1,40}$/.test(name)).slice(0, MAX_SHOWN)
  const fork =
    shown.length === 0 ? '' : `; of a chain whose hashes cover ${shown.join(', ')}, set fork.verify to false`
  throw new SchemaError('.hash', `the hash of its header${fork}`)
}

// The hashes of the blocks before a fork, for BLOCKHASH and for what looks for a block.
//
// Owns: the hashes that were asked for.

/** How far below the lowest known block the parents are walked; blocks before that are asked for alone. */
const MAX_WALKED = 256

/**
 * A function that returns the hash at a number below the fork's.
 *
 * @param parentHash - of the forked block.
 * @param check - of each block that leads to another one; throws a SchemaError.
 */
export function createEarlierHashes(
  remote: Remote,
  fork: bigint,
  parentHash: Hash,
  check: (block: RemoteBlock) => void = () => {},
): (number: bigint) => Hash | undefined {
  const known = new Map<bigint, Hash>([[fork - 1n, parentHash]])
  let lowest = fork - 1n

  const ask = async (numbers: readonly bigint[]): Promise<RemoteBlock[]> => {
    const answers = await askAll(
      remote,
      numbers.map((number) => ({
        method: 'eth_getBlockByNumber',
        params: [quantityToHex(number), false],
        read: orNull((answer) => {
          const found = blockAt({ number }, block)(answer)
          check(found)
          return found
        }),
        // A number names another block after a reorganisation.
        isPinned: false,
      })),
    )
    return answers.map((answer, i) => {
      const block = resultOf(answer)
      if (block === null) throw new ForkedChainChangedError(numbers[i]!)
      return block
    })
  }

  const load = async (number: bigint): Promise<void> => {
    if (lowest - number > BigInt(MAX_WALKED)) {
      const [block] = await ask([number])
      known.set(number, lowerCase(block!.hash))
      return
    }
    const numbers: bigint[] = []
    for (let at = lowest; at > number; at -= 1n) numbers.push(at)
    // Each block names its parent: together they lead from the fork, which is pinned, to the block that is looked for.
    for (const [i, block] of (await ask(numbers)).entries()) {
      const at = numbers[i]!
      if (lowerCase(block.hash) !== known.get(at)) throw new ForkedChainChangedError(at)
      known.set(at - 1n, lowerCase(block.parentHash))
      if (at - 1n < lowest) lowest = at - 1n
    }
  }

  return (number) => {
    if (number < 0n) return undefined
    const hash = known.get(number)
    if (hash === undefined) throw new Missing(() => load(number))
    return hash
  }
}

const lowerCase = (hash: Hash): Hash => hash.toLowerCase() as Hash
