/** The gas charged before a transaction's first instruction: pure functions of the transaction and the fork. */
import type { ForkRules } from './forks.ts'
import type { TxEnv } from './transaction.ts'

const TRANSACTION = 21_000
const CREATION = 32_000
const INIT_CODE_WORD = 2
const DATA_TOKEN = 4
/** How much more a nonzero byte of data cost before EIP-2028: 68 instead of 16. */
const FRONTIER_DATA = 52
const FLOOR_TOKEN = 10
const ACCESS_LIST_ADDRESS = 2_400
const ACCESS_LIST_KEY = 1_900
const AUTHORIZATION = 25_000

/** The fields of a transaction that its gas depends on. */
export type GasFields = Pick<TxEnv, 'to' | 'data' | 'accessList' | 'authorizationList'>

/** The gas charged before the first instruction, and the minimum that a transaction pays in total. */
export interface UpfrontGas {
  readonly intrinsic: bigint
  readonly floor: bigint
}

/** The gas that a transaction's gas limit must cover. */
export function upfrontGas(tx: GasFields, fork: ForkRules): UpfrontGas {
  return { intrinsic: intrinsicGas(tx, fork), floor: floorGas(tx, fork) }
}

/** The base price and the gas for creation, data, access list and authorisations (EIPs 2, 2028, 2930, 3860, 7702). */
export function intrinsicGas(tx: GasFields, fork: ForkRules): bigint {
  const tokens = tokensOf(tx.data)
  let gas = TRANSACTION + DATA_TOKEN * tokens
  if (!fork.istanbul) gas += (FRONTIER_DATA * (tokens - tx.data.length)) / 3
  if (tx.to === null) {
    if (fork.homestead) gas += CREATION
    if (fork.shanghai) gas += INIT_CODE_WORD * Math.ceil(tx.data.length / 32)
  }
  if (tx.accessList) {
    for (const entry of tx.accessList) gas += ACCESS_LIST_ADDRESS + ACCESS_LIST_KEY * entry.storageKeys.length
  }
  if (tx.authorizationList) gas += AUTHORIZATION * tx.authorizationList.length
  return BigInt(gas)
}

/** The minimum gas for a transaction's data, whatever it executes (EIP-7623); zero before Prague. */
export function floorGas(tx: Pick<TxEnv, 'data'>, fork: ForkRules): bigint {
  return fork.prague ? BigInt(TRANSACTION + FLOOR_TOKEN * tokensOf(tx.data)) : 0n
}

/** EIP-7623 tokens: 1 per zero byte, 4 per nonzero byte. At 4 gas each they give EIP-2028's prices. */
function tokensOf(data: Uint8Array): number {
  let zeros = 0
  for (let i = 0; i < data.length; i++) if (data[i] === 0) zeros++
  return 4 * data.length - 3 * zeros
}
