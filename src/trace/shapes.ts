/** What traces look like on the wire: go-ethereum's debug_* shapes, and Parity's. */
import type { Address, Hash, Hex } from '../primitives/types.ts'

/** A log of callTracer. */
export interface CallTraceLog {
  readonly address: Address
  readonly topics: readonly Hash[]
  readonly data: Hex
  /** Its place among all logs of the transaction, those of frames that failed counted. */
  readonly index: Hex
  /** How many calls its frame had made before. */
  readonly position: Hex
}

/** What callTracer answers: a frame with those it called. */
export interface CallTrace {
  readonly type: 'CALL' | 'CALLCODE' | 'DELEGATECALL' | 'STATICCALL' | 'CREATE' | 'CREATE2' | 'SELFDESTRUCT'
  readonly from: Address
  /** Absent if a creation failed. */
  readonly to?: Address
  /** Absent in a static call. */
  readonly value?: Hex
  /** In the outermost frame the transaction's gas limit. */
  readonly gas: Hex
  /** In the outermost frame the receipt's. */
  readonly gasUsed: Hex
  readonly input: Hex
  /** Absent if there is none. */
  readonly output?: Hex
  readonly error?: string
  /** The text of `Error(string)`, or what a `Panic(uint256)` says. */
  readonly revertReason?: string
  readonly calls?: readonly CallTrace[]
  /** With `withLog` alone. */
  readonly logs?: readonly CallTraceLog[]
}

/** One instruction, as it is about to be executed. */
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
  /** In words; with `enableMemory`. */
  readonly memory?: readonly Hex[]
  /** The slots of the account read or written so far, at SLOAD and SSTORE; absent with `disableStorage`. */
  readonly storage?: Readonly<Record<Hash, Hash>>
  /** With `enableReturnData`. */
  readonly returnData?: Hex
}

/** What the default tracer answers. */
export interface StructLogTrace {
  /** The receipt's gas. */
  readonly gas: number
  readonly failed: boolean
  readonly returnValue: Hex
  readonly structLogs: readonly StructLog[]
}

/** An account of prestateTracer; what is zero or empty is left out, but for the balance. */
export interface PrestateAccount {
  readonly balance?: Hex
  readonly nonce?: number
  readonly code?: Hex
  readonly storage?: Readonly<Record<Hash, Hash>>
}

/** What prestateTracer answers: all a transaction touches, as it stood before. */
export type PrestateTrace = Readonly<Record<Address, PrestateAccount>>

/** The same with `diffMode`: accounts that changed, and what of them did. */
export interface PrestateDiffTrace {
  readonly pre: PrestateTrace
  readonly post: PrestateTrace
}

/** What 4byteTracer answers: how often a selector was called with so many bytes of arguments, by `0xa9059cbb-64`. */
export type FourByteTrace = Readonly<Record<string, number>>

/** What a frame did, in Parity's words. */
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

/** What a frame came to, in Parity's words. */
export type ParityResult =
  | { readonly gasUsed: Hex; readonly output: Hex }
  | { readonly gasUsed: Hex; readonly address: Address; readonly code: Hex }

/** A frame as Parity's traces show it; the gas of the outermost one is without the intrinsic gas. */
export interface ParityFrame {
  readonly type: 'call' | 'create' | 'suicide'
  readonly action: ParityAction
  /** Null where the frame failed otherwise than by a revert, and for a selfdestruct. */
  readonly result: ParityResult | null
  readonly error?: string
  readonly subtraces: number
  /** The way to it from the outermost frame: which call of which call. */
  readonly traceAddress: readonly number[]
}

/** A frame with its transaction's place. */
export interface ParityTrace extends ParityFrame {
  readonly blockHash: Hash
  readonly blockNumber: number
  readonly transactionHash: Hash
  readonly transactionPosition: number
}

/** What debug_traceTransaction and debug_traceCall answer, by tracer. */
export type DebugTrace =
  | StructLogTrace
  | CallTrace
  | PrestateTrace
  | PrestateDiffTrace
  | FourByteTrace
  | readonly ParityFrame[]
  | { readonly [tracer: string]: DebugTrace }

/** One transaction of a block that was traced. */
export interface TransactionTrace {
  readonly txHash: Hash
  readonly result: DebugTrace
}
