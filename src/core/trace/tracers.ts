/** Tracers by name; a chunk that the first trace loads. */

import { bytesToHex, quantity, toWord } from '../../base/bytes.ts'
import type { Crypto } from '../../base/crypto/crypto.ts'
import type { Address, Hash, Hex } from '../../base/types.ts'
import { feeRecipients } from '../../ethereum/chainSpec.ts'
import { signedAuthorizations } from '../../ethereum/evm/authorizations.ts'
import {
  type BlockEnv,
  type FrameEnd,
  type Hooks,
  type Included,
  isCreation,
  type Step,
} from '../../ethereum/evm/executor.ts'
import { combineHooks, Touched } from '../../ethereum/evm/hooks.ts'
import { delegateOf } from '../../ethereum/evm/validate.ts'
import {
  EMPTY_ACCOUNT,
  isEmptyAccount,
  readCode,
  readSlot,
  type StateReader,
} from '../../ethereum/state/account.ts'
import type { Overlay } from '../../ethereum/state/overlay.ts'
import type { TxEnv } from '../../ethereum/transaction.ts'
import { type CallNode, CallTree, createParityTracer, type ParityConfig } from './callTree.ts'
import { UnknownTracerError } from './errors.ts'
import { toRevertReason } from './revertReason.ts'
import type {
  CallTrace,
  DebugTrace,
  FourByteTrace,
  PrestateAccount,
  PrestateDiffTrace,
  PrestateTrace,
  StructLog,
  StructLogTrace,
} from './shapes.ts'
import { MUX, Spending, type TraceContext, type TraceRun } from './tracer.ts'

/** Options of the named tracer. Options of different tracers are ignored. */
export type TracerConfig = CallTracerConfig & PrestateTracerConfig & ParityConfig

/** Options of tracing. */
export interface TraceOptions extends StructLoggerConfig {
  /** The name of a tracer; default: the struct logger. */
  readonly tracer?: string
  readonly tracerConfig?: TracerConfig
  /** The tracers that muxTracer runs, by name. */
  readonly tracers?: ReadonlyMap<string, TracerConfig>
}

/** Creates a run that traces one execution. @throws UnknownTracerError */
export function createTraceRun(options: TraceOptions, context: TraceContext): TraceRun<DebugTrace> {
  const { tracer, tracerConfig = {} } = options
  if (tracer === undefined || tracer === '') return createStructLogger(options, context)
  if (tracer !== MUX) return findTracer(tracer, [...TRACERS.keys(), MUX])(tracerConfig, context)
  const runs = new Map<string, TraceRun<DebugTrace>>()
  for (const [name, config] of options.tracers ?? []) {
    runs.set(name, findTracer(name, [...TRACERS.keys()])(config, context))
  }
  return {
    hooks: combineHooks([...runs.values()].map((run) => run.hooks)) ?? {},
    result: (...ended) => Object.fromEntries([...runs].map(([name, run]) => [name, run.result(...ended)])),
  }
}

type CreateRun = (config: TracerConfig, context: TraceContext) => TraceRun<DebugTrace>

const TRACERS: ReadonlyMap<string, CreateRun> = new Map<string, CreateRun>([
  ['callTracer', createCallTracer],
  ['prestateTracer', createPrestateTracer],
  ['4byteTracer', (_config, context) => createFourByteTracer(context)],
  ['flatCallTracer', createParityTracer],
  ['noopTracer', () => ({ hooks: {}, result: () => ({}) })],
])

function findTracer(name: string, known: readonly string[]): CreateRun {
  const create = TRACERS.get(name)
  if (create === undefined) throw new UnknownTracerError(name, known)
  return create
}

// callTracer: go-ethereum's tree of calls.

/** Options of callTracer. */
export interface CallTracerConfig {
  /** Leave out the calls of the outermost frame; default: false. */
  readonly onlyTopCall?: boolean
  /** Show logs; default: false. */
  readonly withLog?: boolean
}

/** Creates a run of callTracer. */
export function createCallTracer(config: CallTracerConfig, context: TraceContext): TraceRun<CallTrace> {
  const tree = new CallTree(context)
  return {
    hooks: tree,
    result: (tx, { gasUsed }: Included) => ({
      ...toCallTrace(tree.root, config, true),
      // The gas of the whole transaction, with its intrinsic gas.
      gas: quantity(tx.gasLimit),
      gasUsed: quantity(gasUsed),
    }),
  }
}

