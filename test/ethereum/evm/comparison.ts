/** An execution on both engines: what the second says must be what the first does, step by step. */

import { bytesToHex } from '../../../src/base/bytes.ts'
import type { Crypto } from '../../../src/base/crypto/crypto.ts'
import { whenLoaded } from '../../../src/base/waiting.ts'
import { LogCapture } from '../../../src/core/block/simulate.ts'
import { createPresealEngine } from '../../../src/ethereum/evm/engine/presealEngine.ts'
import { createEthereumjsEngine } from '../../../src/ethereum/evm/ethereumjs/engine.ts'
import type { Executed, Execution, Executor, Hooks } from '../../../src/ethereum/evm/executor.ts'
import { combineHooks } from '../../../src/ethereum/evm/hooks.ts'
import { createExecutor } from '../../../src/ethereum/evm/transition.ts'
import { ALWAYS_DUE, NEVER_DUE } from '../../suspending.ts'

/** What an execution does, in a form that can be compared. */
export interface Observation {
  /** The outcome, with bytes as hex. */
  readonly outcome: unknown
  /** The accounts that it changes, with their slots; null for a deleted one. */
  readonly accounts: Readonly<Record<string, unknown>>
  /** The logs as eth_simulateV1 counts them. */
  readonly captured?: unknown
  /** The accounts and slots that code touches, in order. */
  readonly accessed?: readonly string[]
  /** Frames, instructions and logs, in order, a line each. */
  readonly trace?: readonly string[]
}

/** What is observed in addition to outcome and accounts. */
export interface Watching {
  readonly captured?: boolean
  readonly accessed?: boolean
  readonly trace?: boolean
  /** Whether the tracer has the execution wait after each instruction. */
  readonly pauses?: boolean
}

/** An executor on each engine. */
export interface Engines {
  readonly preseal: Executor
  readonly ethereumjs: Executor
}

/** Creates an executor on each engine. */
export function createEngines(crypto: Crypto): Engines {
  return {
    preseal: createExecutor(createPresealEngine(crypto), crypto),
    ethereumjs: createExecutor(createEthereumjsEngine(crypto), crypto),
  }
}

/** Executes and observes, without the execution's own hooks. */
export async function observe(
  executor: Executor,
  execution: Execution,
  watching: Watching = { trace: true },
): Promise<Observation> {
  const trace: string[] = []
  const accessed: string[] = []
  const capture = watching.captured ? new LogCapture(true) : undefined
  const onAccess: Hooks['onAccess'] = (address, slot) => {
    accessed.push(slot === undefined ? address : `${address} ${slot}`)
  }
  const hooks = combineHooks([
    ...(capture ? [capture] : []),
    ...(watching.accessed ? [{ onAccess }] : []),
    ...(watching.trace ? [traceLines(trace)] : []),
  ])
  const pause = watching.pauses ? ALWAYS_DUE : NEVER_DUE
  const { outcome, overlay } = await whenLoaded(() => {
    // What an execution touched that was ended for lack of a library is void, as its trace is.
    accessed.length = 0
    return executor.execute({ ...execution, hooks }, pause)
  }, pause)
  return {
    outcome: toComparable(outcome, execution.tx.gasLimit),
    accounts: await whenLoaded(() => accountsOf(overlay)),
    ...(capture && { captured: { logs: capture.logs, count: capture.count } }),
    ...(watching.accessed && { accessed }),
    ...(watching.trace && { trace: withoutFailedSteps(trace) }),
  }
}

/**
 * The errors that are compared by name. All others have their frame lose all its gas, and are equal to running out of it,
 * since which of two comes first differs, as does what has a name of its own: go-ethereum checks the stack before the gas,
 * and has a text for each failure of a precompile, where @ethereumjs in most cases has that of REVERT.
 */
const NAMED: ReadonlySet<string> = new Set([
  'execution reverted',
  'invalid opcode',
  'invalid jump destination',
  'contract address collision',
  'insufficient balance for transfer',
  'max call depth exceeded',
  'nonce uint64 overflow',
  'value overflow',
  'max code size exceeded',
  'invalid code: must not begin with 0xef',
])

