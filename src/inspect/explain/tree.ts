/** The shapes of explanations: plain data, in which only amounts are bigints. */

import type { DropReason } from '../../base/eventTypes.ts'
import type { SolidityTrace } from '../../base/solidityTrace.ts'
import type { AccessListEntry, Address, BlockParameter, Hash, Hex } from '../../base/types.ts'
import type { FrameType } from '../../ethereum/evm/executor.ts'
import type { Artifacts } from './artifacts.ts'

/** The value of an argument: hex for bytes and addresses, a list for arrays, and arguments for the fields of a struct. */
export type ArgumentValue = bigint | boolean | string | readonly ArgumentValue[] | readonly Argument[]

/** A decoded argument, return value or field. */
export interface Argument {
  /** Empty if the ABI has none. */
  readonly name: string
  /** The type in the ABI, such as `uint256` or `tuple[]`. */
  readonly type: string
  readonly value: ArgumentValue
  /** Whether the value is the hash of a dynamic one, which is all that an indexed parameter of an event has. */
  readonly isHash?: boolean
}

/** A function, an event or an error, with its arguments. */
export interface Decoded {
  readonly name: string
  /** Such as `transfer(address,uint256)`. */
  readonly signature: string
  readonly args: readonly Argument[]
}

/** How a frame ended, in forge's words: `Stop`, `Return`, `Revert`, `SelfDestruct`, or an error such as `OutOfGas`. */
export type FrameResult = string

/** A call or a creation, with what happened in it. */
export interface ExplainedFrame {
  readonly kind: 'frame'
  readonly type: FrameType
  readonly from: Address
  /**
   * The account whose code it runs; for a creation the new account, even if it failed, for a selfdestruct the beneficiary.
   * Absent for a creation that was refused.
   */
  readonly to?: Address
  /** The contract whose code it runs, if an artifact has it: that of the implementation for a clone or a proxy. */
  readonly contract?: string
  /**
   * What `to` is, if it is no contract of an artifact: `clone` (EIP-1167), `proxy` (EIP-1967, or one that passes its calldata
   * on by DELEGATECALL) and `delegated` (EIP-7702) run another account's code, `codeless` has none.
   */
  readonly account?: 'precompile' | 'console' | 'clone' | 'proxy' | 'delegated' | 'codeless'
  /** The function, or the constructor; absent if its selector is unknown. */
  readonly function?: Decoded
  /** Wei; for a DELEGATECALL that of the calling frame. */
  readonly value: bigint
  /** The gas it may use; for the outermost frame the transaction's gas limit. */
  readonly gas: bigint
  /** For the outermost frame the gas of the receipt. */
  readonly gasUsed: bigint
  /** Calldata; for a creation the initcode. */
  readonly input: Hex
  /** The return or revert data; for a creation the deployed code. */
  readonly output: Hex
  readonly result: FrameResult
  /** The decoded return values; absent if the function is unknown or failed. */
  readonly returned?: readonly Argument[]
  /** Why it failed, as go-ethereum names it; absent if it succeeded. */
  readonly error?: string
  /** The error it reverted with, if the ABI of any artifact has it; or `Error(string)`, or `Panic(uint256)`. */
  readonly revert?: Decoded
  /** The text of `Error(string)`, or the meaning of a `Panic(uint256)`. */
  readonly reason?: string
  /** The line of a call to the console of Hardhat's and Foundry's console.sol. */
  readonly console?: string
  /** What happened in it, in order. */
  readonly items: readonly ExplainedItem[]
  /** The number of items, at any depth, that are left out here. */
  readonly omitted?: number
}

/** A log. It is void if its frame or one around it failed. */
export interface ExplainedEvent {
  readonly kind: 'event'
  readonly address: Address
  readonly topics: readonly Hash[]
  readonly data: Hex
  /** Absent if its first topic is unknown. */
  readonly event?: Decoded
}

/** A write of a storage slot; only on demand. */
export interface ExplainedWrite {
  readonly kind: 'write'
  readonly address: Address
  readonly slot: Hash
  /** The values before and after it. */
  readonly before: Hash
  readonly after: Hash
  /** Whether it is transient storage (EIP-1153), whose value before is not known. */
  readonly isTransient?: boolean
}

/** What can happen in a frame. */
export type ExplainedItem = ExplainedFrame | ExplainedEvent | ExplainedWrite

/** What was explained: a transaction in a block, one that is in none, or a call. */
export type ExplainedStage = 'sealed' | 'preconfirmed' | 'waiting' | 'dropped' | 'call'

/** The call tree of a transaction or a call. */
export interface Explanation {
  readonly stage: ExplainedStage
  /** Absent for a call. */
  readonly hash?: Hash
  /** The block that it is in, or whose state it was simulated on. */
  readonly block: { readonly number: bigint; readonly hash: Hash }
  /** Whether it was executed for this tree only: a transaction in no block, or a call. */
  readonly isSimulated: boolean
  /** Why it was dropped; only at the stage `dropped`. */
  readonly dropReason?: DropReason
  readonly succeeded: boolean
  readonly gasUsed: bigint
  /** Names of accounts: contracts that are identified, precompiles and the console. */
  readonly names: Readonly<Record<Address, string>>
  readonly root: ExplainedFrame
  /** Why it failed, and where in the sources; only with the option `stackTraces` of the chain, if it failed. */
  readonly solidity?: SolidityTrace
  /** What limits this explanation, such as artifacts that cannot be used, or omitted frames. */
  readonly notes: readonly string[]
}

// What can be explained, and how.

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
