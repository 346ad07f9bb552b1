/** The results of Otterscan's methods on the wire. */
import type { PresealRpcBlock, PresealRpcReceipt, PresealRpcTransaction } from '../../base/rpcTypes.ts'
import type { Address, Hash, Hex } from '../../base/types.ts'
import type { CallTrace } from '../../core/trace/shapes.ts'

/** A transfer of ether, a SELFDESTRUCT (1), a CREATE (2) or a CREATE2 (3) within a transaction; transfers are 0. */
export interface OtterscanOperation {
  readonly type: 0 | 1 | 2 | 3
  readonly from: Address
  /** The receiver, the created contract, or the beneficiary of a SELFDESTRUCT; null if a creation has no address. */
  readonly to: Address | null
  /** Wei. */
  readonly value: Hex
}

/** One frame of a transaction. */
export interface OtterscanTrace {
  readonly type: CallTrace['type']
  /** 0 in the outermost frame. */
  readonly depth: number
  readonly from: Address
  readonly to: Address | null
  /** Wei; null for STATICCALL and DELEGATECALL, which transfer none. */
  readonly value: Hex | null
  readonly input: Hex
  readonly output: Hex
}

/** A block with the number of its transactions, and without its bloom. */
export type OtterscanBlock = Omit<PresealRpcBlock, 'transactions' | 'logsBloom'> & {
  readonly transactionCount: number
  readonly logsBloom: null
}

/** A block without its transactions, what it paid, and what was paid for it. */
export interface OtterscanBlockDetails {
  readonly block: OtterscanBlock
  /** Wei that the block created; zero since the merge. */
  readonly issuance: { readonly blockReward: Hex; readonly uncleReward: Hex; readonly issuance: Hex }
  /** Wei that senders paid for gas, the base fee included. */
  readonly totalFees: Hex
}

/** A receipt without its logs. */
export type OtterscanReceipt = Omit<PresealRpcReceipt, 'logs' | 'logsBloom'> & {
  readonly logs: null
  readonly logsBloom: null
}

/** A page of a block's transactions, whose input is its first four bytes, and their receipts. */
export interface OtterscanBlockTransactions {
  readonly fullblock: OtterscanBlock & { readonly transactions: readonly PresealRpcTransaction[] }
  readonly receipts: readonly OtterscanReceipt[]
}

/** A page of the transactions of an address, the newest first, and their receipts. */
export interface OtterscanTransactions {
  readonly txs: readonly PresealRpcTransaction[]
  /** Each with the Unix time of its block in seconds. */
  readonly receipts: readonly (PresealRpcReceipt & { readonly timestamp: number })[]
  /** Whether there are no newer ones. */
  readonly firstPage: boolean
  /** Whether there are no older ones. */
  readonly lastPage: boolean
}

/** The creation of a contract. */
export interface OtterscanContractCreator {
  /** The transaction. */
  readonly hash: Hash
  /** The account that created it: the sender, or another contract. */
  readonly creator: Address
}
