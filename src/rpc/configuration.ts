/** Answers eth_config (EIP-7910) and eth_capabilities, in a lazy chunk. */

import { hexToBytes, quantity, toAddress } from '../base/bytes.ts'
import type { RpcChainCapabilities, RpcChainConfig, RpcForkConfig, RpcHistory } from '../base/rpcTypes.ts'
import type { Address, Hash, Hex } from '../base/types.ts'
import { activePrecompiles } from '../ethereum/evm/precompiles.ts'
import { DEPOSIT_ADDRESS } from '../ethereum/forks.ts'
import { activeForks, type ForkSchedule, type Rules } from '../ethereum/rules.ts'
import { GAS_PER_BLOB } from '../ethereum/transaction.ts'
import type { RpcContext } from './method.ts'

/** The first block of a chain. The chain's fork id is a checksum of it and the forks. */
interface Genesis {
  readonly hash: Hash
  readonly timestamp: bigint
}

/** A number above all block numbers, where every fork that starts at a block is active. */
const AFTER_ALL = 2n ** 64n

/**
 * Returns the configurations of the current, the next and the last fork. `current` is null before the first fork that
 * starts at a time; `next` and `last` are null if no later fork is scheduled.
 */
export async function chainConfig({ viewed, read }: RpcContext): Promise<RpcChainConfig> {
  const { config, fork } = viewed.tip.base
  const { rules } = config
  const newest = (viewed.preconfBlock ?? viewed.tip.head).block
  const { schedule } = newest.rules
  // On a fork, the fork's block takes the place of genesis: earlier blocks are not read here.
  const first = await viewed.require({ kind: 'number', number: fork?.number ?? 0n })
  const genesis = { hash: first.block.hash, timestamp: fork === undefined ? first.block.timestamp : 0n }
  const times = schedule.forks.filter(({ timed }) => timed).map(({ at }) => BigInt(at!))
  const describe = (time: bigint | undefined): RpcForkConfig | null =>
    time === undefined ? null : toForkConfig(rules.at(AFTER_ALL, time), schedule, genesis, time, read.chainId)
  const current = times.findLast((time) => time <= newest.timestamp)
  const next = times.find((time) => time > newest.timestamp)
  return {
    current: describe(current),
    next: describe(next),
    last: describe(next === undefined ? undefined : times.at(-1)),
  }
}

function toForkConfig(
  rules: Rules,
  schedule: ForkSchedule,
  genesis: Genesis,
  time: bigint,
  chainId: bigint,
): RpcForkConfig {
  const { fork, blobs } = rules
  return {
    activationTime: time <= genesis.timestamp ? 0 : Number(time),
    blobSchedule: fork.cancun
      ? {
          target: Number(blobs.targetGas / GAS_PER_BLOB),
          max: Number(blobs.maxGas / GAS_PER_BLOB),
          baseFeeUpdateFraction: Number(blobs.updateFraction),
        }
      : null,
    chainId: quantity(chainId),
    forkId: forkId(schedule, genesis, time),
    precompiles: sorted(
      activePrecompiles(fork).map(([, address, title]) => [title, toAddress(address)] as const),
    ),
    systemContracts: sorted(systemContractsOf(rules)),
  }
}

/** Returns the active system contracts. A genesis can set the address of the deposit contract. */
function systemContractsOf({ fork, schedule }: Rules): (readonly [string, Address])[] {
  return activeForks(fork)
    .flatMap(({ systemContracts = {} }) => Object.entries(systemContracts))
    .map(([name, address]) => [
      name,
      (address === DEPOSIT_ADDRESS ? schedule.depositContract : address).toLowerCase() as Address,
    ])
}

function sorted(entries: readonly (readonly [string, Address])[]): Readonly<Record<string, Address>> {
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/**
 * Returns the checksum of a genesis block and of the starts of later forks, up to a time (EIP-2124, EIP-6122). Forks
 * with the same start count once.
 */
export function forkId({ forks }: ForkSchedule, genesis: Genesis, time: bigint): Hex {
  const starts = (isTimed: boolean, isPassed: (at: bigint) => boolean): bigint[] => {
    const all = forks.filter(({ timed = false }) => timed === isTimed).flatMap(({ at }) => at ?? [])
    return [...new Set(all)]
      .sort((a, b) => a - b)
      .map(BigInt)
      .filter(isPassed)
  }
  const blocks = starts(false, (at) => at > 0n)
  const times = starts(true, (at) => at > genesis.timestamp && at <= time)
  const words = [...blocks, ...times].map((at) => at.toString(16).padStart(16, '0'))
  return `0x${crc32(hexToBytes(`${genesis.hash}${words.join('')}`))
    .toString(16)
    .padStart(8, '0')}`
}

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return ~crc >>> 0
}

/** Returns the head and the available history. On a fork, the forked node has older blocks; there are no proofs. */
export function capabilities({ viewed, read }: RpcContext): RpcChainCapabilities {
  const { number, hash } = viewed.tip.head.block
  const window = (blocks: number): RpcHistory => {
    const oldest = number + 1n - BigInt(blocks)
    return {
      disabled: false,
      oldestBlock: quantity(oldest > 0n ? oldest : 0n),
      deleteStrategy: { type: 'window', retentionBlocks: quantity(blocks) },
    }
  }
  const recent = window(read.history.blocks)
  return {
    head: { number: quantity(number), hash },
    state: recent,
    tx: recent,
    logs: recent,
    receipts: recent,
    blocks: { disabled: false, oldestBlock: '0x0' },
    // At least 1, since the head always has its trie.
    stateproofs:
      viewed.tip.base.fork === undefined ? window(Math.max(1, read.history.proofs)) : { disabled: true },
  }
}
