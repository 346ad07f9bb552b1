/** The inputs of a mempool: its limits, and the source it reads account state, fees and rules from. */
import type { Address } from '../../base/types.ts'
import type { AdmissionRules } from './validate.ts'

/** The limits and the order of a mempool. */
export interface MempoolOptions {
  /** Waiting transactions in all; at least 1. */
  readonly maxTransactions: number
  /** Waiting transactions of one sender; at least 1. */
  readonly maxPerSender: number
  /** Whole percent by which a replacement must raise both fee fields, and between blob transactions all three. */
  readonly priceBump: number
  /** What `best` offers first: the highest effective tip, or the earliest arrival. */
  readonly ordering: 'fees' | 'fifo'
}

/** The account state, fees and rules that the mempool reads; every function reads the current preconf tip. */
export interface MempoolSource {
  nonceOf(address: Address): bigint
  /** Wei. */
  balanceOf(address: Address): bigint
  /** Whether the account has code other than a delegation (EIP-3607). */
  isContract(address: Address): boolean
  /** Wei per gas of the block that the next tick builds; zero if it has no base fee. */
  nextBaseFee(): bigint
  /** Wei per blob gas of that block (EIP-4844); zero before Cancun. */
  nextBlobBaseFee(): bigint
  /** The rules of that block. */
  rules(): Omit<AdmissionRules, 'baseFee'>
}
