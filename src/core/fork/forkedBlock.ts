/** Converts the JSON of a forked block of any chain, finds its hardfork, and looks up the hashes of earlier blocks. */

import { hexToBytes, quantity as quantityToHex, toAddress } from '../../base/bytes.ts'
import { SchemaError } from '../../base/errors.ts'
import { MAX_BLOCK_GAS, MIN_BLOCK_GAS } from '../../base/options/optionSchemas.ts'
import { isAbsent } from '../../base/schema.ts'
import type { Hash, Hex } from '../../base/types.ts'
import { Missing } from '../../base/waiting.ts'
import type { Block } from '../../ethereum/block.ts'
import type { Fork, Hardfork, HeaderField } from '../../ethereum/forks.ts'
import {
  createHeader,
  type FeeParameters,
  HEADER_FIELDS,
  type Header,
  hashHeader,
} from '../../ethereum/header.ts'
import { type Rules, START_FORKS } from '../../ethereum/rules.ts'
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
 * Limits of a header that a chain can continue from. They keep later block numbers and times in milliseconds within the
 * safe integers, and fees within an EVM word.
 */
const NUMBERS: Partial<Record<keyof Header, Reader<bigint>>> = {
  number: quantity(52),
  gasLimit: quantityFrom(MIN_BLOCK_GAS, MAX_BLOCK_GAS),
  gasUsed: quantity(63),
  timestamp: quantity(42),
  baseFeePerGas: quantity(128),
  blobGasUsed: quantity(32),
  excessBlobGas: quantity(32),
}

const READERS = HEADER_FIELDS.map(({ name, format }) => ({ name, read: NUMBERS[name] ?? readerOf(format) }))

function readerOf(format: HeaderField['format']): Reader<bigint | Hex> {
  if (format === 'bytes') return hexUpTo()
  if ('bits' in format) return quantity(format.bits)
  return format.bytes === 32 ? hash : format.bytes === 20 ? address : hexUpTo()
}

const size = quantity(53)

/** Reads the fields of a header; absent ones are undefined. @throws SchemaError */
function readHeaderFields(json: RemoteBlock): Partial<Header> {
  const fields = READERS.map(({ name, read }) => {
    const value = json[name]
    return [name, isAbsent(value) ? undefined : read(value, `.${name}`)]
  })
  return Object.fromEntries(fields) as Partial<Header>
}

/** Accepts a block only if a chain can begin with it. */
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
 * Converts the block to the head of a chain. Keeps its hash on the forked chain, and omits its transactions, whose
 * types may be unknown here.
 */
export function toForkedBlock(json: RemoteBlock, rules: Rules): Block {
  const header = createHeader(readHeaderFields(json), rules)
  return {
    header,
    hash: lowerCase(json.hash),
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
 * Reads the fee parameters in a header of the OP stack. Since Holocene, `extraData` is a version, the denominator and
 * the elasticity. Since Jovian, the minimum base fee follows. Returns undefined for different data, for a zero, or if
 * the elasticity leaves no gas target.
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

/** The answer of eth_config (EIP-7910), as far as it is read. */
interface RemoteConfig {
  readonly current?: Partial<Record<'activationTime' | 'precompiles' | 'systemContracts', unknown>> | null
}

/** Returns a block's hardfork by eth_config; undefined if unknown, or if the block precedes the current hardfork. */
export function hardforkByConfig(config: unknown, timestamp: bigint): Hardfork | undefined {
  const { current } = (config ?? {}) as RemoteConfig
  const since = current?.activationTime
  if (!current?.precompiles || !Number.isSafeInteger(since) || timestamp < BigInt(since as number)) {
    return undefined
  }
  const named = Object.entries({ ...current.precompiles, ...(current.systemContracts as object) }).flat()
  const found = named.map((name) => String(name).toLowerCase())
  return newest(({ precompiles = {}, systemContracts = {} }) => {
    const addresses = Object.values(precompiles).map(([number]) => toAddress(number))
    return [...addresses, ...Object.values(systemContracts)].some((address) => found.includes(address))
  })
}

/** Returns the hardfork of a well-known chain at a time; undefined if the chain is not known. */
export function hardforkBySchedule(chainId: bigint, timestamp: bigint): Hardfork | undefined {
  return newest(({ times }) => {
    const since = times?.[Number(chainId)]
    return since !== undefined && timestamp >= BigInt(since)
  })
}

/** Returns the newest hardfork that added a field of this header. */
export function hardforkByHeader(json: RemoteBlock): Hardfork {
  const has = (field: string) => !isAbsent(json[field])
  return newest(({ header = {} }) => Object.keys(header).some(has)) ?? 'paris'
}

function newest(isTrue: (fork: Fork) => boolean): Hardfork | undefined {
  return START_FORKS.findLast(isTrue)?.name
}

/** Fields of a block that are not in {@link Header}. */
const OTHERS = ['hash', 'size', 'totalDifficulty', 'transactions', 'uncles', 'withdrawals']

const MAX_SHOWN = 3

/** Requires that a block's hash follows from its header. @throws SchemaError, which names unknown fields */
export function requireHeaderHash(json: RemoteBlock): void {
  const fields = readHeaderFields(json)
  // Absent fields are not hashed.
  if (hashHeader(fields as Header) === lowerCase(json.hash)) return
  const unknown = Object.keys(json).filter((name) => !(name in fields) && !OTHERS.includes(name))
  const shown = unknown.filter((name) => /^\w{1,40}$/.test(name)).slice(0, MAX_SHOWN)
  const fork =
    shown.length === 0 ? '' : `; of a chain whose hashes cover ${shown.join(', ')}, set fork.verify to false`
  throw new SchemaError('.hash', `the hash of its header${fork}`)
}

/** How many blocks are requested at most to follow parent hashes. A deeper block is requested alone, by its number. */
const MAX_WALKED = 256

/**
 * Returns a function that looks up the hash of an earlier block by number, for BLOCKHASH and for requests about blocks.
 *
 * @param check - verifies each block on the walk; throws a SchemaError.
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
    const requests = numbers.map((number) => ({
      method: 'eth_getBlockByNumber',
      params: [quantityToHex(number), false],
      read: orNull((answer) => {
        const found = blockAt({ number }, block)(answer)
        check(found)
        return found
      }),
      // A reorganisation can change the block at a number.
      isPinned: false,
    }))
    return (await askAll(remote, requests)).map((answer, i) => {
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
    // Verifies each block by its child's parent hash, from the forked block down to the requested one.
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
