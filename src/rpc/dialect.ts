/** Differences between dialects, in one table: no method checks the name of its dialect. */

import { ZERO_HASH } from '../base/bytes.ts'
import type { PresealRpcError } from '../base/errors.ts'
import type { Dialect, Hash, Hex } from '../base/types.ts'
import { CLIENT_VERSION } from '../base/version.ts'
import { SimulatedBlockGasError } from '../core/block/errors.ts'
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
} from '../ethereum/errors.ts'
import { ExecutionRevertedError, PrecompileMovedToItselfError } from '../ethereum/evm/errors.ts'

/** Rules that differ between dialects. */
export interface DialectRules {
  readonly name: Dialect
  /** Result of web3_clientVersion, unless an option sets it. */
  readonly clientVersion: string
  /** The module with further differences, which `loadExtension` loads; undefined for none. */
  readonly extension: 'hardhat' | undefined
  /** Codes by error class, which replace the codes that the classes set. */
  readonly codes: ReadonlyMap<unknown, number>
  /** Whether blocks have `totalDifficulty` (spec.md §2.5). */
  readonly totalDifficulty: boolean
  /** Whether to ignore the range of a log filter with a block hash (spec.md §4.2, rule 1) rather than refuse it. */
  readonly ignoresRangeWithBlockHash: boolean
  /** Whether a call or an estimate is refused if its sender lacks the funds, or its fee cap is below the base fee. */
  readonly callsPay: boolean
  /**
   * Whether a missing tip is set to at most the given fee cap, and a call's missing fee cap to the given tip. If not,
   * the tip may exceed the fee cap, and the transaction or call is refused.
   */
  readonly fitsFees: boolean
  /** Whether eth_accounts lists impersonated accounts. */
  readonly listsImpersonated: boolean
  /** Whether turning automine on seals waiting transactions. If not, they wait for the next block. */
  readonly automineSeals: boolean
  /** Whether signed transactions that arrive together share a block in `auto` mining. If not, each gets a block. */
  readonly sharesBlocks: boolean
  /** Matches the names of methods whose results the extension adapts. */
  readonly adapted: RegExp | undefined
  /**
   * The lowest fee cap, in wei per gas, that the mempool of a chain in this dialect accepts while blocks have a base
   * fee. If undefined, the limit is the lowest possible base fee.
   */
  readonly lowestFeeCap: bigint | undefined
  /** Whether to clip log ranges beyond the newest block rather than refuse them. */
  readonly clipsLogRanges: boolean
  /** `codeHash` and `storageHash` of an absent account in eth_getProof; default: an empty account's hashes. */
  readonly absentAccountHash: Hash | undefined
  /** Whether debug_traceBlock and its variants by number and hash accept genesis, which has no traces. */
  readonly tracesGenesis: boolean
  readonly simulation: SimulationDialect
}

/** Rules of eth_simulateV1 that differ between dialects. */
export interface SimulationDialect {
  /**
   * Codes by error class. A call that cannot be executed fails the whole simulation with the code of its error, and
   * funds are checked even without `validation`. If undefined, only the result of the call reports the error (spec.md
   * §4.2).
   */
  readonly refusals: ReadonlyMap<unknown, number> | undefined
  /** Whether to return blocks that only fill gaps. If not, only requested blocks are returned (spec.md §4.2). */
  readonly showsGaps: boolean
  failure(error: string, output: Hex): SimulatedFailure
}

/** Return data and error of a failed call. The error is a string (spec.md §2.7) or go-ethereum's object. */
export interface SimulatedFailure {
  readonly returnData: Hex
  readonly error: string | { readonly code: number; readonly message: string; readonly data?: Hex }
}

/** Sets the code that the dialect has for an error's class, if any, and returns the error. */
export function inDialect<E extends PresealRpcError>(error: E, { codes }: DialectRules): E {
  const code = codes.get(error.constructor)
  return code === undefined ? error : Object.assign(error, { code })
}

const PRECONF: DialectRules = {
  name: 'preconf',
  clientVersion: CLIENT_VERSION,
  extension: undefined,
  codes: new Map(),
  totalDifficulty: true,
  ignoresRangeWithBlockHash: true,
  callsPay: true,
  fitsFees: false,
  listsImpersonated: true,
  automineSeals: true,
  sharesBlocks: true,
  adapted: undefined,
  lowestFeeCap: undefined,
  clipsLogRanges: true,
  // Undefined, since EIP-1186 verifiers expect the hashes of empty code and of the empty trie.
  absentAccountHash: undefined,
  tracesGenesis: true,
  simulation: {
    refusals: undefined,
    showsGaps: false,
    failure: (error, returnData) => ({ returnData, error }),
  },
}

/** Rules by dialect. */
export const DIALECTS: Readonly<Record<Dialect, DialectRules>> = {
  preconf: PRECONF,
  geth: {
    ...PRECONF,
    name: 'geth',
    codes: new Map<unknown, number>([
      [ExecutionRevertedError, 3],
      [PrecompileMovedToItselfError, -32000],
    ]),
    totalDifficulty: false,
    ignoresRangeWithBlockHash: false,
    lowestFeeCap: 1n,
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
        // go-ethereum defines no code for this error; a test vector recorded from it has this one.
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
  hardhat: {
    ...PRECONF,
    name: 'hardhat',
    clientVersion: `HardhatNetwork/${CLIENT_VERSION}`,
    extension: 'hardhat',
    callsPay: false,
    fitsFees: true,
    listsImpersonated: false,
    automineSeals: false,
    sharesBlocks: false,
    adapted: /^(evm|hardhat)_|^eth_getFilter/,
  },
}
