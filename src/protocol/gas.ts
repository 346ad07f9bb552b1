/** The gas a transaction costs before its first instruction; pure functions of the transaction and the fork. */
import type { TxEnv } from './transaction.ts'

/** The hardforks that change what executing or encoding a block means, in order. */
export const FORKS = [
  'homestead',
  'spuriousDragon',
  'byzantium',
  'constantinople',
  'istanbul',
  'berlin',
  'london',
  'paris',
  'shanghai',
  'cancun',
  'prague',
  'osaka',
] as const

/** Which of the {@link FORKS} are active. */
export type ForkRules = Readonly<Record<(typeof FORKS)[number], boolean>>

/** The most gas one transaction may ask for from Osaka on (EIP-7825). */
export const MAX_TRANSACTION_GAS = 16_777_216n

/** The longest init code of a creation from Shanghai on, in bytes (EIP-3860), unless the chain lifts that. */
export const MAX_INIT_CODE_SIZE = 49_152

const TRANSACTION = 21_000
const CREATION = 32_000
const INIT_CODE_WORD = 2
const DATA_TOKEN = 4
/** What a byte of data other than zero cost before EIP-2028, beyond its four tokens. */
const FRONTIER_DATA = 52
const FLOOR_TOKEN = 10
const ACCESS_LIST_ADDRESS = 2_400
const ACCESS_LIST_KEY = 1_900
const AUTHORIZATION = 25_000

/** A transaction as far as its gas before execution depends on it. */
export type GasFields = Pick<TxEnv, 'to' | 'data' | 'accessList' | 'authorizationList'>

/** Gas that is used up before the first instruction runs, and the least that is paid in the end. */
export interface UpfrontGas {
  readonly intrinsic: bigint
  readonly floor: bigint
}

/** What a gas limit must cover at least. */
export function upfrontGas(tx: GasFields, fork: ForkRules): UpfrontGas {
  return { intrinsic: intrinsicGas(tx, fork), floor: floorGas(tx, fork) }
}

/**
 * The gas charged before execution: base, creation, data, access list, authorisations (EIPs 2, 2028, 2930, 3860, 7702).
 */
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

/** The least gas the data makes a transaction pay, whatever it executes (EIP-7623); zero before Prague. */
export function floorGas(tx: Pick<TxEnv, 'data'>, fork: ForkRules): bigint {
  return fork.prague ? BigInt(TRANSACTION + FLOOR_TOKEN * tokensOf(tx.data)) : 0n
}

/** One token for a zero byte, four for any other: EIP-7623's unit, a quarter of which prices EIP-2028's bytes. */
function tokensOf(data: Uint8Array): number {
  let zeros = 0
  for (let i = 0; i < data.length; i++) if (data[i] === 0) zeros++
  return 4 * data.length - 3 * zeros
}
