/** The configuration of the chain by fork (EIP-7910), and the history that it serves: a chunk that few chains load. */

import { hexToBytes, quantity, toAddress } from '../base/bytes.ts'
import type { RpcChainCapabilities, RpcChainConfig, RpcForkConfig, RpcHistory } from '../base/rpcTypes.ts'
import type { Address, Hash, Hex } from '../base/types.ts'
import { activePrecompiles, type PrecompileName } from '../ethereum/evm/precompiles.ts'
import type { ForkSchedule, Rules } from '../ethereum/rules.ts'
import {
  BEACON_ROOTS,
  BLOCK_HASHES,
  CONSOLIDATION_REQUESTS,
  WITHDRAWAL_REQUESTS,
} from '../ethereum/systemContracts.ts'
import { GAS_PER_BLOB } from '../ethereum/transaction.ts'
import type { RpcContext } from './method.ts'

/** The first block of a chain, which its fork id begins with. */
interface Genesis {
  readonly hash: Hash
  readonly timestamp: bigint
}

/** A number after those of all blocks: forks that start at a block have started there. */
const AFTER_ALL = 2n ** 64n

/** Each field is null if no fork is, or will be, active that starts at a time. */
export async function chainConfig({ viewed, read }: RpcContext): Promise<RpcChainConfig> {
  const { fork } = viewed.sources
  const { rules } = read.config
  const newest = (viewed.snapshot ?? viewed.tip.head).block
  const { schedule } = newest.rules
  // A fork begins on a block whose ancestors it does not read.
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
      activePrecompiles(fork).map(([name, address]) => [PRECOMPILE_NAMES[name], toAddress(address)] as const),
    ),
    systemContracts: sorted([
      ...(fork.cancun ? [['BEACON_ROOTS_ADDRESS', BEACON_ROOTS.address] as const] : []),
      ...(fork.prague
        ? ([
            ['CONSOLIDATION_REQUEST_PREDEPLOY_ADDRESS', CONSOLIDATION_REQUESTS.address],
            ['DEPOSIT_CONTRACT_ADDRESS', schedule.depositContract.toLowerCase() as Address],
            ['HISTORY_STORAGE_ADDRESS', BLOCK_HASHES.address],
            ['WITHDRAWAL_REQUEST_PREDEPLOY_ADDRESS', WITHDRAWAL_REQUESTS.address],
          ] as const)
        : []),
    ]),
  }
}

/** The names of EIP-7910. */
const PRECOMPILE_NAMES: Readonly<Record<PrecompileName, string>> = {
  ecrecover: 'ECREC',
  sha256: 'SHA256',
  ripemd160: 'RIPEMD160',
  identity: 'ID',
  modexp: 'MODEXP',
  bn254Add: 'BN254_ADD',
  bn254Mul: 'BN254_MUL',
  bn254Pairing: 'BN254_PAIRING',
  blake2f: 'BLAKE2F',
  pointEvaluation: 'KZG_POINT_EVALUATION',
  bls12381G1Add: 'BLS12_G1ADD',
  bls12381G1Msm: 'BLS12_G1MSM',
  bls12381G2Add: 'BLS12_G2ADD',
  bls12381G2Msm: 'BLS12_G2MSM',
  bls12381Pairing: 'BLS12_PAIRING_CHECK',
  bls12381MapFpToG1: 'BLS12_MAP_FP_TO_G1',
  bls12381MapFp2ToG2: 'BLS12_MAP_FP2_TO_G2',
  p256Verify: 'P256VERIFY',
}

function sorted(entries: readonly (readonly [string, Address])[]): Readonly<Record<string, Address>> {
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** The checksum of a genesis block and of the forks until a time, each once, without those at genesis (EIP-2124, EIP-6122). */
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

/** CRC-32 of IEEE 802.3. */
function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return ~crc >>> 0
}

/** On a fork, the forked node answers for what is older; proofs of the chain here are not available. */
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
    // The head has its trie even if no other block has.
    stateproofs:
      viewed.sources.fork === undefined ? window(Math.max(1, read.history.proofs)) : { disabled: true },
  }
}
