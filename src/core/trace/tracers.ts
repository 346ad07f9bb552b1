/** Tracers by name; a chunk that the first trace loads. */

import { bytesToHex, quantity, toWord } from '../../base/bytes.ts'
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
  type AccountRecord,
  EMPTY_ACCOUNT,
  isEmptyAccount,
  readCode,
  readSlot,
  type StateReader,
} from '../../ethereum/state/account.ts'
import type { Overlay } from '../../ethereum/state/overlay.ts'
import type { TxEnv } from '../../ethereum/transaction.ts'
import { type CallNode, CallTree, createParityTracer, type ParityConfig, type TracedLog } from './callTree.ts'
import { UnknownTracerError } from './errors.ts'
import { toRevertReason } from './revertReason.ts'
import type {
  CallTrace,
  CallTraceLog,
  DebugTrace,
  FourByteTrace,
  PrestateAccount,
  PrestateDiffTrace,
  PrestateTrace,
  StructLog,
  StructLogTrace,
} from './shapes.ts'
import { MUX, Spending, type TraceContext, type TraceRun } from './tracer.ts'

/** The options of all tracers. Each tracer ignores the options that it does not have. */
type TracerConfig = CallTracerConfig & PrestateTracerConfig & ParityConfig

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
  if (tracer === undefined || tracer === '') return new StructLogger(options, context)
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
  ['prestateTracer', (config, context) => new PrestateTracer(config, context)],
  ['4byteTracer', createFourByteTracer],
  ['flatCallTracer', createParityTracer],
  ['noopTracer', () => ({ hooks: {}, result: () => ({}) })],
])

function findTracer(name: string, known: readonly string[]): CreateRun {
  const create = TRACERS.get(name)
  if (create === undefined) throw new UnknownTracerError(name, known)
  return create
}

// callTracer: go-ethereum's tree of calls.

interface CallTracerConfig {
  /** Leave out the calls of the outermost frame; default: false. */
  readonly onlyTopCall?: boolean
  readonly withLog?: boolean
}

function createCallTracer(config: CallTracerConfig, context: TraceContext): TraceRun<CallTrace> {
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
  const revertReason = reverted ? toRevertReason(output) : undefined
  const keepsLogs = succeeded && error === undefined
  const showsCalls = calls.length > 0 && !config.onlyTopCall
  const showsLogs = config.withLog && keepsLogs && logs.length > 0
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
    ...(revertReason !== undefined && { revertReason }),
    ...(showsCalls && { calls: calls.map((call) => toCallTrace(call, config, keepsLogs)) }),
    ...(showsLogs && { logs: logs.map(toCallTraceLog) }),
  }
}

function toCallTraceLog({ address, topics, data, index, position }: TracedLog): CallTraceLog {
  return { address, topics: [...topics], data, index: quantity(index), position: quantity(position) }
}

// 4byteTracer: selectors of called functions, with the sizes of their arguments.