/** @param succeeded - none of the frames around it failed. */
function toCallTrace(node: CallNode, config: CallTracerConfig, succeeded: boolean): CallTrace {
  const { type, from, input, value, gas, gasUsed, output, error, calls, logs } = node
  const creates = isCreation(type)
  const to = creates ? node.created : node.to
  const reverted = error === 'execution reverted'
  const reason = reverted ? toRevertReason(output) : undefined
  const keepsLogs = succeeded && error === undefined
  return {
    type,
    from,
    ...(to !== undefined && !(creates && error !== undefined) && { to }),
    ...(type !== 'STATICCALL' && { value: quantity(value) }),
    gas: quantity(gas),
    gasUsed: quantity(gasUsed),
    input: bytesToHex(input),
    ...(output.length > 0 && (error === undefined || reverted) && { output: bytesToHex(output) }),
    ...(error !== undefined && { error }),
    ...(reason !== undefined && { revertReason: reason }),
    ...(calls.length > 0 &&
      !config.onlyTopCall && { calls: calls.map((call) => toCallTrace(call, config, keepsLogs)) }),
    ...(config.withLog &&
      keepsLogs &&
      logs.length > 0 && {
        logs: logs.map(({ address, topics, data, index, position }) => ({
          address,
          topics: [...topics],
          data,
          index: quantity(index),
          position: quantity(position),
        })),
      }),
  }
}

// 4byteTracer: selectors of called functions, with the sizes of their arguments.

/** Creates a run of 4byteTracer. */
export function createFourByteTracer(context: TraceContext): TraceRun<FourByteTrace> {
  const tree = new CallTree(context)
  return {
    hooks: tree,
    result() {
      const counts: Record<string, number> = {}
      const count = ({ type, to, input, calls }: CallNode): void => {
        if (!isCreation(type) && input.length >= 4 && !tree.precompiles.has(to!)) {
          const key = `${bytesToHex(input.subarray(0, 4))}-${input.length - 4}`
          counts[key] = (counts[key] ?? 0) + 1
        }
        calls.forEach(count)
      }
      count(tree.root)
      return counts
    },
  }
}

// prestateTracer: the touched accounts and slots before a transaction, or with `diffMode` the changes.

/** Options of prestateTracer. */
export interface PrestateTracerConfig {
  /** Show the changed accounts before and after, in place of all touched accounts before; default: false. */
  readonly diffMode?: boolean
  readonly disableCode?: boolean
  readonly disableStorage?: boolean
}

/** Creates a run of prestateTracer. */
export function createPrestateTracer(
  config: PrestateTracerConfig,
  context: TraceContext,
): TraceRun<PrestateTrace | PrestateDiffTrace> {
  const states = new TouchedStates(context)
  return {
    hooks: states,
    result: () => (config.diffMode ? toDiff(states, config) : toPrestate(states, config)),
  }
}

/** The touched accounts and slots, with the states before and after. */
class TouchedStates implements Hooks {
  readonly touched = new Touched()
  /** Addresses of creations, including failed ones. */
  readonly created = new Set<Address>()
  after!: Overlay
  readonly spend: TraceContext['spend']
  readonly #crypto: Crypto

  constructor({ crypto, spend }: TraceContext) {
    this.#crypto = crypto
    this.spend = spend
  }

  /** The state before the transaction. */
  get before(): StateReader {
    return this.after.parent
  }

