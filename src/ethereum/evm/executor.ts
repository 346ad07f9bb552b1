/**
 * The interface through which transactions are executed, of own and of external blocks, and calls and estimates.
 *
 * The state transition implements it (`transition.ts`), validation and fees included, so that a transaction and a call
 * cannot differ in them; an engine runs the messages (`engine.ts`).
 */
import type { TransactionRejectedError } from '../../base/errors.ts'
import type { Address, Hash } from '../../base/types.ts'
import type { Resumable, Yielder } from '../../base/waiting.ts'
import type { Log } from '../block.ts'
import type { Rules } from '../rules.ts'
import type { StateReader } from '../state/account.ts'
import type { Overlay } from '../state/overlay.ts'
import type { Transaction, TxEnv } from '../transaction.ts'

/** The block environment of an execution. */
export interface BlockEnv {
  readonly rules: Rules
  readonly number: bigint
  /** Unix time in seconds. */
  readonly timestamp: bigint
  readonly coinbase: Address
  readonly gasLimit: bigint
  /** Wei per unit of gas. */
  readonly baseFee: bigint
  /** Wei per unit of blob gas. */
  readonly blobBaseFee: bigint
  readonly prevRandao: Hash
  readonly difficulty: bigint
  /**
   * Moved precompiles: by address the precompile that runs there, or null if none does any longer.
   * The addresses that are warm at the start (EIP-2929) stay the same.
   */
  readonly movedPrecompiles?: ReadonlyMap<Address, Address | null> | undefined
  /** The value of BLOCKHASH; the engine calls it only within the window of 256 blocks. */
  blockHash(number: bigint): Hash | undefined
}

/** Which rules of inclusion apply; calls omit some. */
export interface Checks {
  /** The nonce is the account's. */
  readonly nonce: boolean
  /** The sender has no code other than a delegation (EIP-3607). */
  readonly senderCode: boolean
  /** The gas limit is at most the block's, and at most that of EIP-7825. */
  readonly gasLimit: boolean
  /** The fee cap covers the base fee. */
  readonly feeCap: boolean
  /** The blob fee cap covers the blob base fee. */
  readonly blobFeeCap: boolean
  /**
   * The sender can pay for gas, value and blobs. If it need not, its balance is topped up by what it lacks, up to the
   * maximum of a balance, and the unused part is taken back at the end.
   */
  readonly funds: boolean
}

/** The checks of a block's transactions. */
export const ALL_CHECKS: Checks = {
  nonce: true,
  senderCode: true,
  gasLimit: true,
  feeCap: true,
  blobFeeCap: true,
  funds: true,
}

const UNSIGNED_CHECKS: Checks = { ...ALL_CHECKS, senderCode: false }

/** The checks of a transaction of a block of the chain; an impersonated sender may be a contract. */
export function transactionChecks({ unsigned }: Pick<Transaction, 'unsigned'>): Checks {
  return unsigned ? UNSIGNED_CHECKS : ALL_CHECKS
}

/** Called while an execution runs, in order. With `onStep` or `onAccess` it takes several times as long. */
export interface Hooks {
  /** The execution starts on this state; if it is restarted, the calls before are void. */
  onStart?(tx: TxEnv, env: BlockEnv, state: Overlay): void
  /** A frame starts within the current one, before its checks of depth and funds. */
  onEnter?(frame: FrameStart): void
  /** The current frame ends. */
  onExit?(end: FrameEnd): void
  /** The current frame logs; the log is void if that frame or one around it fails. */
  onLog?(log: Log): void
  /** An instruction is about to be executed. */
  onStep?(step: Step): void
  /** The instruction of the last step failed for another reason than REVERT. */
  onOpcodeError?(error: string): void
  /** Code touches an account or a slot; repeats and reverted frames included. */
  onAccess?(address: Address, slot?: Hash): void
  /** The execution has ended, and its result is used: its caller calls this, for a transaction once a block includes it. */
  onKept?(): void
}

/** What started a frame; SELFDESTRUCT counts as a frame, since it moves ether. */
export type FrameType =
  | 'CALL'
  | 'CALLCODE'
  | 'DELEGATECALL'
  | 'STATICCALL'
  | 'CREATE'
  | 'CREATE2'
  | 'SELFDESTRUCT'

/** Whether a frame runs initcode. */
export function isCreation(type: FrameType): type is 'CREATE' | 'CREATE2' {
  return type === 'CREATE' || type === 'CREATE2'
}

/** The start of a frame. */
export interface FrameStart {
  readonly type: FrameType
  /** The account whose code or transaction started it. */
  readonly from: Address
  /** The account whose code it runs, or the beneficiary of SELFDESTRUCT; undefined for a creation. */
  readonly to: Address | undefined
  /** The gas it may use; for the outermost frame without the intrinsic gas. */
  readonly gas: bigint
  /** Wei; for DELEGATECALL that of the calling frame. */
  readonly value: bigint
  /** Calldata, or the initcode; it may be a view of the caller's memory, which changes once the frame has ended. */
  readonly input: Uint8Array
}

