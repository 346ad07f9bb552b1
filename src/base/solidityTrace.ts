/**
 * The shape of a Solidity stack trace, and its way to the errors that clients show.
 *
 * Owns: the last traces, by what failed and on which chain, until the chain is closed.
 */

/** What Hardhat's messages of failed executions begin with. */
export const VM_EXCEPTION = 'VM Exception while processing transaction: '

/** What kind of cause a failed execution has. */
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
  /** From 1; absent if it is unknown, as is `column`. */
  readonly line?: number
  readonly column?: number
}

/** Why an execution failed, and where in the sources. */
export interface SolidityTrace {
  /** Undefined if it is unknown; `notes` say why. */
  readonly cause: SolidityCause | undefined
  /** The cause in words. */
  readonly message: string
  /** Hardhat's message, such as `… reverted with custom error 'Short(0, "gold")'`; absent if the revert data alone says it. */
  readonly hardhatMessage?: string
  /** Innermost first; at most 100, of which the last 20 are the outermost. */
  readonly frames: readonly SolidityFrame[]
  /** The frames as lines, such as `    at Token.transfer (contracts/Token.sol:42:9)`. */
  readonly stack: string
  /** What may make it incomplete or wrong, such as sources that are absent; at most 5. */
  readonly notes: readonly string[]
}

/** A call that failed, in hex. */
interface FailedCall {
  readonly to: string
  readonly input: string
  readonly output: string
}

/** A trace that is kept: of a call, on a chain. */
interface KeptTrace {
  readonly chain: object
  readonly key: string
  readonly trace: SolidityTrace
}

/** The most traces that are kept. */
const MAX_KEPT = 64

let kept: readonly KeptTrace[] = []

const keyOf = ({ to, input, output }: FailedCall): string => `${to} ${input} ${output}`.toLowerCase()

/**
 * Keeps the trace of a call for errors that do not refer to the one that has it, as those of contracts of ethers.
 *
 * @param chain - identifies the chain; its next trace of the same call replaces this one.
 */
export function keepSolidityTrace(chain: object, call: FailedCall, trace: SolidityTrace): void {
  const key = keyOf(call)
  const others = kept.filter((other) => other.key !== key || other.chain !== chain)
  kept = [...others, { chain, key, trace }].slice(-MAX_KEPT)
}

/** Forgets the traces of a chain that is closed: accounts of the next one have the same addresses. */
export function forgetSolidityTraces(chain: object): void {
  kept = kept.filter((other) => other.chain !== chain)
}

/** The trace of a call by what an error of ethers says of it; undefined if chains disagree, since it names none. */
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

/** The errors of errors that are looked at. */
const MAX_DEPTH = 20

/**
 * The Solidity stack trace of an error, from wherever its client keeps it: on the error itself, on its causes, as viem's
 * and over HTTP, or in its `info`, as ethers' do.
 *
 * An error of a contract of ethers has none of these, and does not name its chain. Its trace is found by the call, among the
 * last 64 of the open chains of this process, unless the same call failed in different ways on several of them.
 *
 * @returns undefined if there is none: the chain has no `stackTraces`, or the error is not that of a failed execution.
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
 * Puts the frames of an error's Solidity stack trace on top of its own `stack`, unless they are there. Nothing else of the
 * error is changed, and an error without a trace stays as it is.
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