/**
 * The name of an error that both engines have.
 *
 * @param isLoss - whether the frame returned nothing and lost all its gas.
 */
function comparableError(error: string | undefined, isLoss: boolean): string | undefined {
  if (error === undefined) return undefined
  // After a jump, @ethereumjs has lost which undefined opcode it was.
  const name = error.startsWith('invalid opcode') ? 'invalid opcode' : error
  return NAMED.has(name) && !(name === 'execution reverted' && isLoss) ? name : 'out of gas'
}

/** The trace without the instructions that failed: the engines differ in whether they report them, and at what cost. */
function withoutFailedSteps(trace: readonly string[]): string[] {
  const lines: string[] = []
  for (const line of trace) {
    if (line.startsWith('failed: ') && /^\d/.test(lines.at(-1) ?? '')) lines.pop()
    lines.push(line)
  }
  return lines
}

/** Accounts and slots as they are afterwards. Storage ids and writes of the same value are an engine's own affair. */
function accountsOf(overlay: Executed['overlay']): Record<string, unknown> {
  const { accounts, slots } = overlay.changes()
  const result: Record<string, unknown> = {}
  for (const [address, account] of accounts) {
    const before = overlay.parent.account(address)
    if (account === null) {
      if (before !== undefined) result[address] = null
      continue
    }
    const { nonce, balance, codeHash, storageId, slotCount } = account
    const changed: Record<string, string> = {}
    for (const [key, value] of [...(slots.get(storageId) ?? [])].sort()) {
      const old = before?.storageId === storageId ? overlay.parent.slot(storageId, key) : 0n
      if (value !== old) changed[key] = `0x${value.toString(16)}`
    }
    const isSame =
      before !== undefined &&
      before.nonce === nonce &&
      before.balance === balance &&
      before.codeHash === codeHash &&
      before.slotCount === slotCount &&
      Object.keys(changed).length === 0
    if (!isSame) result[address] = { nonce, balance, codeHash, slotCount, slots: changed }
  }
  return Object.fromEntries(Object.entries(result).sort())
}

function toComparable(outcome: Executed['outcome'], gasLimit: bigint): unknown {
  if (outcome.kind === 'rejected') return { kind: outcome.kind, error: outcome.error.message }
  // Only one of the engines can tell whether an execution depends on its gas.
  const { error, output, dependsOnGas: _, ...rest } = outcome
  const isLoss = output.length === 0 && outcome.peakGas === gasLimit
  return { ...rest, output: bytesToHex(output), error: comparableError(error, isLoss) }
}

function traceLines(lines: string[]): Hooks {
  /** The gas of the frames that have not ended. */
  const limits: bigint[] = []
  return {
    onStart() {
      lines.length = 0
      limits.length = 0
    },
    onEnter({ type, from, to, gas, value, input }) {
      limits.push(gas)
      lines.push(`${type} ${from} → ${to} gas ${gas} value ${value} ${bytesToHex(input)}`)
    },
    onExit({ gasUsed, output, error, created }) {
      const isLoss = limits.pop() === gasUsed && output.length === 0
      lines.push(`end gas ${gasUsed} ${comparableError(error, isLoss)} ${bytesToHex(output)} ${created}`)
    },
    onLog({ address, topics, data }) {
      lines.push(`log ${address} ${topics} ${data}`)
    },
    onStep(step) {
      const { depth, pc, name, gas, cost, refund, address, returnData } = step
      const stack = step.stack().map((word) => word.toString(16))
      const memory = step.memory()
      lines.push(
        `${depth} ${pc} ${name} gas ${gas} cost ${cost} refund ${refund} of ${address} stack ${stack} ` +
          `memory ${memory.length} ${bytesToHex(memory.subarray(-64))} sum ${checksum(memory)} ` +
          `returned ${bytesToHex(returnData)}`,
      )
    },
    onOpcodeError(error) {
      lines.push(`failed: ${comparableError(error, false)}`)
    },
  }
}

function checksum(bytes: Uint8Array): number {
  let sum = 0
  for (let i = 0; i < bytes.length; i++) sum = (Math.imul(sum, 31) + bytes[i]!) | 0
  return sum
}
