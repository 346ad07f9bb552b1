/**
 * The protocol's own effects at the start of a block (EIPs 779, 4788, 2935) and at its end: withdrawals, rewards and
 * requests (EIPs 6110, 7002, 7251).
 */

import { bytesToBigint, bytesToHex, concatBytes, hexToBytes, toWord } from '../../base/bytes.ts'
import { nobleHashes } from '../../base/crypto/hashes.ts'
import type { Address, Hash, MaybePromise } from '../../base/types.ts'
import { resumeToEnd, Suspended, type Yielder } from '../../base/waiting.ts'
import type { Log, Withdrawal } from '../../ethereum/block.ts'
import { DAO_REFUND, daoAccounts, daoForkBlock } from '../../ethereum/daoFork.ts'
import { InvalidBlockError } from '../../ethereum/errors.ts'
import type { BlockEnv, Executor, SystemCallResult } from '../../ethereum/evm/executor.ts'
import type { ForkRules } from '../../ethereum/forks.ts'
import type { Header } from '../../ethereum/header.ts'
import { readCode } from '../../ethereum/state/account.ts'
import type { Overlay } from '../../ethereum/state/overlay.ts'
import {
  BEACON_ROOTS,
  BLOCK_HASHES,
  CONSOLIDATION_REQUESTS,
  WITHDRAWAL_REQUESTS,
} from '../../ethereum/systemContracts.ts'
import { NO_DATA } from '../../ethereum/transaction.ts'
import { InvalidDepositLogError } from './errors.ts'

/** How many entries each ring buffer has: by timestamp in EIP-4788, by block number in EIP-2935. */
const RING = 8191n

/** Moves the DAO's balances (EIP-779), and stores the beacon root (EIP-4788) and the parent's hash (EIP-2935). */
export function beginBlock(env: BlockEnv, parentHash: Hash, beaconRoot: Hash, overlay: Overlay): void {
  const { fork, schedule } = env.rules
  if (env.number === daoForkBlock(schedule)) moveDaoBalances(env, overlay)
  if (fork.cancun && readCode(overlay, BEACON_ROOTS.address).length > 0) {
    const index = env.timestamp % RING
    overlay.setSlot(BEACON_ROOTS.address, toWord(index), env.timestamp)
    overlay.setSlot(BEACON_ROOTS.address, toWord(index + RING), BigInt(beaconRoot))
  }
  if (fork.prague && readCode(overlay, BLOCK_HASHES.address).length > 0) {
    overlay.setSlot(BLOCK_HASHES.address, toWord((env.number - 1n) % RING), BigInt(parentHash))
  }
}

/** Touches missing accounts too: before Spurious Dragon, this creates them, as on mainnet. */
function moveDaoBalances({ rules: { fork } }: BlockEnv, overlay: Overlay): void {
  for (const address of daoAccounts()) {
    const balance = overlay.account(address)?.balance ?? 0n
    overlay.addBalance(address, -balance)
    overlay.addBalance(DAO_REFUND, balance)
    if (fork.spuriousDragon) overlay.deleteIfEmpty(address)
  }
  if (fork.spuriousDragon) overlay.deleteIfEmpty(DAO_REFUND)
}

/** The contracts called at the end of each block since Prague, for the request types 1 and 2 (EIP-7685). */
export const REQUEST_CONTRACTS = [
  { address: WITHDRAWAL_REQUESTS.address, name: 'the withdrawal request contract (EIP-7002)' },
  { address: CONSOLIDATION_REQUESTS.address, name: 'the consolidation request contract (EIP-7251)' },
]

type RequestContract = (typeof REQUEST_CONTRACTS)[number]

/** @throws InvalidBlockError if a request contract has no code or its call failed, which makes the block invalid. */
export function checkRequestCall({ address, name }: RequestContract, result?: SystemCallResult): void {
  if (result === undefined) throw new InvalidBlockError(`${name} at ${address} has no code`)
  if (result.error !== undefined) {
    throw new InvalidBlockError(`the call of ${name} at ${address} failed: ${result.error}`)
  }
}

/**
 * Calls the request contracts at the end of a block, and returns its requests (EIP-7685): for each type that has any, a
 * byte with the type and then the requests. Returns a promise only if a call was suspended.
 *
 * @param check - called with the result of each call. By default a contract may lack code, or fail.
 */
