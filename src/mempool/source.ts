/** What a mempool is given: its limits, and where it reads what it does not own. */
import type { Address } from '../primitives/types.ts'
import type { AdmissionRules } from './validate.ts'

/** The limits and the order of a mempool. */
export interface MempoolOptions {
  /** Waiting transactions in all; at least 1. */
  readonly maxTransactions: number
  /** Waiting transactions of one sender; at least 1. */
  readonly maxPerSender: number
  /** By how many whole percent a replacement raises both fee fields, and between blob transactions all three. */
  readonly priceBump: number
  /** What `best` offers first: the highest effective tip, or the earliest arrival. */
  readonly ordering: 'fees' | 'fifo'
}

/** Where the mempool reads what it does not own; every function answers for the preconf tip of that moment. */
export interface MempoolSource {
  nonceOf(address: Address): bigint
  /** Wei. */
  balanceOf(address: Address): bigint
  /** Whether the account has code that is no delegation (EIP-3607). */
  isContract(address: Address): boolean
  /** Wei per gas of the block the next tick builds; zero means there is none. */
  nextBaseFee(): bigint
  /** Wei per blob gas of that block (EIP-4844); zero before Cancun. */
  nextBlobBaseFee(): bigint
  /** The rules of that block. */
  rules(): Omit<AdmissionRules, 'baseFee'>
}
