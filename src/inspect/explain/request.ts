/** What can be explained, and how. */
import type { AccessListEntry, Address, BlockParameter, Hex } from '../../base/types.ts'
import type { Artifacts } from './artifacts.ts'

/** A number, as a bigint, a safe integer or in hex. */
export type Amount = bigint | number | Hex

/** A call to simulate; the fields of `eth_call`. */
export interface ExplainCall {
  readonly from?: Address | undefined
  /** Absent for a creation. */
  readonly to?: Address | null | undefined
  readonly data?: Hex | undefined
  /** Wei. */
  readonly value?: Amount | undefined
  readonly gas?: Amount | undefined
  /** Wei per gas; not allowed together with the two below. */
  readonly gasPrice?: Amount | undefined
  readonly maxFeePerGas?: Amount | undefined
  readonly maxPriorityFeePerGas?: Amount | undefined
  readonly nonce?: Amount | undefined
  readonly accessList?: readonly AccessListEntry[] | undefined
}

/** Options of `chain.explain`. */
export interface ExplainOptions {
  /**
   * Artifacts of Hardhat, Foundry or viem, ABIs, or build info; by default none, and all stays hex. They are read once per
   * object.
   */
  readonly artifacts?: Artifacts | undefined
  /** Whether storage writes are shown; the execution takes several times as long then. Default: false. */
  readonly storage?: boolean | undefined
  /** The block on whose state a call is simulated; default: `'pending'`, the block under construction. */
  readonly block?: BlockParameter | bigint | number | undefined
  /** The most calls, events and writes that are kept; default: 10,000. The others are counted. */
  readonly maxItems?: number | undefined
}
