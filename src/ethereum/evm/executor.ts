/**
 * The interface that executes transactions, calls and estimates. The state transition (`transition.ts`) implements it;
 * an engine runs the messages (`engine.ts`).
 */
import type { TransactionRejectedError } from '../../base/errors.ts'
import type { Address, Hash } from '../../base/types.ts'
import type { Resumable, Yielder } from '../../base/waiting.ts'
import type { Log } from '../block.ts'
import type { ExtraFields } from '../chainSpec.ts'
import type { Rules } from '../rules.ts'
import type { StateReader } from '../state/account.ts'
import type { Overlay } from '../state/overlay.ts'
import type { Transaction, TxEnv } from '../transaction.ts'

/** The block that code sees, with the rules that apply to it. */
export interface BlockEnv {
  readonly rules: Rules
  readonly number: bigint
  readonly timestamp: bigint
  readonly coinbase: Address
  readonly gasLimit: bigint
  /** Wei per gas. */
  readonly baseFee: bigint
  readonly blobBaseFee: bigint
  readonly prevRandao: Hash
  readonly difficulty: bigint
  /** Maps each address that a move affects to the original address of the precompile that runs there; null for none. */
  readonly movedPrecompiles?: ReadonlyMap<Address, Address | null> | undefined
  /** The value of BLOCKHASH; undefined if unknown. Called only for the last 256 blocks. */
  blockHash(number: bigint): Hash | undefined
}

/** The checks before an execution: all for a transaction in a block, fewer for a call. */
export interface Checks {
  readonly nonce: boolean
  /** The sender has no code, or only a delegation (EIP-3607). */
  readonly senderCode: boolean
  /** The gas limit is within the block's gas limit and the cap of EIP-7825. */
  readonly gasLimit: boolean
  readonly feeCap: boolean
  readonly blobFeeCap: boolean
  /** The sender can pay for gas, value and blobs. If false, the missing amount is lent, up to the maximum balance. */
  readonly funds: boolean
  /** The sender pays the fees besides gas that the chain has (`ChainSpec`); a call without a fee cap pays none. */
  readonly extraFees: boolean
}

/** The checks of a signed transaction in a block. */
export const ALL_CHECKS: Checks = {
  nonce: true,
  senderCode: true,
  gasLimit: true,
  feeCap: true,
  blobFeeCap: true,
  funds: true,
  extraFees: true,
}

const UNSIGNED_CHECKS: Checks = { ...ALL_CHECKS, senderCode: false }

/** The checks of a transaction in a block; an impersonated sender may be a contract. */
export function transactionChecks({ unsigned }: Pick<Transaction, 'unsigned'>): Checks {
  return unsigned ? UNSIGNED_CHECKS : ALL_CHECKS
}

/** Called in order while an execution runs. `onStep` and `onAccess` make it several times slower. */
export interface Hooks {
  /** The execution starts on this state. Called again when it restarts: earlier reports are then void. */
  onStart?(tx: TxEnv, env: BlockEnv, state: Overlay): void
  /** A frame starts within the current one; its depth and funds are not checked yet. */
  onEnter?(frame: FrameStart): void
  onExit?(end: FrameEnd): void
  /** The current frame emits a log, which is void if this frame or an enclosing frame fails. */
  onLog?(log: Log): void
  onStep?(step: Step): void
  /** The instruction of the last step failed; not called for REVERT. */
  onOpcodeError?(error: string): void
  /** Code touches an account or a slot. Called each time, also in frames that revert. */
  onAccess?(address: Address, slot?: Hash): void
  /** Called by the executor's caller when it uses the result; for a transaction, when a block includes it. */
  onKept?(): void
}

/** The instruction that started a frame; SELFDESTRUCT counts, since it moves ether. */
export type FrameType =
  | 'CALL'
  | 'CALLCODE'
  | 'DELEGATECALL'
  | 'STATICCALL'
  | 'CREATE'
  | 'CREATE2'
  | 'SELFDESTRUCT'

/** Returns whether an instruction creates a contract, which is then the frame's account. */
export function isCreation(type: FrameType): type is 'CREATE' | 'CREATE2' {
  return type === 'CREATE' || type === 'CREATE2'
}

/** A frame that starts, as hooks get it. */
export interface FrameStart {
  readonly type: FrameType
  /** The account whose code or transaction started it. */
  readonly from: Address
  /** The account whose code it runs, or the beneficiary of SELFDESTRUCT; undefined for a creation. */
  readonly to: Address | undefined
  /** The available gas; in the outermost frame without the intrinsic gas. */
  readonly gas: bigint
  /** Wei; for DELEGATECALL the calling frame's. */
  readonly value: bigint
  /** Calldata or initcode; may be a view of the caller's memory, which changes after the frame has ended. */
  readonly input: Uint8Array
}

