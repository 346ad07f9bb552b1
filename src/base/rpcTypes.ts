/**
 * JSON objects of the wire (spec.md §2): quantities are hex strings without leading zeros, data are hex strings of
 * whole bytes; both are lower case.
 */
import type { AccessListEntry, Address, Hash, Hex } from './types.ts'

/** A permission of a wallet (EIP-2255). */
export interface PresealRpcPermission {
  /** The page or program with the permission; the chain does not distinguish them. */
  readonly invoker: string
  readonly parentCapability: 'eth_accounts'
  readonly caveats: readonly [
    { readonly type: 'restrictReturnedAccounts'; readonly value: readonly Address[] },
  ]
}

/** The result of wallet_sendCalls (EIP-5792). */
export interface RpcCallsSent {
  /** The batch's id, for wallet_getCallsStatus. */
  readonly id: string
}

/** The receipt of a batch's transaction, with the fields of EIP-5792. */
export interface PresealRpcCallReceipt
  extends Pick<PresealRpcReceipt, 'status' | 'blockHash' | 'blockNumber' | 'gasUsed' | 'transactionHash'> {
  readonly logs: readonly Pick<PresealRpcLog, 'address' | 'data' | 'topics'>[]
}

/** The status of a batch of calls (EIP-5792). */
export interface PresealRpcCallsStatus {
  readonly version: '2.0.0'
  readonly id: string
  readonly chainId: Hex
  /** 100: pending, 200: all succeeded, 400: dropped, 500: reverted completely, 600: reverted or dropped in part. */
  readonly status: 100 | 200 | 400 | 500 | 600
  /** Whether the calls are a bundle: all take effect, in one block, or none does. */
  readonly atomic: boolean
  /** One per included transaction; each call is a transaction. */
  readonly receipts?: readonly PresealRpcCallReceipt[]
}

/** The capabilities of a wallet (EIP-5792) by chain id. */
export type RpcCapabilities = Readonly<Record<Hex, { readonly atomic: { readonly status: 'supported' } }>>

/** A signed authorisation of an EIP-7702 transaction. */
export interface RpcAuthorization {
  readonly chainId: Hex
  readonly address: Address
  readonly nonce: Hex
  readonly yParity: Hex
  readonly r: Hex
  readonly s: Hex
}

/** A transaction; the block fields are null while it waits in the mempool. */
export interface PresealRpcTransaction {
  readonly hash: Hash
  readonly type: Hex
  readonly nonce: Hex
  readonly from: Address
  readonly to: Address | null
  readonly value: Hex
  readonly gas: Hex
  readonly gasPrice: Hex
  readonly maxFeePerGas?: Hex
  readonly maxPriorityFeePerGas?: Hex
  readonly maxFeePerBlobGas?: Hex
  readonly blobVersionedHashes?: readonly Hash[]
  readonly input: Hex
  readonly accessList?: readonly AccessListEntry[]
  readonly authorizationList?: readonly RpcAuthorization[]
  readonly chainId?: Hex
  readonly v: Hex
  readonly r: Hex
  readonly s: Hex
  readonly yParity?: Hex
  readonly blockHash: Hash | null
  readonly blockNumber: Hex | null
  readonly blockTimestamp?: Hex
  readonly transactionIndex: Hex | null
}

/** An event log (spec.md §2.4). */
export interface PresealRpcLog {
  readonly address: Address
  readonly topics: readonly Hash[]
  readonly data: Hex
  readonly blockNumber: Hex
  readonly blockHash: Hash
  readonly blockTimestamp: Hex
  readonly transactionHash: Hash
  readonly transactionIndex: Hex
  readonly logIndex: Hex
  readonly removed: boolean
}

