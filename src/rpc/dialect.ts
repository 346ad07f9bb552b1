/** What answers differ in by dialect: one table, so that no method asks which one it speaks. */

import { ExecutionRevertedError, PrecompileMovedToItselfError } from '../evm/errors.ts'
import { SimulatedBlockGasError } from '../payload/errors.ts'
import { ZERO_HASH } from '../primitives/bytes.ts'
import type { RpcError } from '../primitives/errors.ts'
import type { Dialect, Hash, Hex } from '../primitives/types.ts'
import {
  FeeCapTooLowError,
  FloorDataGasError,
  InitCodeTooLargeError,
  InsufficientFundsError,
  IntrinsicGasError,
  NonceMaxError,
  NonceTooHighError,
  NonceTooLowError,
  TipAboveFeeCapError,
} from '../protocol/errors.ts'

/** One dialect's answers, where they differ. */
export interface DialectRules {
  readonly name: Dialect
  /** Codes of errors that are not their class's own. */
  readonly codes: ReadonlyMap<unknown, number>
  /** Whether blocks have `totalDifficulty` (spec.md §2.5). */
  readonly totalDifficulty: boolean
  /** Whether a log filter may name a range beside a block's hash, which is then ignored (spec.md §4.2, rule 1). */
  readonly ignoresRangeBesideHash: boolean
  /** Whether ranges of logs are clipped to the blocks there are, rather than refused. */
  readonly clipsLogRanges: boolean
  /** What eth_getProof gives for both hashes of an account that is not there, where not those of an empty one. */
  readonly absentAccountHash: Hash | undefined
  /** Whether debug_traceBlockByNumber and debug_traceBlockByHash take genesis, which has no traces. */
  readonly tracesGenesis: boolean
  /** How eth_simulateV1 tells of calls that failed. */
  readonly simulation: SimulationDialect
}

/** What eth_simulateV1 answers differ in. */
export interface SimulationDialect {
  /**
   * Codes of the errors that a call ends the simulation with which may not be executed, by class; funds are then
   * checked without `validation` too. Undefined: such a call is told of in its result (spec.md §4.2).
   */
  readonly refusals: ReadonlyMap<unknown, number> | undefined
  /** Whether blocks that only fill gaps are answered too, or just those asked for (spec.md §4.2). */
  readonly showsGaps: boolean
  /** What a call's result holds where it failed. */
  failure(error: string, output: Hex): SimulatedFailure
}

/** A failed call's data, and why it failed: in words (spec.md §2.7), or as go-ethereum's object. */
export interface SimulatedFailure {
  readonly returnData: Hex
  readonly error: string | { readonly code: number; readonly message: string; readonly data?: Hex }
}

/** An error under the dialect's code. */
export function inDialect<E extends RpcError>(error: E, { codes }: DialectRules): E {
  const code = codes.get(error.constructor)
  return code === undefined ? error : Object.assign(error, { code })
}

/** The table. */
export const DIALECTS: Readonly<Record<Dialect, DialectRules>> = {
  preconf: {
    name: 'preconf',
    codes: new Map(),
    totalDifficulty: true,
    ignoresRangeBesideHash: true,
    clipsLogRanges: true,
    // Verifiers of EIP-1186 expect the hashes of no code and of the empty trie.
    absentAccountHash: undefined,
    tracesGenesis: true,
    simulation: {
      refusals: undefined,
      showsGaps: false,
      failure: (error, returnData) => ({ returnData, error }),
    },
  },
  geth: {
    name: 'geth',
    codes: new Map<unknown, number>([
      [ExecutionRevertedError, 3],
      [PrecompileMovedToItselfError, -32000],
    ]),
    totalDifficulty: false,
    ignoresRangeBesideHash: false,
    clipsLogRanges: false,
    absentAccountHash: ZERO_HASH,
    tracesGenesis: false,
    simulation: {
      refusals: new Map<unknown, number>([
        [NonceTooLowError, -38010],
        [NonceTooHighError, -38011],
        [FeeCapTooLowError, -38012],
        [IntrinsicGasError, -38013],
        [FloorDataGasError, -38013],
        [InsufficientFundsError, -38014],
        [SimulatedBlockGasError, -38015],
        [InitCodeTooLargeError, -38025],
        [TipAboveFeeCapError, -32602],
        // Recorded in a vector: what go-ethereum has no code for.
        [NonceMaxError, -32603],
      ]),
      showsGaps: true,
      failure(message, data) {
        const reverted = message === 'execution reverted'
        const error = reverted ? { code: 3, message, data } : { code: -32015, message }
        return { returnData: '0x', error }
      },
    },
  },
}