/** The end of a frame. */
export interface FrameEnd {
  readonly gasUsed: bigint
  /** Return or revert data; the deployed code for a creation. */
  readonly output: Uint8Array
  /** Why it failed, as go-ethereum names it. */
  readonly error?: string
  /** Whether it failed in a precompile, for another reason than gas. */
  readonly isPrecompileFailure?: boolean
  /** The address of a creation's contract, even if it failed. */
  readonly created?: Address
}

/** The end of a frame as traces show it: the failures of precompiles have one name. */
export function nameFailure(end: FrameEnd): FrameEnd {
  return end.isPrecompileFailure === true ? { ...end, error: 'precompiled failed' } : end
}

/** An instruction about to be executed. */
export interface Step {
  readonly pc: number
  readonly opcode: number
  readonly name: string
  /** The gas left before it. */
  readonly gas: bigint
  /** The gas it costs, including what it passes to a call. */
  readonly cost: bigint
  /** 1 in the outermost frame. */
  readonly depth: number
  readonly refund: bigint
  /** The account whose storage it uses. */
  readonly address: Address
  /** The return data of the last call; not to be written to. */
  readonly returnData: Uint8Array
  /** The stack, bottom first. */
  stack(): bigint[]
  /** The memory before the instruction extends it. */
  memory(): Uint8Array
  /** The value of a slot of `address`. */
  slot(key: Hash): bigint
}

/** The transaction was executed; its effects are in the overlay. */
export interface Included {
  readonly kind: 'included'
  readonly succeeded: boolean
  /** Why it failed, as go-ethereum names it; absent if it succeeded. */
  readonly error?: string
  /** Gas paid for: refunds deducted, the calldata floor applied. */
  readonly gasUsed: bigint
  /** Gas used before refunds, at least the calldata floor: the gas limit must cover it. */
  readonly peakGas: bigint
  /** Wei per unit of gas. */
  readonly effectiveGasPrice: bigint
  /** Return or revert data; the deployed code for a creation. */
  readonly output: Uint8Array
  /** The logs of the receipt. */
  readonly logs: readonly Log[]
  readonly contractAddress: Address | null
  /**
   * Whether it may fail with another gas limit that covers {@link peakGas}; undefined if that is unknown, or if it
   * failed.
   */
  readonly dependsOnGas?: boolean | undefined
}

/** The transaction may not be executed here; nothing was written. */
export interface Rejected {
  readonly kind: 'rejected'
  readonly error: TransactionRejectedError
  /** Whether it may be executable later: at a lower base fee, or after earlier nonces. */
  readonly retryable: boolean
}

/** A transaction or a call, with all that its execution depends on. */
export interface Execution {
  readonly tx: TxEnv
  readonly env: BlockEnv
  /** What the transaction starts from (EIP-2200's original values); nothing is written to it. */
  readonly state: StateReader
  readonly checks: Checks
  readonly hooks?: Hooks | undefined
  /**
   * Whether it may be refused as retryable instead of waiting for state that a request to a forked node loads; it is
   * loaded in the background then. Undefined for a call, which fails if that cannot be loaded; a transaction waits.
   */
  readonly mayDefer?: boolean | undefined
}

/** The result of an execution. */
export interface Executed {
  readonly outcome: Included | Rejected
  /** The effects, over the state that the execution started from; none if it was rejected. */
  readonly overlay: Overlay
}

/** The result of a call of a system contract. */
export interface SystemCallResult {
  /** Return or revert data. */
  readonly output: Uint8Array
  /** Why it failed, as go-ethereum names it; undefined if it succeeded. */
  readonly error: string | undefined
}

/** Executes transactions and system calls; see the file's header. */
export interface Executor {
  /**
   * Executes one transaction, in parts: it is suspended if a pause is due. A caller that passes no pause waits for the
   * whole execution.
   *
   * @throws Missing if something that is read is not loaded; see `whenLoaded`.
   */
  execute(execution: Execution, pause?: Yielder): Resumable<Executed>
  /**
   * Calls a system contract as the protocol does: no fee, no nonce, 30 M gas. Suspended as in {@link Executor.execute}.
   *
   * @returns undefined if there is no code.
   * @throws Missing if something that is read is not loaded; `overlay` is to be discarded then.
   */
  systemCall(
    to: Address,
    data: Uint8Array,
    env: BlockEnv,
    overlay: Overlay,
    pause?: Yielder,
  ): Resumable<SystemCallResult | undefined>
}
