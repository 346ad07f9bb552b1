/** What answers differ in by dialect: one table, so that no method asks which one it speaks. */
import { ExecutionRevertedError, type RpcError } from '../errors.ts'
import type { Dialect } from '../types.ts'

/** One dialect's answers, where they differ. */
export interface DialectRules {
  /** Codes of errors that are not their class's own. */
  readonly codes: ReadonlyMap<unknown, number>
  /** Whether blocks have `totalDifficulty` (spec.md §2.5). */
  readonly totalDifficulty: boolean
  /** Whether eth_simulateV1 is served on standard too (spec.md §4.2). */
  readonly simulatesOnStandard: boolean
  /** Whether the calls of eth_simulateV1 tell why they failed in an object with a code, or in words (spec.md §2.7). */
  readonly callErrors: 'object' | 'text'
  /** Whether eth_simulateV1 checks funds without `validation` too, and ends where a call may not be executed. */
  readonly simulationRefuses: boolean
}

/** An error under the dialect's code. */
export function inDialect<E extends RpcError>(error: E, { codes }: DialectRules): E {
  const code = codes.get(error.constructor)
  return code === undefined ? error : Object.assign(error, { code })
}

/** The table. */
export const DIALECTS: Readonly<Record<Dialect, DialectRules>> = {
  preconf: {
    codes: new Map(),
    totalDifficulty: true,
    simulatesOnStandard: false,
    callErrors: 'text',
    simulationRefuses: false,
  },
  geth: {
    codes: new Map([[ExecutionRevertedError, 3]]),
    totalDifficulty: false,
    simulatesOnStandard: true,
    callErrors: 'object',
    simulationRefuses: true,
  },
}
