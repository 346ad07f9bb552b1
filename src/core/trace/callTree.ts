/** Collects the frames of an execution as a tree for tracers, and flattens it to Parity's list. */

import { bytesToHex, quantity } from '../../base/bytes.ts'
import type { Address, Hex } from '../../base/types.ts'
import type { Log } from '../../ethereum/block.ts'
import {
  type BlockEnv,
  type FrameEnd,
  type FrameStart,
  type Hooks,
  nameFailure,
} from '../../ethereum/evm/executor.ts'
import { FrameStack } from '../../ethereum/evm/hooks.ts'
import { precompilesOf } from '../../ethereum/evm/precompiles.ts'
import type { StateReader } from '../../ethereum/state/account.ts'
import type { TxEnv } from '../../ethereum/transaction.ts'
import type { ParityFrame, ParityTrace } from './shapes.ts'
import { Spending, type TraceContext, type TraceRun } from './tracer.ts'

/** An ended frame with the frames it called. */
export interface CallNode extends FrameStart, FrameEnd {
  readonly calls: readonly CallNode[]
  readonly logs: readonly TracedLog[]
}

/** A log with its position. */
export interface TracedLog extends Log {
  /** The index among all logs of the execution, including logs of failed frames. */
  readonly index: number
  /** The number of calls that the frame made before the log. */
  readonly position: number
}

interface OpenNode extends FrameStart {
  readonly calls: CallNode[]
  readonly logs: TracedLog[]
}

/** Estimated memory in bytes: of a frame or log without its data, and of each byte of data with its two hex digits. */
const [NODE_BYTES, BYTES_PER_BYTE] = [600, 3] as const

/** Builds the call tree during an execution. */
export class CallTree implements Hooks {
  /** Precompiles of the block's hardfork. */
  precompiles: ReadonlySet<Address> = new Set()
  readonly #spending: Spending
  readonly #frames = new FrameStack<OpenNode>()
  #logs = 0

  constructor(context: TraceContext) {
    this.#spending = new Spending(context)
  }

  onStart(_tx: TxEnv, { rules }: BlockEnv, state: StateReader): void {
    this.precompiles = precompilesOf(rules.fork)
    this.#spending.start()
    this.#frames.start(state)
    this.#logs = 0
  }

  onEnter(frame: FrameStart): void {
    // A trace address has one number per level.
    this.#spending.add(NODE_BYTES + 8 * this.#frames.depth + BYTES_PER_BYTE * frame.input.length)
    // The input may be a view of the caller's memory.
    this.#frames.enter({ ...frame, input: frame.input.slice(), calls: [], logs: [] })
  }

