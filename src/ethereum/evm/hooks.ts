/** Shared by implementations of `Hooks`: their combination, the stack of open frames, the collectors of the process. */
import { toAddress, toWord } from '../../base/bytes.ts'
import { getOrInsert } from '../../base/collections.ts'
import type { AccessListEntry, Address, Hash } from '../../base/types.ts'
import { readCode, type StateReader } from '../state/account.ts'
import { type FrameEnd, type FrameStart, type Hooks, isCreation } from './executor.ts'
import { delegateOf } from './validate.ts'

const MEMBERS = [
  'onStart',
  'onEnter',
  'onExit',
  'onLog',
  'onStep',
  'onOpcodeError',
  'onAccess',
  'onKept',
] as const satisfies readonly (keyof Hooks)[]

type Listener = (...event: unknown[]) => void

/** Combines hooks: each event calls them in the order of the list. Returns undefined for an empty list. */
export function combineHooks(all: readonly Hooks[]): Hooks | undefined {
  if (all.length < 2) return all[0]
  const combined: Record<string, Listener> = {}
  for (const member of MEMBERS) {
    const listeners = all.flatMap((one) => (one[member] as Listener | undefined)?.bind(one) ?? [])
    if (listeners.length === 0) continue
    combined[member] = (...event) => {
      for (const listener of listeners) listener(...event)
    }
  }
  return combined
}

const [SLOAD, SSTORE] = [0x54, 0x55] as const
const [BALANCE, EXTCODESIZE, EXTCODECOPY, EXTCODEHASH] = [0x31, 0x3b, 0x3c, 0x3f] as const
const [CALL, CALLCODE, DELEGATECALL, STATICCALL, SELFDESTRUCT] = [0xf1, 0xf2, 0xf4, 0xfa, 0xff] as const

/**
 * Reports the accounts and slots that an instruction touches, even if it runs out of gas, as go-ethereum does.
 * `peek` returns a word of the stack, 1 for the top.
 */
export function reportAccess(
  hooks: Hooks,
  opcode: number,
  account: Address,
  height: number,
  peek: (position: number) => number | bigint,
): void {
  switch (opcode) {
    case SLOAD:
    case SSTORE:
      if (height >= 1) hooks.onAccess?.(account, toWord(peek(1)))
      break
    case BALANCE:
    case EXTCODESIZE:
    case EXTCODECOPY:
    case EXTCODEHASH:
    case SELFDESTRUCT:
      if (height >= 1) hooks.onAccess?.(addressIn(peek(1)))
      break
    case CALL:
    case CALLCODE:
    case DELEGATECALL:
    case STATICCALL:
      if (height >= 5) hooks.onAccess?.(addressIn(peek(2)))
  }
}

/** Returns the address in the low 160 bits of a word. */
export function addressIn(word: number | bigint): Address {
  return toAddress(BigInt.asUintN(160, BigInt(word)))
}

/** Accounts and slots touched by an execution, each once. */
export class Touched {
  readonly #slots = new Map<Address, Set<Hash>>()

