/** Shapes of traces on the wire: go-ethereum's for `debug_` methods, and Parity's. */
import type { Address, Hash, Hex } from '../../base/types.ts'

/** A log of callTracer. */
export interface CallTraceLog {
  readonly address: Address
  readonly topics: readonly Hash[]
  readonly data: Hex
  /** The index among all logs of the transaction, including logs of failed frames. */
  readonly index: Hex
  /** The number of calls that the frame made before the log. */
  readonly position: Hex
}

/** The result of callTracer: a frame with the frames it called. */
export interface CallTrace {
  readonly type: 'CALL' | 'CALLCODE' | 'DELEGATECALL' | 'STATICCALL' | 'CREATE' | 'CREATE2' | 'SELFDESTRUCT'
  readonly from: Address
  /** Absent if a creation failed. */
  readonly to?: Address
  /** Absent in a static call. */
  readonly value?: Hex
  /** In the outermost frame, the transaction's gas limit. */
  readonly gas: Hex
  /** In the outermost frame, the receipt's `gasUsed`. */
  readonly gasUsed: Hex
  readonly input: Hex
  /** Absent if empty. */
  readonly output?: Hex
  readonly error?: string
  /** The text of `Error(string)`, or the meaning of `Panic(uint256)`. */
  readonly revertReason?: string
  readonly calls?: readonly CallTrace[]
  /** Only with `withLog`. */
  readonly logs?: readonly CallTraceLog[]
}

/** An instruction before its execution. */
export interface StructLog {
  readonly pc: number
  readonly op: string
  readonly gas: number
  readonly gasCost: number
  readonly depth: number
  readonly refund: number
  readonly error?: string
  /** Bottom first; absent with `disableStack`. */
  readonly stack?: readonly Hex[]
  /** In words of 32 bytes; only with `enableMemory`. */
  readonly memory?: readonly Hex[]
  /** Only at SLOAD and SSTORE, without `disableStorage`: the slots of the account that were read or written so far. */
  readonly storage?: Readonly<Record<Hash, Hash>>
  /** Only with `enableReturnData`. */
  readonly returnData?: Hex
}

/** The result of the default tracer. */
export interface StructLogTrace {
  /** The receipt's `gasUsed`. */
  readonly gas: number
  readonly failed: boolean
  readonly returnValue: Hex
  readonly structLogs: readonly StructLog[]
}

/** An account of prestateTracer. Zero and empty fields are absent, except the balance. */
export interface PrestateAccount {
  readonly balance?: Hex
  readonly nonce?: number
  readonly code?: Hex
  readonly storage?: Readonly<Record<Hash, Hash>>
}

/** The result of prestateTracer: all touched accounts before the transaction. */
export type PrestateTrace = Readonly<Record<Address, PrestateAccount>>

/** The result of prestateTracer with `diffMode`: the changed accounts before, and their changed fields after. */
export interface PrestateDiffTrace {
  readonly pre: PrestateTrace
  readonly post: PrestateTrace
}

/** The result of 4byteTracer: call counts by selector and size of the arguments, such as `0xa9059cbb-64`. */
export type FourByteTrace = Readonly<Record<string, number>>

/** The action of a frame in Parity's traces. */
export type ParityAction =
  | {
      readonly callType: 'call' | 'callcode' | 'delegatecall' | 'staticcall'
      readonly from: Address
      readonly to: Address
      readonly gas: Hex
      readonly input: Hex
      readonly value: Hex
    }
  | {
      readonly creationMethod: 'create' | 'create2'
      readonly from: Address
      readonly gas: Hex
      readonly init: Hex
      readonly value: Hex
    }
  | { readonly address: Address; readonly refundAddress: Address; readonly balance: Hex }

/** The result of a frame in Parity's traces. */
export type ParityResult =
  | { readonly gasUsed: Hex; readonly output: Hex }
  | { readonly gasUsed: Hex; readonly address: Address; readonly code: Hex }

/** A frame in Parity's traces. The gas of the outermost one excludes the intrinsic gas. */
export interface ParityFrame {
  readonly type: 'call' | 'create' | 'suicide'
  readonly action: ParityAction
  /** Null for a selfdestruct, and if the frame failed without a revert. */
  readonly result: ParityResult | null
  readonly error?: string
  readonly subtraces: number
  /** The path from the outermost frame: the index of each call in its caller. */
  readonly traceAddress: readonly number[]
}

/** A frame with the position of its transaction. */
export interface ParityTrace extends ParityFrame {
  readonly blockHash: Hash
  readonly blockNumber: number
  readonly transactionHash: Hash
  readonly transactionPosition: number
}

/** The results of `debug_traceTransaction` and `debug_traceCall`, by tracer. */
export type DebugTrace =
  | StructLogTrace
  | CallTrace
  | PrestateTrace
  | PrestateDiffTrace
  | FourByteTrace
  | readonly ParityFrame[]
  | { readonly [tracer: string]: DebugTrace }

/** The trace of a transaction in a block. */
export interface TransactionTrace {
  readonly txHash: Hash
  readonly result: DebugTrace
}