  onExit(end: FrameEnd): void {
    this.#spending.add(BYTES_PER_BYTE * end.output.length)
    const ended = Object.assign(this.#frames.exit(end), nameFailure(end))
    this.#frames.current?.calls.push(ended)
  }

  onLog(log: Log): void {
    this.#spending.add(NODE_BYTES + log.data.length)
    const frame = this.#frames.current!
    frame.logs.push({ ...log, index: this.#logs++, position: frame.calls.length })
  }

  /** The outermost frame, after the execution. */
  get root(): CallNode {
    return this.#frames.root as OpenNode & FrameEnd
  }
}

// Parity's traces: the frames of a transaction as a flat list, each with its trace address.

/** Options of Parity's traces. */
export interface ParityConfig {
  /** Show calls of precompiles that transfer no value; default: false. */
  readonly includePrecompiles?: boolean
  /** Use Parity's words for errors, not go-ethereum's; default: false. */
  readonly convertParityErrors?: boolean
}

/** Creates a run of go-ethereum's flatCallTracer, which returns Parity's traces. */
export function createParityTracer(
  config: ParityConfig,
  context: TraceContext,
): TraceRun<ParityFrame[] | ParityTrace[]> {
  const tree = new CallTree(context)
  return {
    hooks: tree,
    result(_tx, _outcome, place) {
      const frames = [...flatten(tree.root, [], tree, config)]
      if (place === undefined) return frames
      const { block, index } = place
      const position = {
        blockHash: block.hash,
        blockNumber: Number(block.number),
        transactionHash: block.transactions[index]!.hash,
        transactionPosition: index,
      }
      return frames.map((frame) => ({ ...frame, ...position }))
    },
  }
}

/** Creates a run for the `trace_` methods, such as `trace_transaction`. */
export function createTransactionTracer(context: TraceContext): TraceRun<ParityTrace[]> {
  return createParityTracer({ convertParityErrors: true }, context) as TraceRun<ParityTrace[]>
}

/** Estimates the memory of a frame, in bytes. */
export function sizeOfFrame({ action, result, traceAddress }: ParityFrame): number {
  const input = 'input' in action ? action.input : 'init' in action ? action.init : ''
  const output = result === null ? '' : 'output' in result ? result.output : result.code
  return NODE_BYTES + input.length + output.length + 8 * traceAddress.length
}

function* flatten(
  node: CallNode,
  traceAddress: readonly number[],
  tree: CallTree,
  config: ParityConfig,
): Generator<ParityFrame> {
  const isPrecompile = ({ to, value }: CallNode) =>
    to !== undefined && tree.precompiles.has(to) && value === 0n && !config.includePrecompiles
  const shown = node.calls.filter((call) => !isPrecompile(call))
  const failed = node.error !== undefined
  const reverted = node.error === 'execution reverted'
  yield {
    ...describe(node, !failed || reverted),
    ...(failed && { error: config.convertParityErrors ? toParityError(node.error!) : node.error }),
    subtraces: shown.length,
    traceAddress,
  }
  for (const [i, call] of shown.entries()) yield* flatten(call, [...traceAddress, i], tree, config)
}

/** @param showsResult - shows the result, if the frame has one. */
function describe(node: CallNode, showsResult: boolean): Pick<ParityFrame, 'type' | 'action' | 'result'> {
  const { type, from, input, output } = node
  const [gas, gasUsed, value] = [node.gas, node.gasUsed, node.value].map(quantity) as [Hex, Hex, Hex]
  switch (type) {
    case 'SELFDESTRUCT': {
      const action = { address: from, refundAddress: node.to!, balance: value }
      return { type: 'suicide', action, result: null }
    }
    case 'CREATE':
    case 'CREATE2': {
      const creationMethod = type.toLowerCase() as Lowercase<typeof type>
      const result = { gasUsed, address: node.created!, code: bytesToHex(output) }
      return {
        type: 'create',
        action: { creationMethod, from, gas, init: bytesToHex(input), value },
        result: showsResult ? result : null,
      }
    }
    default: {
      const callType = type.toLowerCase() as Lowercase<typeof type>
      return {
        type: 'call',
        action: { callType, from, to: node.to!, gas, input: bytesToHex(input), value },
        result: showsResult ? { gasUsed, output: bytesToHex(output) } : null,
      }
    }
  }
}

/** Parity's words for go-ethereum's errors. Unlisted errors stay unchanged. */
const PARITY_ERRORS: ReadonlyMap<string, string> = new Map([
  ['execution reverted', 'Reverted'],
  ['out of gas', 'Out of gas'],
  ['contract creation code storage out of gas', 'Out of gas'],
  ['max code size exceeded', 'Out of gas'],
  ['invalid jump destination', 'Bad jump destination'],
  ['stack underflow', 'Stack underflow'],
  ['stack overflow', 'Out of stack'],
  ['value out of range', 'Out of bounds'],
  ['precompiled failed', 'Built-in failed'],
  ['write protection', 'Mutable Call In Static Context'],
  ['insufficient balance for transfer', 'Insufficient balance for transfer'],
])

function toParityError(error: string): string {
  return error.startsWith('invalid opcode') ? 'Bad instruction' : (PARITY_ERRORS.get(error) ?? error)
}
