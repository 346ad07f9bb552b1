/**
 * The one way anything is executed: transactions of a block, calls, estimates.
 *
 * The state transition stands behind this interface (`transition.ts`), validation and fees included, so that a
 * transaction and a call cannot differ in them; an engine runs the messages (`engine.ts`).
 */
import type { TransactionRejectedError } from '../primitives/errors.ts'
import type { Address, Hash, MaybePromise } from '../primitives/types.ts'
import type { Log } from '../protocol/block.ts'
import type { Rules } from '../protocol/rules.ts'
import type { TxEnv } from '../protocol/transaction.ts'
import type { Overlay } from '../state/overlay.ts'

/** What an execution sees of its block. */
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
  /** The hash BLOCKHASH answers with; the engine asks only within its 256-block window. */
  blockHash(number: bigint): Hash | undefined
}

/** Which rules of inclusion apply; calls leave some out. */
export interface Checks {
  /** The nonce is the account's. */
  readonly nonce: boolean
  /** The sender has no code but a delegation (EIP-3607). */
  readonly senderCode: boolean
  /** The gas limit is at most the block's, and what EIP-7825 allows. */
  readonly gasLimit: boolean
  /** The fee cap covers the base fee. */
  readonly feeCap: boolean
  /** The blob fee cap covers the blob base fee. */
  readonly blobFeeCap: boolean
  /**
   * The sender can pay for gas, value and blobs; if it need not, its balance is topped up by what it lacks, up to what a
   * balance can hold, and what is left of that is taken back in the end.
   */
  readonly funds: boolean
}

/** Everything a block's transactions must satisfy. */
export const ALL_CHECKS: Checks = {
  nonce: true,
  senderCode: true,
  gasLimit: true,
  feeCap: true,
  blobFeeCap: true,
  funds: true,
}

/** What an execution does beyond a transaction's: for simulations and for finding out what code touches. */
export interface Hooks {
  /**
   * Precompiles that stand elsewhere: by address the precompile that answers there, or null if one no longer does.
   * What is warm from the start (EIP-2929) stays as it is.
   */
  readonly precompiles?: ReadonlyMap<Address, Address | null>
  /** Whether logs are captured as eth_simulateV1 counts them; see {@link Included.captured}. */
  readonly captureLogs?: boolean
  /** Whether every transfer of ether is among the captured logs, as an ERC-20 transfer of {@link TRANSFERS_ADDRESS}. */
  readonly traceTransfers?: boolean
  /** Told of every account and slot code touches, in order, repeats included; those of reverted frames too. */
  onAccess?(address: Address, slot?: Hash): void
  /** Told of everything that happens, as it happens. Not beside `captureLogs`. */
  readonly tracer?: Tracer
}

/** Follows an execution: frames as they begin and end, and what they do between. */
export interface Tracer {
  /** The execution begins on this state, perhaps not for the first time: what was told before is void then. */
  onStart?(tx: TxEnv, env: BlockEnv, state: Overlay): void
  /** A frame begins within the one under way, its checks of depth and funds still before it. */
  onEnter?(frame: FrameStart): void
  /** The frame under way ends. */
  onExit?(end: FrameEnd): void
  /** The frame under way logs; whether it stands is told by how that frame and those around it end. */
  onLog?(log: Log): void
  /**
   * An instruction is about to be executed; if this is asked for, execution takes several
   * times as long, and a promise that it returns is awaited.
   */
  onStep?(step: Step): MaybePromise<void>
  /** The instruction of the last step failed for another reason than REVERT. */
  onOpcodeError?(error: string): void
}

/** What began a frame; SELFDESTRUCT counts as one, as far as it moves ether. */
export type FrameType =
  | 'CALL'
  | 'CALLCODE'
  | 'DELEGATECALL'
  | 'STATICCALL'
  | 'CREATE'
  | 'CREATE2'
  | 'SELFDESTRUCT'

/** A frame that begins. */
export interface FrameStart {
  readonly type: FrameType
  /** Whose code, or whose transaction, began it. */
  readonly from: Address
  /** Whose code it runs, or who inherits; undefined if a contract is created. */
  readonly to: Address | undefined
  /** What it may use; of the outermost frame, without the intrinsic gas. */
  readonly gas: bigint
  /** Wei; that of the calling frame where it delegates. */
  readonly value: bigint
  /** Calldata, or the code that creates. */
  readonly input: Uint8Array
}

