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

/** What a wallet permits (EIP-2255). */
export interface RpcPermission {
  /** Who may; the chain tells nobody from another. */
  readonly invoker: string
  readonly parentCapability: 'eth_accounts'
  readonly caveats: readonly [
    { readonly type: 'restrictReturnedAccounts'; readonly value: readonly Address[] },
  ]
}

/** The answer to a batch of calls that was sent (EIP-5792). */
export interface RpcCallsSent {
  /** By which its status is asked for. */
  readonly id: string
}

/** The receipt of a batch's transaction, as far as EIP-5792 shows it. */
export interface RpcCallReceipt
  extends Pick<RpcReceipt, 'status' | 'blockHash' | 'blockNumber' | 'gasUsed' | 'transactionHash'> {
  readonly logs: readonly Pick<RpcLog, 'address' | 'data' | 'topics'>[]
}

/** What has become of a batch of calls (EIP-5792). */
export interface RpcCallsStatus {
  readonly version: '2.0.0'
  readonly id: string
  readonly chainId: Hex
  /** 100 it waits, 200 all of it succeeded, 400 it was dropped, 500 it reverted and nothing is left, 600 some is. */
  readonly status: 100 | 200 | 400 | 500 | 600
  /** Whether all of it takes effect in one block, or nothing. */
  readonly atomic: boolean
  /** One per transaction that is included, which is one per call. */
  readonly receipts?: readonly RpcCallReceipt[]
}

/** What a wallet is capable of (EIP-5792), by chain. */
export type RpcCapabilities = Readonly<Record<Hex, { readonly atomic: { readonly status: 'supported' } }>>

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
  /** The data of its revert, of a transaction that reverted; with the option `revertReason`, as Besu shows it. */
  readonly revertReason?: Hex
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

/** The header of an uncle: a block that did not become part of the chain, and is given without transactions. */
export type RpcUncle = Omit<RpcBlock<never>, 'transactions' | 'totalDifficulty' | 'withdrawals'>

/** A slot with the trie nodes that prove its value, or that it has none (EIP-1186). */
export interface RpcStorageProof {
  /** As it was asked for: in 32 bytes, or as a quantity. */
  readonly key: Hex
  readonly value: Hex
  readonly proof: readonly Hex[]
}

/** An account and some of its slots, with the trie nodes from the root down that prove them (EIP-1186). */
export interface RpcAccountProof {
  readonly address: Address
  readonly accountProof: readonly Hex[]
  readonly balance: Hex
  readonly codeHash: Hash
  readonly nonce: Hex
  readonly storageHash: Hash
  readonly storageProof: readonly RpcStorageProof[]
}

/** The access list of a call, and the gas it uses with that. */
export interface RpcAccessList {
  readonly accessList: readonly AccessListEntry[]
  readonly gasUsed: Hex
  /** Why the call failed. */
  readonly error?: string
}

/** A transaction with everything filled in but the signature, whose fields are zero. */
export interface RpcFilledTransaction {
  /** The envelope (EIP-2718) without a signature. */
  readonly raw: Hex
  readonly tx: Omit<
    RpcTransaction,
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

/** A block of eth_simulateV1 (spec.md §2.7; execution-apis): as if it had been sealed, and what its calls came to. */
export type SimulatedRpcBlock = RpcBlock & { readonly calls: readonly SimulatedRpcCall[] }

/** What one call of eth_simulateV1 came to. */
export interface SimulatedRpcCall {
  /** `0x1` for success. */
  readonly status: Hex
  /** What the call returned; in the preconf dialect also the output of a revert. */
  readonly returnData: Hex
  readonly gasUsed: Hex
  /** Gas used before refunds. */
  readonly maxUsedGas: Hex
  /** With `traceTransfers` also one per transfer of ether, under the address `0xee…ee`. */
  readonly logs: readonly RpcLog[]
  /** Why it failed: in the preconf dialect `execution reverted` or the EVM's name for it, else go-ethereum's object. */
  readonly error?: string | { readonly code: number; readonly message: string; readonly data?: Hex }
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

/**
 * Why a transaction left the mempool without being included; `reverted` where a call of the batch it belongs to did.
 */
export type DropReason = 'replaced' | 'evicted' | 'nonce' | 'funds' | 'invalid' | 'removed' | 'reverted'

/**
 * Why something that was sealed or pre-confirmed was withdrawn: a return to a snapshot or to genesis, blocks imported
 * in its place, a change of what the block under construction is made from, a reorganisation, because it was asked for,
 * or by a fault that is on.
 */
export type RetractionReason = 'revert' | 'reset' | 'import' | 'cheat' | 'reorg' | 'retract' | 'fault'

/** What was withdrawn; all of it comes before the events of what takes its place. */
export interface Retracted {
  readonly reason: RetractionReason
  /** Hashes of the snapshots of the block under construction that are withdrawn, oldest first. */
  readonly snapshots: readonly Hash[]
  /** Hashes of the sealed blocks that are withdrawn, newest first. */
  readonly blocks: readonly Hash[]
  /** Hashes of the transactions that were included, sealed or pre-confirmed, and are not any more. */
  readonly transactions: readonly Hash[]
}

/** What a contract said by `console.log` of Hardhat's or Foundry's console.sol, in a frame that reverted too. */
export interface ConsoleLog {
  /** The arguments as one text. */
  readonly message: string
  readonly args: readonly (string | bigint | boolean)[]
  /** The contract. */
  readonly address: Address
  /** Of the transaction that entered a block, or null in a call, and in an estimate that failed. */
  readonly transactionHash: Hash | null
}

/** What a chain emits, by event name. */
export interface ChainEvents {
  /** A transaction was accepted into the mempool. */
  transaction: (transaction: RpcTransaction) => void
  /** A snapshot was published. */
  preconf: (snapshot: PreconfBlock) => void
  /** A block was sealed or imported. */
  block: (block: SealedBlock) => void
  /**
   * A transaction left the mempool without being included; `message` says what it was refused for, where it was tried,
   * or which fault dropped it.
   */
  dropped: (drop: { readonly hash: Hash; readonly reason: DropReason; readonly message?: string }) => void
  /** What was sealed or pre-confirmed is withdrawn: on request only, faults among it, never by the chain itself. */
  retracted: (retraction: Retracted) => void
  /** A contract said something to the console of Hardhat and Foundry. */
  console: (log: ConsoleLog) => void
  /**
   * A tick or a seal failed, a listener threw, or a request met a fault of this library's. Where nobody listens, the
   * first two surface as an uncaught exception.
   */
  error: (error: Error) => void
}

/** A prefunded account of the chain; the key is for tests only. */
export interface DevAccount {
  readonly address: Address
  readonly privateKey: Hex
}

/** The prefunded accounts of a chain, of which the first is taken for granted: options can leave it out. */
export type DevAccounts = readonly [DevAccount, ...DevAccount[]]

/** Where a transaction stands (design: `chain_transactionStatus`). */
export interface TransactionStatus {
  readonly status: 'Known' | 'Unknown'
  readonly stage?: 'queued' | 'pending' | 'preconfirmed' | 'sealed' | 'dropped' | 'replaced'
}

/** Where a transaction stands, with what a node tells of a drop. */
export interface TransactionProgress extends TransactionStatus {
  /** Why it was dropped, if the node told of it. */
  readonly reason?: DropReason
  /** The error that it was dropped for, if the node told of it. */
  readonly message?: string
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