  onStart(tx: TxEnv, { coinbase, rules }: BlockEnv, state: Overlay): void {
    this.touched.clear()
    this.created.clear()
    this.after = state
    this.onAccess(tx.from)
    this.onAccess(coinbase)
    if (rules.spec !== undefined) for (const paid of feeRecipients(rules.spec)) this.onAccess(paid)
    if (tx.to !== null) this.onAccess(tx.to)
    for (const { authority } of signedAuthorizations(tx, rules.chainId, this.#crypto))
      this.onAccess(authority)
  }

  onExit({ created }: FrameEnd): void {
    if (created === undefined) return
    this.created.add(created)
    this.onAccess(created)
  }

  onAccess(address: Address, slot?: Hash): void {
    if (!this.touched.add(address, slot)) return
    // A delegated account (EIP-7702) also touches its delegate.
    const delegate = delegateOf(readCode(this.before, address))
    if (delegate !== undefined) this.onAccess(delegate)
  }
}

function toPrestate(states: TouchedStates, config: PrestateTracerConfig): PrestateTrace {
  const prestate: Record<Address, PrestateAccount> = {}
  for (const { address, storageKeys: slots } of states.touched.sorted()) {
    const values = valuesOf(states.before, address, slots)
    prestate[address] = counted(states, toAccount(states.before, address, values, config))
  }
  return prestate
}

function toDiff(states: TouchedStates, config: PrestateTracerConfig): PrestateDiffTrace {
  const { before, after, created } = states
  const pre: Record<Address, PrestateAccount> = {}
  const post: Record<Address, PrestateAccount> = {}
  for (const { address, storageKeys: slots } of states.touched.sorted()) {
    const old = before.account(address)
    const now = after.account(address)
    if (old === undefined && now === undefined) continue
    const isGone = now === undefined
    const changed = config.disableStorage ? [] : changedSlots(states, address, slots)
    const change = isGone ? {} : toChange(states, address, changed, config)
    if (!isGone && Object.keys(change).length === 0 && changed.length === 0) continue
    if (!isGone) post[address] = counted(states, change)
    if (created.has(address) && (old === undefined || isEmptyAccount(old))) continue
    const values = valuesOf(before, address, changed).filter(([, value]) => value > 0n)
    pre[address] = counted(states, toAccount(before, address, values, config))
  }
  return { pre, post }
}

/** How many bytes of memory an account takes without code and storage, and how many a slot takes. Estimates. */
const [ACCOUNT_BYTES, SLOT_BYTES] = [400, 250] as const

/** Counts the memory of an account and returns the account. @throws TraceTooLargeError */
function counted({ spend }: TouchedStates, account: PrestateAccount): PrestateAccount {
  const { code = '', storage = {} } = account
  spend(ACCOUNT_BYTES + code.length + SLOT_BYTES * Object.keys(storage).length)
  return account
}

function changedSlots({ before, after }: TouchedStates, address: Address, slots: readonly Hash[]): Hash[] {
  return slots.filter((slot) => readSlot(before, address, slot) !== readSlot(after, address, slot))
}

/** Returns the changed fields of an account. */
function toChange(
  { before, after }: TouchedStates,
  address: Address,
  changed: readonly Hash[],
  config: PrestateTracerConfig,
): PrestateAccount {
  const old = before.account(address) ?? EMPTY_ACCOUNT
  const now = after.account(address)!
  const values = valuesOf(after, address, changed).filter(([, value]) => value > 0n)
  return {
    ...(now.balance !== old.balance && { balance: quantity(now.balance) }),
    ...(now.nonce !== old.nonce && { nonce: Number(now.nonce) }),
    ...(now.codeHash !== old.codeHash &&
      !config.disableCode && { code: bytesToHex(after.code(now.codeHash)) }),
    ...(values.length > 0 && { storage: toStorage(values) }),
  }
}

function toAccount(
  state: StateReader,
  address: Address,
  values: readonly SlotValue[],
  { disableCode, disableStorage }: PrestateTracerConfig,
): PrestateAccount {
  const { balance, nonce, codeHash } = state.account(address) ?? EMPTY_ACCOUNT
  const code = state.code(codeHash)
  return {
    balance: quantity(balance),
    ...(nonce > 0n && { nonce: Number(nonce) }),
    ...(code.length > 0 && !disableCode && { code: bytesToHex(code) }),
    ...(values.length > 0 && !disableStorage && { storage: toStorage(values) }),
  }
}

type SlotValue = readonly [slot: Hash, value: bigint]

function valuesOf(state: StateReader, address: Address, slots: readonly Hash[]): SlotValue[] {
  return slots.map((slot) => [slot, readSlot(state, address, slot)])
}

function toStorage(values: readonly SlotValue[]): Record<Hash, Hash> {
  return Object.fromEntries(values.map(([slot, value]) => [slot, toWord(value)]))
}

// The default tracer: one entry per instruction, as in go-ethereum's struct logger.

/** Options of the default tracer. */
export interface StructLoggerConfig {
  /** Show the memory before each instruction; default: false. */
  readonly enableMemory?: boolean
  readonly disableStack?: boolean
  readonly disableStorage?: boolean
  /** Show the return data of the last call; default: false. */
  readonly enableReturnData?: boolean
  /** The maximum number of entries; default: 0, no limit. */
  readonly limit?: number
}

const [SLOAD, SSTORE] = [0x54, 0x55] as const

/**
 * How many bytes of memory an entry takes without the parts counted by `sizeOf`, and a string without its characters.
 */
const [ENTRY_BYTES, TEXT_BYTES] = [200, 8] as const

/** Creates a run of the default tracer. */
export function createStructLogger(
  config: StructLoggerConfig,
  context: TraceContext,
): TraceRun<StructLogTrace> {
  const logger = new StructLogger(config, context)
  return {
    hooks: logger,
    result: (_tx, { gasUsed, succeeded, output }) => ({
      gas: Number(gasUsed),
      failed: !succeeded,
      returnValue: bytesToHex(output),
      structLogs: logger.logs,
    }),
  }
}

type Entry = { -readonly [Key in keyof StructLog]: StructLog[Key] }

class StructLogger implements Hooks {
  logs: Entry[] = []
  readonly #config: StructLoggerConfig
  readonly #spending: Spending
  readonly #limit: number
  /** The stack of the last entry, and its items in hex: most items stay the same in the next entry. */
  #stack: readonly bigint[] = []
  #items: readonly Hex[] = []
  #storage = new Map<Address, Record<Hash, Hash>>()
  #isFull = false

  constructor(config: StructLoggerConfig, context: TraceContext) {
    this.#config = config
    this.#spending = new Spending(context)
    this.#limit = config.limit || Number.POSITIVE_INFINITY
  }

  onStart(): void {
    this.#spending.start()
    this.logs = []
    this.#storage = new Map()
    this.#isFull = false
  }

  onStep(step: Step): void {
    this.#isFull = this.logs.length >= this.#limit
    if (!this.#isFull) this.#log(step)
  }

  #log(step: Step): void {
    const { enableMemory, disableStack, disableStorage, enableReturnData } = this.#config
    const touchesStorage = step.opcode === SLOAD || step.opcode === SSTORE
    const stack = disableStack && !touchesStorage ? [] : step.stack()
    const storage = touchesStorage && !disableStorage ? this.#recordSlot(step, stack) : undefined
    const entry: Entry = {
      pc: step.pc,
      op: step.name,
      gas: Number(step.gas),
      gasCost: Number(step.cost),
      depth: step.depth,
      refund: Number(step.refund),
      ...(!disableStack && { stack: this.#toItems(stack) }),
      ...(enableMemory && { memory: toWords(step.memory()) }),
      ...(storage && { storage }),
      ...(enableReturnData && { returnData: bytesToHex(step.returnData) }),
    }
    this.#spending.add(sizeOf(entry))
    this.logs.push(entry)
  }

  #toItems(stack: readonly bigint[]): readonly Hex[] {
    const [before, known] = [this.#stack, this.#items]
    this.#stack = stack
    this.#items = stack.map((item, i) => (item === before[i] ? known[i]! : quantity(item)))
    return this.#items
  }

  onOpcodeError(error: string): void {
    const last = this.logs.at(-1)
    if (last !== undefined && !this.#isFull) last.error = error
  }

  /** Records the slot of a step. @returns all slots of the account that were read or written so far. */
  #recordSlot(step: Step, stack: readonly bigint[]): Record<Hash, Hash> | undefined {
    const { opcode, address } = step
    const [key, written] = [stack.at(-1), stack.at(-2)]
    if (key === undefined || (opcode === SSTORE && written === undefined)) return undefined
    const slot = toWord(key)
    const value = opcode === SSTORE ? written! : step.slot(slot)
    const slots = { ...this.#storage.get(address), [slot]: toWord(value) }
    this.#storage.set(address, slots)
    return { ...slots }
  }
}

/** Estimates the memory of an entry, in bytes: roughly the size of its JSON, or more. */
function sizeOf({ stack, memory, storage, returnData }: Entry): number {
  let size = ENTRY_BYTES + (returnData?.length ?? 0)
  for (const item of stack ?? []) size += TEXT_BYTES + item.length
  // Each entry has separate strings for its memory, so they count more than items of the stack.
  for (const word of memory ?? []) size += 4 * TEXT_BYTES + word.length
  if (storage !== undefined) size += Object.keys(storage).length * 2 * (TEXT_BYTES + 66)
  return size
}

function toWords(memory: Uint8Array): Hex[] {
  const words: Hex[] = []
  for (let at = 0; at < memory.length; at += 32) words.push(bytesToHex(memory.subarray(at, at + 32)))
  return words
}