/** How a frame ended. */
export interface FrameEnd {
  readonly gasUsed: bigint
  /** Return or revert data; the deployed code for a creation. */
  readonly output: Uint8Array
  /** Why it failed, as go-ethereum names it. */
  readonly error?: string
  /** Where a creation put its contract, or would have. */
  readonly created?: Address
}

/** An instruction about to be executed. */
export interface Step {
  readonly pc: number
  readonly opcode: number
  readonly name: string
  /** What is left before it. */
  readonly gas: bigint
  /** What it takes, the gas it passes on to a call included. */
  readonly cost: bigint
  /** 1 in the outermost frame. */
  readonly depth: number
  readonly refund: bigint
  /** Whose storage it works on. */
  readonly address: Address
  /** What the last call gave back; not to be written to. */
  readonly returnData: Uint8Array
  /** The stack, bottom first. */
  stack(): bigint[]
  /** The memory before the instruction extends it. */
  memory(): Uint8Array
}

/** The address that transfers of ether are logged under by eth_simulateV1. */
export const TRANSFERS_ADDRESS: Address = `0x${'ee'.repeat(20)}`

/** A log with its place among all logs of the execution, those of frames that reverted counted. */
export interface CapturedLog extends Log {
  readonly index: number
}

/** The transaction was executed; its effects stand in the overlay. */
export interface Included {
  readonly kind: 'included'
  readonly succeeded: boolean
  /** Why it failed, as go-ethereum names it; absent where it succeeded. */
  readonly error?: string
  /** Gas paid for: refunds deducted, the calldata floor applied. */
  readonly gasUsed: bigint
  /** Gas used before refunds: what the gas limit must at least cover. */
  readonly peakGas: bigint
  /** Wei per unit of gas. */
  readonly effectiveGasPrice: bigint
  /** Return or revert data; the deployed code for a creation. */
  readonly output: Uint8Array
  /** What the receipt holds. */
  readonly logs: readonly Log[]
  /** What {@link Hooks.captureLogs} asked for: the logs that stand, and how many there were with those that do not. */
  readonly captured?: { readonly logs: readonly CapturedLog[]; readonly count: number }
  readonly contractAddress: Address | null
}

/** The transaction may not be executed here; nothing was written. */
export interface Rejected {
  readonly kind: 'rejected'
  readonly error: TransactionRejectedError
  /** Whether it may fit later: at a lower base fee, or once earlier nonces arrive. */
  readonly retryable: boolean
}

/** The engine lacks something it must wait for; the overlay is to be discarded and the execution run again. */
export interface Missing {
  readonly kind: 'missing'
  readonly load: Promise<void>
}

/** What became of an execution. */
export type Outcome = Included | Rejected | Missing

/** See the file's header. */
export interface Executor {
  /**
   * Executes one transaction on `overlay`.
   *
   * The overlay is the transaction's own: what it holds before the call counts as written by the transaction, and its
   * parent is the state the transaction starts from (EIP-2200's original values). If the engine throws, or answers
   * `missing`, the overlay holds debris and must be discarded.
   */
  execute(tx: TxEnv, env: BlockEnv, overlay: Overlay, checks: Checks, hooks?: Hooks): MaybePromise<Outcome>
  /** Calls a system contract as the protocol does: no fee, no nonce, 30 M gas. Undefined if there is no code. */
  systemCall(
    to: Address,
    data: Uint8Array,
    env: BlockEnv,
    overlay: Overlay,
  ): MaybePromise<Uint8Array | undefined>
}

/** Executes, loading what the engine lacks, on a new overlay for each attempt. */
export async function executeLoaded(
  executor: Executor,
  tx: TxEnv,
  env: BlockEnv,
  overlay: () => Overlay,
  checks: Checks,
  hooks?: Hooks,
): Promise<{ readonly outcome: Included | Rejected; readonly overlay: Overlay }> {
  for (;;) {
    const attempt = overlay()
    const outcome = await executor.execute(tx, env, attempt, checks, hooks)
    if (outcome.kind !== 'missing') return { outcome, overlay: attempt }
    await outcome.load
  }
}
