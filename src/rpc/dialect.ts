/** The differences between the dialects, in one table, so that no method checks the name of its dialect. */

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

/** The rules in which dialects differ. */
export interface DialectRules {
  readonly name: Dialect
  /** The result of web3_clientVersion, unless an option sets it. */
  readonly clientVersion: string
  /** Its further differences, if there are any: `loadExtension` loads them. */
  readonly extension: 'hardhat' | undefined
  /** Codes that replace those of error classes, by class. */
  readonly codes: ReadonlyMap<unknown, number>
  /** Whether blocks have `totalDifficulty` (spec.md §2.5). */
  readonly totalDifficulty: boolean
  /** Whether the range of a log filter with a block hash is ignored (spec.md §4.2, rule 1); if not, it is refused. */
  readonly ignoresRangeWithBlockHash: boolean
  /** Whether the sender of a call or an estimate must have funds, and its fee cap must cover the base fee. */
  readonly callsPay: boolean
  /**
   * Whether the tip of a request without one is at most its fee cap, and the fee cap of a call without one is its tip. If not,
   * the tip may be above the fee cap, which is refused.
   */
  readonly fitsFees: boolean
  /** Whether impersonated accounts are among those that eth_accounts lists. */
  readonly listsImpersonated: boolean
  /** Whether evm_setAutomine seals what waits if it turns automine on; if not, the next block includes it. */
  readonly automineSeals: boolean
  /** Whether signed transactions that arrive together share a block in `auto` mining; if not, each has a block of its own. */
  readonly sharesBlocks: boolean
  /** The methods whose results have another form, which the extension gives them; by name. */
  readonly adapted: RegExp | undefined
  /** Wei per gas below which a chain with a base fee accepts no fee cap, if the dialect is the chain's; if undefined, the lowest base fee. */
  readonly lowestFeeCap: bigint | undefined
  /** Whether log ranges beyond the newest block are clipped; if not, they are refused. */
  readonly clipsLogRanges: boolean
  /** Both hashes that eth_getProof returns for an absent account; if undefined, an empty account's hashes. */
  readonly absentAccountHash: Hash | undefined
  /** Whether debug_traceBlockByNumber and debug_traceBlockByHash accept genesis, which has no traces. */
  readonly tracesGenesis: boolean
  /** The rules of eth_simulateV1. */
  readonly simulation: SimulationDialect
}

/** The rules in which eth_simulateV1 differs by dialect. */
export interface SimulationDialect {
  /**
   * Error codes by class: a call that cannot be executed ends the simulation with one of them, and funds are checked
   * even without `validation`. Undefined: the result of such a call reports the error (spec.md §4.2).
   */
  readonly refusals: ReadonlyMap<unknown, number> | undefined
  /** Whether blocks that only fill gaps are returned too; if not, only the requested ones are (spec.md §4.2). */
  readonly showsGaps: boolean
  /** The fields of the result of a failed call. */
  failure(error: string, output: Hex): SimulatedFailure
}

/** The return data and the error of a failed call; the error is a string (spec.md §2.7) or go-ethereum's object. */
export interface SimulatedFailure {
  readonly returnData: Hex
  readonly error: string | { readonly code: number; readonly message: string; readonly data?: Hex }
}

/** Gives an error the dialect's code for its class. */
export function inDialect<E extends PresealRpcError>(error: E, { codes }: DialectRules): E {
  const code = codes.get(error.constructor)
  return code === undefined ? error : Object.assign(error, { code })
}

/** The answers of this library's specification. */
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
  // Verifiers of EIP-1186 expect the hashes of no code and of the empty trie.
  absentAccountHash: undefined,
  tracesGenesis: true,
  simulation: {
    refusals: undefined,
    showsGaps: false,
    failure: (error, returnData) => ({ returnData, error }),
  },
}

/** The rules of each dialect. */
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
        // go-ethereum has no code for it; this one is recorded in a test vector.
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