/** A transaction's receipt (spec.md §2.6). */
export interface PresealRpcReceipt {
  readonly transactionHash: Hash
  readonly transactionIndex: Hex
  readonly blockHash: Hash
  readonly blockNumber: Hex
  readonly from: Address
  readonly to: Address | null
  readonly cumulativeGasUsed: Hex
  readonly gasUsed: Hex
  readonly contractAddress: Address | null
  readonly logs: readonly PresealRpcLog[]
  readonly logsBloom: Hex
  /** `0x1` for success; absent before Byzantium (EIP-658), in imported blocks. */
  readonly status?: Hex
  /** The state root after the transaction; before Byzantium only. */
  readonly root?: Hash
  readonly effectiveGasPrice: Hex
  /** The revert data, as in Besu; only with the option `revertReason`. */
  readonly revertReason?: Hex
  /** Blob transactions only (EIP-4844). */
  readonly blobGasUsed?: Hex
  /** Wei per blob gas; blob transactions only. */
  readonly blobGasPrice?: Hex
  readonly type: Hex
}

/** A withdrawal from the beacon chain (EIP-4895). */
export interface PresealRpcWithdrawal {
  readonly index: Hex
  readonly validatorIndex: Hex
  readonly address: Address
  /** Gwei. */
  readonly amount: Hex
}

/** A block (spec.md §2.5), with transaction hashes or full transactions. */
export interface PresealRpcBlock<Transaction = Hash | PresealRpcTransaction> {
  readonly number: Hex
  readonly hash: Hash
  readonly parentHash: Hash
  readonly nonce: Hex
  readonly sha3Uncles: Hash
  readonly logsBloom: Hex
  readonly transactionsRoot: Hash
  readonly stateRoot: Hash
  readonly receiptsRoot: Hash
  readonly miner: Address
  readonly difficulty: Hex
  /** Absent in the geth dialect. */
  readonly totalDifficulty?: Hex
  readonly extraData: Hex
  readonly size: Hex
  readonly gasLimit: Hex
  readonly gasUsed: Hex
  readonly timestamp: Hex
  readonly mixHash: Hash
  readonly transactions: readonly Transaction[]
  readonly uncles: readonly Hash[]
  readonly withdrawals?: readonly PresealRpcWithdrawal[]
  readonly withdrawalsRoot?: Hash
  /** Absent before London, in imported blocks. */
  readonly baseFeePerGas?: Hex
  readonly blobGasUsed?: Hex
  readonly excessBlobGas?: Hex
  readonly parentBeaconBlockRoot?: Hash
  readonly requestsHash?: Hash
}

/** The empty candidate that `pending` names on the standard view, without number and hash. */
export type PresealRpcPendingBlock = Omit<PresealRpcBlock<never>, 'number' | 'hash'> & {
  readonly number: null
  readonly hash: null
}

/** The header of an uncle, a block that did not become part of the chain, without transactions. */
export type PresealRpcUncle = Omit<PresealRpcBlock<never>, 'transactions' | 'totalDifficulty' | 'withdrawals'>

/** A slot with the trie nodes that prove its value or its absence (EIP-1186). */
export interface PresealRpcStorageProof {
  /** The key as requested: in 32 bytes, or as a quantity. */
  readonly key: Hex
  readonly value: Hex
  readonly proof: readonly Hex[]
}

/** An account and some of its slots, with the trie nodes from the root down that prove them (EIP-1186). */
export interface PresealRpcAccountProof {
  readonly address: Address
  readonly accountProof: readonly Hex[]
  readonly balance: Hex
  readonly codeHash: Hash
  readonly nonce: Hex
  readonly storageHash: Hash
  readonly storageProof: readonly PresealRpcStorageProof[]
}

/** The access list of a call, and the gas that the call uses with it. */
export interface RpcAccessList {
  readonly accessList: readonly AccessListEntry[]
  readonly gasUsed: Hex
  /** Why the call failed; absent if it succeeded. */
  readonly error?: string
}

/** A transaction with every field filled in; the signature's fields are zero. */
export interface PresealRpcFilledTransaction {
  /** The envelope (EIP-2718) without a signature. */
  readonly raw: Hex
  readonly tx: Omit<
    PresealRpcTransaction,
    | 'gasPrice'
    | 'maxFeePerGas'
    | 'maxPriorityFeePerGas'
    | 'blockHash'
    | 'blockNumber'
    | 'blockTimestamp'
    | 'transactionIndex'
  > & {
    /** Null from type 2 on. */
    readonly gasPrice: Hex | null
    /** Null below type 2. */
    readonly maxFeePerGas: Hex | null
    /** Null below type 2. */
    readonly maxPriorityFeePerGas: Hex | null
  }
}