/** How a frame ended, as hooks get it. `gasUsed` is without the refund. */
export interface FrameEnd {
  readonly gasUsed: bigint
  /** Return or revert data; the deployed code of a creation. */
  readonly output: Uint8Array
  /** Why it failed, in go-ethereum's words. */
  readonly error?: string
  /** Whether it failed in a precompile, and not for lack of gas. */
  readonly isPrecompileFailure?: boolean
  /** The address of a created contract, even if the creation failed. */
  readonly created?: Address
}

/** Returns the end of a frame as traces show it, with one error text for all failures of precompiles. */
export function nameFailure(end: FrameEnd): FrameEnd {
  return end.isPrecompileFailure === true ? { ...end, error: 'precompiled failed' } : end
}

/** An instruction about to run. `stack` and `memory` copy, so hooks call them only if they need them. */
export interface Step {
  readonly pc: number
  readonly opcode: number
  readonly name: string
  readonly gas: bigint
  /** The cost in gas, including the gas passed to a call. */
  readonly cost: bigint
  /** 1 in the outermost frame. */
  readonly depth: number
  readonly refund: bigint
  /** The account whose storage it uses. */
  readonly address: Address
  readonly returnData: Uint8Array
  stack(): bigint[]
  /** The memory before the instruction extends it. */
  memory(): Uint8Array
  slot(key: Hash): bigint
}

/** The transaction was executed; its effects are in the overlay. */
export interface Included {
  readonly kind: 'included'
  readonly succeeded: boolean
  /** Why it failed, in go-ethereum's words; absent if it succeeded. */
  readonly error?: string
  /** Gas paid for, after refunds and the calldata floor. */
  readonly gasUsed: bigint
  /** Gas used before refunds, at least the calldata floor: the gas limit must cover it. */
  readonly peakGas: bigint
  /** Wei per gas. */
  readonly effectiveGasPrice: bigint
  /** Return or revert data; the deployed code of a creation. */
  readonly output: Uint8Array
  readonly logs: readonly Log[]
  readonly contractAddress: Address | null
  /** Whether it may fail with another gas limit that covers {@link peakGas}; undefined if unknown, or if it failed. */
  readonly dependsOnGas?: boolean | undefined
  /** The fields of its receipt that the chain has besides Ethereum's; undefined on Ethereum. */
  readonly extra?: ExtraFields | undefined
}

/** The transaction is not valid in this block on this state; nothing was written. */
export interface Rejected {
  readonly kind: 'rejected'
  readonly error: TransactionRejectedError
  /** Whether it may be executable later: at a lower base fee, or after earlier nonces. */
  readonly retryable: boolean
}

/** A transaction or a call to execute, with the block that it sees. */
export interface Execution {
  readonly tx: TxEnv
  readonly env: BlockEnv
  /** The state before the transaction (EIP-2200's original values); never written to. */
  readonly state: StateReader
  readonly checks: Checks
  readonly hooks?: Hooks | undefined
  /**
   * Whether a transaction that needs state from a forked node is rejected as retryable, while the state loads. If
   * false, it waits, and is rejected if the state cannot be loaded. Undefined for a call: it waits, and throws if the
   * state cannot be loaded.
   */
  readonly mayDefer?: boolean | undefined
}

/** The result of an execution, which the caller merges into its state or discards. */
export interface Executed {
  readonly outcome: Included | Rejected
  /** The effects over the initial state; none if it was rejected. */
  readonly overlay: Overlay
}

/** How a system call ended. `error` is in go-ethereum's words; undefined if it succeeded. */
export interface SystemCallResult {
  readonly output: Uint8Array
  readonly error: string | undefined
}

/** Executes transactions and calls on any state, without locks, by the engine that it was created with. */
export interface Executor {
  /** Executes a transaction; suspends it when `pause` is due. @throws Missing if it reads something not loaded. */
  execute(execution: Execution, pause?: Yielder): Resumable<Executed>
  /**
   * Calls a system contract as the protocol does: no fee, no nonce, 30 M gas. If it throws {@link Missing}, `overlay`
   * must be discarded.
   *
   * @returns undefined if `to` has no code.
   */
  systemCall(
    to: Address,
    data: Uint8Array,
    env: BlockEnv,
    overlay: Overlay,
    pause?: Yielder,
  ): Resumable<SystemCallResult | undefined>
}
