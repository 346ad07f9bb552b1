/**
 * The shape of a Solidity stack trace, and how it reaches the errors that clients show.
 *
 * Owns: the latest traces, by failed call and chain, until the chain closes.
 */

/** The prefix of Hardhat's messages of failed executions. */
export const VM_EXCEPTION = 'VM Exception while processing transaction: '

/** The kind of cause of a failed execution. */
export type SolidityCause =
  | 'reason'
  | 'custom error'
  | 'panic'
  | 'no reason'
  | 'no contract'
  | 'unknown function'
  | 'not payable'
  | 'invalid arguments'
  | 'unexpected return data'
  | 'direct call of a library'
  | 'out of gas'
  | 'invalid opcode'
  | 'failed call'
  | 'other'

/** A line of a Solidity stack trace. */
export interface SolidityFrame {
  /** Such as `Token.transfer`. */
  readonly name: string
  /** The source, or the address of an unknown contract. */
  readonly file: string
  /** From 1; absent if unknown, like `column`. */
  readonly line?: number
  readonly column?: number
}

/** Why an execution failed, and where in the sources. */
export interface SolidityTrace {
  /** Undefined if unknown; `notes` say why. */
  readonly cause: SolidityCause | undefined
  /** The cause in words. */
  readonly message: string
  /** Hardhat's message, such as `… reverted with custom error 'Short(0, "gold")'`; absent if revert data suffices. */
  readonly hardhatMessage?: string
  /** Innermost first; at most 100, of which the last 20 are the outermost. */
  readonly frames: readonly SolidityFrame[]
  /** The frames as lines, such as `    at Token.transfer (contracts/Token.sol:42:9)`. */
  readonly stack: string
  /** Why the trace may be incomplete or wrong, such as missing sources; at most 5. */
  readonly notes: readonly string[]
}

/** A failed call, in hex. */
interface FailedCall {
  readonly to: string
  readonly input: string
  readonly output: string
}

interface KeptTrace {
  readonly chain: object
  readonly key: string
  readonly trace: SolidityTrace
}

const MAX_KEPT = 64

let kept: readonly KeptTrace[] = []

const keyOf = ({ to, input, output }: FailedCall): string => `${to} ${input} ${output}`.toLowerCase()

/**
 * Keeps the trace of a call for errors that carry no reference to it, such as ethers' contract errors.
 *
 * @param chain - identifies the chain; its next trace of the same call replaces this one.
 */
export function keepSolidityTrace(chain: object, call: FailedCall, trace: SolidityTrace): void {
  const key = keyOf(call)
  const others = kept.filter((other) => other.key !== key || other.chain !== chain)
  kept = [...others, { chain, key, trace }].slice(-MAX_KEPT)
}

/** Forgets the traces of a closed chain: the accounts of the next one have the same addresses. */
export function forgetSolidityTraces(chain: object): void {
  kept = kept.filter((other) => other.chain !== chain)
}

/** The trace of an ethers error's call; undefined if its traces on several chains differ: the error names no chain. */
function findKept(error: unknown): SolidityTrace | undefined {
  const { data, transaction } = (error ?? {}) as {
    data?: unknown
    transaction?: Partial<Record<string, unknown>>
  }
  const { to, data: input } = transaction ?? {}
  if (typeof to !== 'string' || typeof input !== 'string' || typeof data !== 'string') return undefined
  const key = keyOf({ to, input, output: data })
  const [first, ...others] = kept.filter((one) => one.key === key).map(({ trace }) => trace)
  const isSame = ({ message, stack }: SolidityTrace): boolean =>
    message === first!.message && stack === first!.stack
  return others.every(isSame) ? first : undefined
}

/** The longest chain of causes to follow. */
const MAX_DEPTH = 20

/**
 * Finds the Solidity stack trace of an error: on the error, on its causes (viem, HTTP), or in its `info` (ethers).
 *
 * An error of an ethers contract has none of these, and does not name its chain. Its trace is found by the call, among
 * the last 64 of this process's open chains, unless the same call failed in different ways on several of them.
 *
 * @returns undefined without a trace: the chain has no `stackTraces`, or no execution failed.
 */
export function findSolidityTrace(error: unknown): SolidityTrace | undefined {
  for (let at = error, depth = 0; depth < MAX_DEPTH && typeof at === 'object' && at !== null; depth++) {
    const { solidity, cause, info } = at as { solidity?: unknown; cause?: unknown; info?: unknown }
    if (isTrace(solidity)) return solidity
    at = cause ?? (info as { error?: unknown } | undefined)?.error
  }
  return findKept(error)
}

function isTrace(value: unknown): value is SolidityTrace {
  const { stack, message, notes } = (value ?? {}) as Partial<SolidityTrace>
  return typeof stack === 'string' && typeof message === 'string' && Array.isArray(notes)
}

/** A trace as text: the cause, the notes, the frames. */
export function solidityLines({ message, notes, stack }: SolidityTrace): readonly string[] {
  const frames = stack === '' ? [] : stack.split('\n')
  return [`Solidity: ${message}`, ...notes.map((note) => `(${note})`), ...frames]
}

/**
 * Puts the frames of an error's Solidity stack trace on top of its `stack`, unless they are there. Changes nothing
 * else; an error without a trace stays as it is.
 *
 * @returns the error.
 */
export function showSolidityTrace<E>(error: E): E {
  const trace = findSolidityTrace(error)
  const { stack } = (error ?? {}) as { stack?: unknown }
  if (trace === undefined || typeof stack !== 'string') return error
  const lines = solidityLines(trace)
  if (stack.includes(lines[0]!)) return error
  const frames = stack.search(/^ +at /m)
  const head = frames === -1 ? `${stack}\n` : stack.slice(0, frames)
  const rest = frames === -1 ? '' : `\n${stack.slice(frames)}`
  Object.assign(error as object, { stack: `${head}${lines.join('\n')}${rest}` })
  return error
}
