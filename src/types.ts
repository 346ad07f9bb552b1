/**
 * The shapes that cross the public API: the wire's JSON objects and the scalars they are made of.
 *
 * Nothing here belongs to an engine; quantities are hex strings without leading zeros, data are hex strings of
 * whole bytes, both lower case (spec.md §2).
 */

/** A hex string with the `0x` prefix. */
export type Hex = `0x${string}`
/** A 20-byte address, lower case. */
export type Address = Hex
/** A 32-byte hash, lower case. */
export type Hash = Hex

/** The two endpoints a chain serves: `standard` sees sealed blocks, `preconf` also the block being built. */
export type ViewKind = 'standard' | 'preconf'

/** A named position on the chain (spec.md §2.1). */
export type BlockTag = 'latest' | 'pending' | 'safe' | 'finalized' | 'earliest'

/** A block by number, tag or hash, or as the object of EIP-1898. */
export type BlockParameter =
  | BlockTag
  | Hex
  | { readonly blockNumber: Hex }
  | { readonly blockHash: Hash; readonly requireCanonical?: boolean }

/** One account of an EIP-2930 access list. */
export interface AccessListEntry {
  readonly address: Address
  readonly storageKeys: readonly Hash[]
}

/** A signed authorisation of an EIP-7702 transaction. */
export interface RpcAuthorization {
  readonly chainId: Hex
  readonly address: Address
  readonly nonce: Hex
  readonly yParity: Hex
  readonly r: Hex
  readonly s: Hex
}

/** A transaction as the wire shows it; the block fields are null while it waits in the mempool. */
export interface RpcTransaction {
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
export interface RpcLog {
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
export interface RpcReceipt {
  readonly transactionHash: Hash
  readonly transactionIndex: Hex
  readonly blockHash: Hash
  readonly blockNumber: Hex
  readonly from: Address
  readonly to: Address | null
  readonly cumulativeGasUsed: Hex
  readonly gasUsed: Hex
  readonly contractAddress: Address | null
  readonly logs: readonly RpcLog[]
  readonly logsBloom: Hex
  /** `0x1` for success; absent before Byzantium (EIP-658), in imported blocks. */
  readonly status?: Hex
  /** The state after the transaction; before Byzantium only. */
  readonly root?: Hash
  readonly effectiveGasPrice: Hex
  /** Blob transactions only (EIP-4844). */
  readonly blobGasUsed?: Hex
  /** Wei per blob gas; blob transactions only. */
  readonly blobGasPrice?: Hex
  readonly type: Hex
}

/** Ether that comes from the beacon chain (EIP-4895). */
export interface RpcWithdrawal {
  readonly index: Hex
  readonly validatorIndex: Hex
  readonly address: Address
  /** Gwei. */
  readonly amount: Hex
}

/** A block (spec.md §2.5), with transaction hashes or whole transactions. */
export interface RpcBlock<Transaction = Hash | RpcTransaction> {
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
  readonly withdrawals?: readonly RpcWithdrawal[]
  readonly withdrawalsRoot?: Hash
  /** Absent before London, in imported blocks. */
  readonly baseFeePerGas?: Hex
  readonly blobGasUsed?: Hex
  readonly excessBlobGas?: Hex
  readonly parentBeaconBlockRoot?: Hash
  readonly requestsHash?: Hash
}

/** The empty candidate that `pending` names on the standard view: not a block yet, so no number and no hash. */
export type RpcPendingBlock = Omit<RpcBlock<never>, 'number' | 'hash'> & {
  readonly number: null
  readonly hash: null
}

/** A snapshot of the block under construction, published once per tick. */
export interface PreconfBlock {
  /** Position of the snapshot within its block: 0 right after the previous seal. */
  readonly index: number
  /** The partial block with whole transactions; its hash is the header's at this index. */
  readonly block: RpcBlock<RpcTransaction>
  /** One receipt per transaction, in order. */
  readonly receipts: readonly RpcReceipt[]
  /** Index of the first transaction that was not in the snapshot before. */
  readonly added: number
}

/** A sealed block with its receipts. */
export interface SealedBlock {
  readonly block: RpcBlock<RpcTransaction>
  readonly receipts: readonly RpcReceipt[]
}

/** Why a transaction left the mempool without being included. */
export type DropReason = 'replaced' | 'evicted' | 'nonce' | 'funds' | 'invalid' | 'removed'

/** What a chain emits, by event name. */
export interface ChainEvents {
  /** A transaction was accepted into the mempool. */
  transaction: (transaction: RpcTransaction) => void
  /** A snapshot was published. */
  preconf: (snapshot: PreconfBlock) => void
  /** A block was sealed. */
  block: (block: SealedBlock) => void
  /** A transaction left the mempool without being included. */
  dropped: (drop: { readonly hash: Hash; readonly reason: DropReason }) => void
  /**
   * A tick or a seal failed, a listener threw, or a request met a fault of this library's. Where nobody listens, the first
   * two surface as an uncaught exception.
   */
  error: (error: Error) => void
}

/** A prefunded account of the chain; the key is for tests only. */
export interface DevAccount {
  readonly address: Address
  readonly privateKey: Hex
}

/** Where a transaction stands (design: `chain_transactionStatus`). */
export interface TransactionStatus {
  readonly status: 'Known' | 'Unknown'
  readonly stage?: 'queued' | 'pending' | 'preconfirmed' | 'sealed' | 'dropped' | 'replaced'
}

/** How answers are worded: as preseal's specification has it, or as go-ethereum does. */
export type Dialect = 'preconf' | 'geth'

/** The hardforks a chain can start with. */
export type Hardfork = 'paris' | 'shanghai' | 'cancun' | 'prague' | 'osaka'

/** A parsed geth `genesis.json`. */
export interface GethGenesis {
  readonly config: Readonly<Record<string, unknown>> & { readonly chainId: number }
  readonly alloc: Readonly<
    Record<
      string,
      {
        readonly balance?: string
        readonly nonce?: string
        readonly code?: string
        readonly storage?: Readonly<Record<string, string>>
      }
    >
  >
  readonly gasLimit: string
  readonly timestamp?: string
  readonly nonce?: string
  readonly difficulty?: string
  readonly mixHash?: string
  readonly coinbase?: string
  readonly extraData?: string
  readonly baseFeePerGas?: string | null
  readonly excessBlobGas?: string | null
  readonly blobGasUsed?: string | null
}

/** A value, or the promise of one. */
export type MaybePromise<T> = T | Promise<T>