function createFourByteTracer(_config: TracerConfig, context: TraceContext): TraceRun<FourByteTrace> {
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

interface PrestateTracerConfig {
  /** Show the changed accounts before and after, in place of all touched accounts before; default: false. */
  readonly diffMode?: boolean
  readonly disableCode?: boolean
  readonly disableStorage?: boolean
}

/** How many bytes of memory an account takes without code and storage, and how many a slot takes. Estimates. */
const [ACCOUNT_BYTES, SLOT_BYTES] = [400, 250] as const

class PrestateTracer implements Hooks, TraceRun<PrestateTrace | PrestateDiffTrace> {
  readonly hooks = this
  readonly #config: PrestateTracerConfig
  readonly #context: TraceContext
  readonly #touched = new Touched()
  /** Addresses of creations, including failed ones. */
  readonly #created = new Set<Address>()
  #after!: Overlay

  constructor(config: PrestateTracerConfig, context: TraceContext) {
    this.#config = config
    this.#context = context
  }

  onStart(tx: TxEnv, { coinbase, rules }: BlockEnv, state: Overlay): void {
    this.#touched.clear()
    this.#created.clear()
    this.#after = state
    this.onAccess(tx.from)
    this.onAccess(coinbase)
    if (rules.spec !== undefined) for (const paid of feeRecipients(rules.spec)) this.onAccess(paid)
    if (tx.to !== null) this.onAccess(tx.to)
    const authorizations = signedAuthorizations(tx, rules.chainId, this.#context.crypto)
    for (const { authority } of authorizations) this.onAccess(authority)
  }

  onExit({ created }: FrameEnd): void {
    if (created === undefined) return
    this.#created.add(created)
    this.onAccess(created)
  }

  onAccess(address: Address, slot?: Hash): void {
    if (!this.#touched.add(address, slot)) return
    // A delegated account (EIP-7702) also touches its delegate.
    const delegate = delegateOf(readCode(this.#after.parent, address))
    if (delegate !== undefined) this.onAccess(delegate)
  }

  result(): PrestateTrace | PrestateDiffTrace {
    return this.#config.diffMode ? this.#diff() : this.#prestate()
  }

  #prestate(): PrestateTrace {
    const before = this.#after.parent
    const prestate: Record<Address, PrestateAccount> = {}
    for (const { address, storageKeys } of this.#touched.sorted()) {
      prestate[address] = this.#toAccount(before, address, valuesOf(before, address, storageKeys))
    }
    return prestate
  }

  #diff(): PrestateDiffTrace {
    const after = this.#after
    const before = after.parent
    const pre: Record<Address, PrestateAccount> = {}
    const post: Record<Address, PrestateAccount> = {}
    for (const { address, storageKeys } of this.#touched.sorted()) {
      const old = before.account(address)
      const now = after.account(address)
      if (old === undefined && now === undefined) continue
      const isChanged = (slot: Hash) => readSlot(before, address, slot) !== readSlot(after, address, slot)
      const changed = this.#config.disableStorage ? [] : storageKeys.filter(isChanged)
      if (now !== undefined) {
        const change = this.#toChange(old ?? EMPTY_ACCOUNT, now, setOf(after, address, changed))
        if (Object.keys(change).length === 0 && changed.length === 0) continue
        post[address] = this.#counted(change)
      }
      if (this.#created.has(address) && (old === undefined || isEmptyAccount(old))) continue
      pre[address] = this.#toAccount(before, address, setOf(before, address, changed))
    }
    return { pre, post }
  }

  #toAccount(state: StateReader, address: Address, values: readonly SlotValue[]): PrestateAccount {
    const { disableCode, disableStorage } = this.#config
    const { balance, nonce, codeHash } = state.account(address) ?? EMPTY_ACCOUNT
    const code = state.code(codeHash)
    return this.#counted({
      balance: quantity(balance),
      ...(nonce > 0n && { nonce: Number(nonce) }),
      ...(code.length > 0 && !disableCode && { code: bytesToHex(code) }),
      ...(values.length > 0 && !disableStorage && { storage: toStorage(values) }),
    })
  }

  #toChange(old: AccountRecord, now: AccountRecord, values: readonly SlotValue[]): PrestateAccount {
    const showsCode = now.codeHash !== old.codeHash && !this.#config.disableCode
    return {
      ...(now.balance !== old.balance && { balance: quantity(now.balance) }),
      ...(now.nonce !== old.nonce && { nonce: Number(now.nonce) }),
      ...(showsCode && { code: bytesToHex(this.#after.code(now.codeHash)) }),
      ...(values.length > 0 && { storage: toStorage(values) }),
    }
  }

  #counted(account: PrestateAccount): PrestateAccount {
    const { code = '', storage = {} } = account
    this.#context.spend(ACCOUNT_BYTES + code.length + SLOT_BYTES * Object.keys(storage).length)
    return account
  }
}

type SlotValue = readonly [slot: Hash, value: bigint]

function valuesOf(state: StateReader, address: Address, slots: readonly Hash[]): SlotValue[] {
  return slots.map((slot) => [slot, readSlot(state, address, slot)])
}

/** Returns the slots whose value is not zero. */
function setOf(state: StateReader, address: Address, slots: readonly Hash[]): SlotValue[] {
  return valuesOf(state, address, slots).filter(([, value]) => value > 0n)
}

function toStorage(values: readonly SlotValue[]): Record<Hash, Hash> {
  return Object.fromEntries(values.map(([slot, value]) => [slot, toWord(value)]))
}

// The default tracer: one entry per instruction, as in go-ethereum's struct logger.

interface StructLoggerConfig {
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

/** How many bytes of memory an entry takes without the parts in `sizeOf`, and a string without its characters. */
const [ENTRY_BYTES, TEXT_BYTES] = [200, 8] as const

type Entry = { -readonly [Key in keyof StructLog]: StructLog[Key] }

class StructLogger implements Hooks, TraceRun<StructLogTrace> {
  readonly hooks = this
  #logs: Entry[] = []
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
    this.#logs = []
    this.#storage = new Map()
    this.#isFull = false
  }

  onStep(step: Step): void {
    this.#isFull = this.#logs.length >= this.#limit
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
    this.#logs.push(entry)
  }

  #toItems(stack: readonly bigint[]): readonly Hex[] {
    const [before, known] = [this.#stack, this.#items]
    this.#stack = stack
    this.#items = stack.map((item, i) => (item === before[i] ? known[i]! : quantity(item)))
    return this.#items
  }

  onOpcodeError(error: string): void {
    const last = this.#logs.at(-1)
    if (last !== undefined && !this.#isFull) last.error = error
  }

  result(_tx: TxEnv, { gasUsed, succeeded, output }: Included): StructLogTrace {
    const returnValue = bytesToHex(output)
    return { gas: Number(gasUsed), failed: !succeeded, returnValue, structLogs: this.#logs }
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
    return slots
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