  get size(): number {
    return [...this.#slots.values()].reduce((sum, slots) => sum + 1 + slots.size, 0)
  }

  clear(): void {
    this.#slots.clear()
  }

  /** Adds an account, and optionally one of its slots. @returns whether the account is new. */
  add(address: Address, slot?: Hash): boolean {
    const isNew = !this.#slots.has(address)
    const slots = getOrInsert(this.#slots, address, () => new Set<Hash>())
    if (slot !== undefined) slots.add(slot)
    return isNew
  }

  sorted(): AccessListEntry[] {
    return [...this.#slots.keys()]
      .sort()
      .map((address) => ({ address, storageKeys: [...this.#slots.get(address)!].sort() }))
  }
}

/**
 * The open frames of an execution, with whatever an implementation of `Hooks` keeps per frame, and the code they run.
 * Owns: the frames, and the code of contracts that the execution created, which its state may not have before the end.
 */
export class FrameStack<Frame> {
  readonly #open: Frame[] = []
  readonly #created = new Map<Address, Uint8Array>()
  #state: StateReader | undefined
  /** The outermost frame, also after its end. */
  root: Frame | undefined

  /** The innermost open frame; undefined outside the execution. */
  get current(): Frame | undefined {
    return this.#open.at(-1)
  }

  get depth(): number {
    return this.#open.length
  }

  start(state: StateReader): void {
    this.#open.length = 0
    this.#created.clear()
    this.#state = state
    this.root = undefined
  }

  enter(frame: Frame): void {
    this.root ??= frame
    this.#open.push(frame)
  }

  exit({ created, error, output }: FrameEnd): Frame {
    if (created !== undefined && error === undefined) this.#created.set(created, output)
    return this.#open.pop()!
  }

  codeOfFrame({ type, to, input }: Pick<FrameStart, 'type' | 'to' | 'input'>): Uint8Array {
    return isCreation(type) ? input : this.codeOf(to!)
  }

  /** The code that a call of an account runs; for a delegated account (EIP-7702) the delegate's. */
  codeOf(address: Address): Uint8Array {
    const code = this.#read(address)
    const delegate = delegateOf(code)
    return delegate === undefined ? code : this.#read(delegate)
  }

  #read(address: Address): Uint8Array {
    return this.#created.get(address) ?? readCode(this.#state!, address)
  }
}

// Collectors of the process, such as `preseal/coverage`'s, watch the executions of all chains. They are a global:
// copies of this library in a process (ESM, CJS, test files) share nothing else.

/** Collects facts about executions for a tool, such as coverage. */
export interface ExecutionCollector {
  /** Creates the hooks of one execution; they collect nothing before `onKept`. */
  watch(): Hooks
  /**
   * An account without code that instrumented contracts call to report their execution. While the collector is set,
   * such a call leaves the return data unchanged in every execution, so that a repeated execution has the same result.
   */
  readonly probe?: Address
}

type CollectorName = 'coverage' | 'hardhat'

const COLLECTORS: unique symbol = Symbol.for('preseal.executionCollectors') as never

const globals = globalThis as { [COLLECTORS]?: Map<CollectorName, ExecutionCollector> }
globals[COLLECTORS] ??= new Map()
const collectors = globals[COLLECTORS]

/** Returns the collector set under a name; undefined if none is. */
export function collectorOf(name: CollectorName): ExecutionCollector | undefined {
  return collectors.get(name)
}

/** Sets a collector for the whole process, in place of an earlier one of this name; undefined removes that. */
export function setCollector(name: CollectorName, collector: ExecutionCollector | undefined): void {
  if (collector === undefined) collectors.delete(name)
  else collectors.set(name, collector)
}

/** Returns whether any collector is set: then each transaction of a block runs with hooks. */
export function isWatching(): boolean {
  return collectors.size > 0
}

/** Returns the probe of Hardhat's collector; undefined if there is none. */
export function probedAccount(): Address | undefined {
  return collectors.size === 0 ? undefined : collectors.get('hardhat')?.probe
}

// Calls to the console address of Hardhat's and Foundry's console.sol, which has no code.

/** The ASCII of `console.log`. */
export const CONSOLE: Address = '0x000000000000000000636f6e736f6c652e6c6f67'

/** A call of `console.log`: who called, and the encoded arguments. */
export interface ConsoleCall {
  readonly address: Address
  readonly data: Uint8Array
}

/** The console calls of one execution; the hash is null for a call. */
export interface ConsoleEntry {
  readonly transactionHash: Hash | null
  readonly calls: readonly ConsoleCall[]
}

/** How many bytes of calldata are kept per execution. Without a limit, cheap code could fill the memory. */
const MAX_BYTES = 2 ** 24

/** Collects the console calls of an execution, up to 16 MiB, also of reverted frames; emits them in `onKept`. */
function collectConsole(transactionHash: Hash | null, emit: (entry: ConsoleEntry) => void): Hooks {
  let calls: ConsoleCall[] = []
  let bytes = 0
  return {
    onStart() {
      calls = []
      bytes = 0
    },
    onEnter({ from, to, input }) {
      if (to !== CONSOLE || bytes + input.length > MAX_BYTES) return
      bytes += input.length
      calls.push({ address: from, data: input.slice() })
    },
    onKept() {
      if (calls.length > 0) emit({ transactionHash, calls })
    },
  }
}

/** Combines the hooks of the collectors and of `onConsole`, if any. @param transactionHash - null for a call. */
export function watchExecution(
  transactionHash: Hash | null,
  onConsole: ((entry: ConsoleEntry) => void) | undefined,
): Hooks | undefined {
  if (!isWatching() && onConsole === undefined) return undefined
  const hooks = Array.from(collectors.values(), (collector) => collector.watch())
  if (onConsole !== undefined) hooks.push(collectConsole(transactionHash, onConsole))
  return combineHooks(hooks)
}