export function endBlock(
  env: BlockEnv,
  deposits: Uint8Array,
  executor: Executor,
  overlay: Overlay,
  pause: Yielder,
  check?: typeof checkRequestCall,
): MaybePromise<readonly Uint8Array[]> {
  if (!env.rules.fork.prague) return NO_REQUESTS
  const requests: Uint8Array[] = []
  const add = (type: number, data: Uint8Array): void => {
    if (data.length > 0) requests.push(concatBytes(Uint8Array.of(type), data))
  }
  add(0, deposits)
  const callFrom = (type: number): MaybePromise<readonly Uint8Array[]> => {
    const contract = REQUEST_CONTRACTS[type - 1]
    if (contract === undefined) return requests
    const collect = (result: SystemCallResult | undefined) => {
      check?.(contract, result)
      if (result !== undefined) add(type, result.output)
      return callFrom(type + 1)
    }
    const call = executor.systemCall(contract.address, NO_DATA, env, overlay, pause)
    return call instanceof Suspended ? resumeToEnd(call, pause).then(collect) : collect(call)
  }
  return callFrom(1)
}

const NO_REQUESTS: readonly Uint8Array[] = []

/** Returns the requests hash (EIP-7685); undefined without requests. @throws Missing until SHA-256 is loaded. */
export function requestsHash(requests: readonly Uint8Array[]): Hash | undefined {
  if (requests.length === 0) return undefined
  const { sha256 } = nobleHashes()
  return bytesToHex(sha256(concatBytes(...requests.map((one) => sha256(one)))))
}

const GWEI = 10n ** 9n

/** Credits the withdrawals of a block (EIP-4895). */
export function payWithdrawals(withdrawals: readonly Withdrawal[], overlay: Overlay): void {
  for (const { address, amount } of withdrawals) {
    if (amount > 0n) overlay.addBalance(address, amount * GWEI)
    else overlay.deleteIfEmpty(address)
  }
}

const ETHER = 10n ** 18n

/** Returns the reward of a block before the merge, in wei. Each uncle adds 1/32 of the base reward. */
export function blockReward(fork: ForkRules, uncles: number): bigint {
  const reward = baseReward(fork)
  return reward + BigInt(uncles) * (reward / 32n)
}

/** Returns the reward of an uncle in block `number`, in wei. */
export function uncleReward(fork: ForkRules, uncle: Pick<Header, 'number'>, number: bigint): bigint {
  return ((8n + uncle.number - number) * baseReward(fork)) / 8n
}

function baseReward(fork: ForkRules): bigint {
  return (fork.constantinople ? 2n : fork.byzantium ? 3n : 5n) * ETHER
}

/** Pays the rewards of a block and its uncles before the merge (Yellow Paper, 11.3; EIPs 649, 1234, 3675). */
export function payRewards(
  { rules: { fork }, coinbase, number }: BlockEnv,
  uncles: readonly Pick<Header, 'miner' | 'number'>[],
  overlay: Overlay,
): void {
  if (fork.paris) return
  for (const uncle of uncles) overlay.addBalance(uncle.miner, uncleReward(fork, uncle, number))
  overlay.addBalance(coinbase, blockReward(fork, uncles.length))
}

/** keccak256 of `DepositEvent(bytes,bytes,bytes,bytes,bytes)`. */
const DEPOSIT_TOPIC: Hash = '0x649bbc62d0e31342afea4e5cd82d4049e7e1ee912fc0889aa790803be39038c5'

/** The result of {@link depositsOf} for logs without deposits. */
export const NO_DEPOSITS: Uint8Array = new Uint8Array(0)

/** The lengths of a deposit's pubkey, withdrawal credentials, amount, signature and index (EIP-6110). */
const DEPOSIT_FIELDS = [48, 32, 8, 96, 8] as const

/** Concatenates the deposit requests in logs. @throws InvalidDepositLogError for an event with an unknown layout. */
export function depositsOf(logs: readonly Log[], depositContract: Address): Uint8Array {
  let deposits: Uint8Array[] | undefined
  for (const { address, topics, data } of logs) {
    if (address !== depositContract || topics[0] !== DEPOSIT_TOPIC) continue
    deposits ??= []
    deposits.push(parseDeposit(hexToBytes(data)))
  }
  return deposits === undefined ? NO_DEPOSITS : concatBytes(...deposits)
}

function parseDeposit(data: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = []
  let offset = 32 * DEPOSIT_FIELDS.length
  for (const [i, length] of DEPOSIT_FIELDS.entries()) {
    const padded = Math.ceil(length / 32) * 32
    const word = (at: number) => bytesToBigint(data.subarray(at, at + 32))
    if (data.length < offset + 32 + padded) throw new InvalidDepositLogError()
    if (word(32 * i) !== BigInt(offset) || word(offset) !== BigInt(length)) throw new InvalidDepositLogError()
    parts.push(data.subarray(offset + 32, offset + 32 + length))
    offset += 32 + padded
  }
  if (data.length !== offset) throw new InvalidDepositLogError()
  return concatBytes(...parts)
}