/** A block of eth_simulateV1 (spec.md §2.7; execution-apis) as if it were sealed, with the results of its calls. */
export type SimulatedRpcBlock = PresealRpcBlock & { readonly calls: readonly SimulatedRpcCall[] }

/** The result of one call of eth_simulateV1. */
export interface SimulatedRpcCall {
  /** `0x1` for success. */
  readonly status: Hex
  /** The return data; in the preconf dialect also the output of a revert. */
  readonly returnData: Hex
  readonly gasUsed: Hex
  /** Gas used before refunds. */
  readonly maxUsedGas: Hex
  /** With `traceTransfers` also one per ether transfer, under the address `0xee…ee`. */
  readonly logs: readonly PresealRpcLog[]
  /** Why it failed: in the preconf dialect a message such as `execution reverted`, otherwise go-ethereum's object. */
  readonly error?: string | { readonly code: number; readonly message: string; readonly data?: Hex }
}

/** The configuration of a fork (EIP-7910). */
export interface RpcForkConfig {
  /** Unix time in seconds; 0 if the fork is active at genesis. */
  readonly activationTime: number
  /** The blobs of a block (EIP-7840); null before Cancun. */
  readonly blobSchedule: {
    readonly target: number
    readonly max: number
    readonly baseFeeUpdateFraction: number
  } | null
  readonly chainId: Hex
  /** The hash of EIP-6122's fork id. */
  readonly forkId: Hex
  /** The addresses of the precompiles by name. */
  readonly precompiles: Readonly<Record<string, Address>>
  /** The addresses of the system contracts by name. */
  readonly systemContracts: Readonly<Record<string, Address>>
}

/** The result of eth_config: the active, the next and the last scheduled fork; null if there is none. */
export interface RpcChainConfig {
  readonly current: RpcForkConfig | null
  readonly next: RpcForkConfig | null
  readonly last: RpcForkConfig | null
}

/** How far back a chain serves a kind of data. */
export interface RpcHistory {
  /** True if the chain does not serve this data at all. */
  readonly disabled: boolean
  readonly oldestBlock?: Hex
  /** The number of blocks kept; absent if none is removed. */
  readonly deleteStrategy?: { readonly type: 'window'; readonly retentionBlocks: Hex }
}

/** The result of eth_capabilities. */
export interface RpcChainCapabilities {
  readonly head: { readonly number: Hex; readonly hash: Hash }
  readonly state: RpcHistory
  readonly tx: RpcHistory
  readonly logs: RpcHistory
  readonly receipts: RpcHistory
  readonly blocks: RpcHistory
  readonly stateproofs: RpcHistory
}

/** An execution payload of the engine API, without fields of later forks. */
export interface RpcExecutionPayload {
  readonly parentHash: Hash
  readonly feeRecipient: Address
  readonly stateRoot: Hash
  readonly receiptsRoot: Hash
  readonly logsBloom: Hex
  readonly prevRandao: Hash
  readonly blockNumber: Hex
  readonly gasLimit: Hex
  readonly gasUsed: Hex
  readonly timestamp: Hex
  readonly extraData: Hex
  readonly baseFeePerGas: Hex
  readonly blockHash: Hash
  /** Signed transactions (EIP-2718). */
  readonly transactions: readonly Hex[]
  readonly withdrawals?: readonly PresealRpcWithdrawal[]
  readonly blobGasUsed?: Hex
  readonly excessBlobGas?: Hex
}

/** The result of testing_buildBlockV1. */
export interface RpcBuiltBlock {
  readonly executionPayload: RpcExecutionPayload
  /** The fee recipient's earnings, in wei. */
  readonly blockValue: Hex
  /** The blobs of transactions given with their sidecars. */
  readonly blobsBundle: {
    readonly commitments: readonly Hex[]
    readonly proofs: readonly Hex[]
    readonly blobs: readonly Hex[]
  }
  /** The requests (EIP-7685): a type byte and the data. */
  readonly executionRequests: readonly Hex[]
  readonly shouldOverrideBuilder: false
}
