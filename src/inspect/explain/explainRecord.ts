/** Decodes a recorded execution with artifacts: names, arguments, results, errors and events. */

import { bytesToHex, hexToBytes, toAddress, toWord } from '../../base/bytes.ts'
import { getOrInsert } from '../../base/collections.ts'
import type { Address } from '../../base/types.ts'
import { toRevertReason } from '../../core/trace/revertReason.ts'
import type { Log } from '../../ethereum/block.ts'
import {
  type BlockEnv,
  type FrameEnd,
  type FrameStart,
  type Hooks,
  isCreation,
  nameFailure,
  type Step,
} from '../../ethereum/evm/executor.ts'
import { CONSOLE, FrameStack } from '../../ethereum/evm/hooks.ts'
import { activePrecompiles } from '../../ethereum/evm/precompiles.ts'
import { EMPTY_CODE_HASH, readSlot, type StateReader } from '../../ethereum/state/account.ts'
import type { TxEnv } from '../../ethereum/transaction.ts'
import { decodeArguments } from './abi.ts'
import type { Contract } from './artifacts.ts'
import {
  delegateOf,
  type Identified,
  IMPLEMENTATION_SLOT,
  type PreparedArtifacts,
  passesOn,
  usesSlot,
} from './identify.ts'
import type { ExplainedFrame, ExplainedItem, ExplainedWrite, Explanation } from './tree.ts'

/** Explains an ended execution, with the gas of the whole transaction. @throws Missing if a code is not loaded */
export function explainRecord(
  recorder: Recorder,
  artifacts: PreparedArtifacts,
  { gasLimit, gasUsed }: { readonly gasLimit: bigint; readonly gasUsed: bigint },
): Pick<Explanation, 'names' | 'root' | 'notes'> {
  const accounts = new Accounts(recorder, artifacts)
  const explainer = new Explainer(accounts, artifacts)
  const root: ExplainedFrame = { ...explainer.frame(recorder.root), gas: gasLimit, gasUsed }
  const names = accounts.names()
  const notes = [...artifacts.notes, ...accounts.notes()]
  const { omitted, cut, limits } = recorder
  if (omitted > 0)
    notes.push(`${omitted} calls, events and writes are left out: at most ${limits.items} are kept`)
  if (cut > 0)
    notes.push(`the data of ${cut} calls is cut to 4 bytes: at most ${limits.bytes} bytes are kept in all`)
  return { root, names, notes }
}

class Explainer {
  readonly #accounts: Accounts
  readonly #artifacts: PreparedArtifacts

  constructor(accounts: Accounts, artifacts: PreparedArtifacts) {
    this.#accounts = accounts
    this.#artifacts = artifacts
  }

  frame(recorded: RecordedFrame): ExplainedFrame {
    const { type, from, value, gas, gasUsed, input, output, error, omitted } = recorded
    const to = recorded.to ?? recorded.created
    // A beneficiary runs no code.
    const account = type === 'SELFDESTRUCT' ? {} : this.#accounts.ofFrame(recorded)
    const { contract, kind } = account
    const { abi, console } = this.#artifacts
    const decoded = this.#called(recorded, account)
    const { outputs = [], ...called } = decoded ?? {}
    const returned = error === undefined && outputs.length > 0 && decodeArguments(outputs, output)
    const reverted = error === 'execution reverted'
    const revert = reverted && abi.revert(contract, output)
    const reason = reverted ? toRevertReason(output) : undefined
    return {
      kind: 'frame',
      type,
      from,
      ...(to !== undefined && { to }),
      ...(contract && { contract: contract.name }),
      ...(kind && { account: kind }),
      ...(decoded && { function: called as ExplainedFrame['function'] & object }),
      value,
      gas,
      gasUsed,
      input: bytesToHex(input),
      output: bytesToHex(output),
      result: error === undefined ? endOf(recorded) : toErrorResult(error),
      ...(returned && { returned }),
      ...(error !== undefined && { error }),
      ...(revert && { revert }),
      ...(reason !== undefined && { reason }),
      ...(kind === 'console' && { console: console.decode({ address: from, data: input }).message }),
      items: recorded.items.map((item) => this.#item(item, account)),
      ...(omitted > 0 && { omitted }),
    }
  }

  #called({ type, input }: RecordedFrame, { contract, kind }: KnownAccount) {
    if (type === 'SELFDESTRUCT' || kind === 'console' || kind === 'precompile') return undefined
    const { abi } = this.#artifacts
    if (!isCreation(type)) return abi.call(contract, input)
    const created = contract && abi.creation(contract, input)
    return created && { ...created, outputs: [] }
  }

  #item(item: RecordedItem, { contract }: KnownAccount): ExplainedItem {
    if (item.kind === 'frame') return this.frame(item)
    if (item.kind === 'write') return item
    const { kind, address, topics, data } = item
    const event = this.#artifacts.abi.event(contract, topics, hexToBytes(data))
    return { kind, address, topics, data, ...(event && { event }) }
  }
}

function endOf({ type, items, output }: RecordedFrame): string {
  const last = items.at(-1)
  if (last?.kind === 'frame' && last.type === 'SELFDESTRUCT' && last.error === undefined)
    return 'SelfDestruct'
  if (type === 'SELFDESTRUCT') return 'Stop'
  return output.length > 0 || isCreation(type) ? 'Return' : 'Stop'
}

/** Forge's words for go-ethereum's errors. */
const RESULTS: ReadonlyMap<string, string> = new Map([
  ['execution reverted', 'Revert'],
  ['out of gas', 'OutOfGas'],
  ['contract creation code storage out of gas', 'OutOfGas'],
  ['gas uint64 overflow', 'OutOfGas'],
  ['max call depth exceeded', 'CallTooDeep'],
  ['insufficient balance for transfer', 'OutOfFunds'],
  ['write protection', 'StateChangeDuringStaticCall'],
  ['invalid jump destination', 'InvalidJump'],
  ['return data out of bounds', 'OutOfOffset'],
  ['contract address collision', 'CreateCollision'],
  ['max code size exceeded', 'CreateContractSizeLimit'],
  ['max initcode size exceeded', 'CreateInitCodeSizeLimit'],
  ['invalid code: must not begin with 0xef', 'CreateContractStartingWithEF'],
  ['nonce uint64 overflow', 'NonceOverflow'],
  ['precompiled failed', 'PrecompileError'],
  ['invalid opcode: INVALID', 'InvalidFEOpcode'],
])

/** The beginnings of errors that end with details, with forge's words. */
const BEGINNINGS = [
  ['invalid opcode', 'OpcodeNotFound'],
  ['stack underflow', 'StackUnderflow'],
  ['stack limit reached', 'StackOverflow'],
  ['stack overflow', 'StackOverflow'],
] as const

/** Returns forge's word for an error. Unknown errors stay unchanged. */
function toErrorResult(error: string): string {
  return RESULTS.get(error) ?? BEGINNINGS.find(([text]) => error.startsWith(text))?.[1] ?? error
}

interface KnownAccount {
  /** The contract whose code the account runs. */
  readonly contract?: Contract | undefined
  readonly kind?: ExplainedFrame['account'] | undefined
}

/** How many addresses a note may name, and how many notes of one kind are given. */
const MAX_NAMED = 5

/** How many delegations, one to the next, are followed. */
const MAX_DELEGATES = 4

/** Identifies the accounts of a record, by their creation or else by their code. Owns: the identified accounts. */
class Accounts {
  readonly #recorder: Recorder
  readonly #artifacts: PreparedArtifacts
  readonly #known = new Map<Address, KnownAccount>()
  readonly #unidentified = new Set<Address>()
  readonly #similar = new Map<Address, Contract>()

  constructor(recorder: Recorder, artifacts: PreparedArtifacts) {
    this.#recorder = recorder
    this.#artifacts = artifacts
    this.#noteCreations(recorder.root)
  }

  /** Returns the account whose code a frame runs. */
  ofFrame(frame: RecordedFrame): KnownAccount {
    const { to, created, input } = frame
    if (to !== undefined) return this.#ofCall(frame, to)
    if (created === undefined) return { contract: this.#artifacts.identifier.creation(input)?.contract }
    const { contract, kind } = this.at(created)
    return { contract, kind: kind === 'codeless' ? undefined : kind }
  }

  /** Returns the called account. Unidentified code that forwards its whole calldata by DELEGATECALL is a proxy. */
  #ofCall(frame: RecordedFrame, to: Address): KnownAccount {
    const known = this.at(to)
    const target = known.contract === undefined && known.kind === undefined && forwardedTo(frame)
    if (!target) return known
    const proxy: KnownAccount = { contract: this.ofFrame(target).contract, kind: 'proxy' }
    this.#known.set(to, proxy)
    this.#unidentified.delete(to)
    return proxy
  }

  /** Returns the account at an address. @throws Missing if its code is not loaded. */
  at(address: Address): KnownAccount {
    return getOrInsert(this.#known, address, () => this.#find(address, MAX_DELEGATES))
  }

  names(): Record<Address, string> {
    const named = [...this.#known].flatMap(([address, { contract, kind }]) => {
      const name =
        contract?.name ?? this.#recorder.precompiles.get(address) ?? (kind === 'console' ? kind : undefined)
      return name === undefined ? [] : [[address, name] as const]
    })
    return Object.fromEntries(named)
  }

  /** Returns notes about code that matches no artifact, or only in part. */
  notes(): string[] {
    const { contracts } = this.#artifacts
    const similar = [...this.#similar].map(
      ([address, { name }]) =>
        `${address} is ${name} except for its metadata: its sources or settings may differ from the artifact's`,
    )
    const misplaced = contracts.flatMap(({ name, address, runtime }) => {
      if (runtime === undefined || address === undefined || !this.#known.has(address)) return []
      const isFound = this.#known.get(address)!.contract?.name === name
      return isFound ? [] : [`the code at ${address} differs from artifact ${name}`]
    })
    const notes = [...bounded(similar), ...bounded(misplaced)]
    const unknown = [...this.#unidentified]
    if (unknown.length === 0 || contracts.length === 0) return notes
    const rest = unknown.length - MAX_NAMED
    const listed = `${unknown.slice(0, MAX_NAMED).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
    const means = 'its calls are decoded with ABIs that have the same selectors'
    return [...notes, `no artifact has the code of ${listed}: ${means}`]
  }

  #noteCreations({ input, output, created, error, items }: RecordedFrame): void {
    if (created !== undefined) {
      const found = this.#artifacts.identifier.creation(input)
      if (found !== undefined) this.#known.set(created, this.#identified(created, found))
      else if (error === undefined) this.#known.set(created, this.#ofCode(created, output, MAX_DELEGATES))
    }
    for (const item of items) if (item.kind === 'frame') this.#noteCreations(item)
  }

  #find(address: Address, delegates: number): KnownAccount {
    const { precompiles, state } = this.#recorder
    if (address === CONSOLE) return { kind: 'console' }
    if (precompiles.has(address)) return { kind: 'precompile' }
    const hash = state?.account(address)?.codeHash ?? EMPTY_CODE_HASH
    if (state === undefined || hash === EMPTY_CODE_HASH) {
      const contract = this.#placed(address)
      return { contract, kind: state === undefined || contract !== undefined ? undefined : 'codeless' }
    }
    return this.#ofCode(address, state.code(hash), delegates)
  }

  #ofCode(address: Address, code: Uint8Array, delegates: number): KnownAccount {
    const delegate = delegateOf(code)
    if (delegate !== undefined && delegates > 0) {
      const { contract } = this.#known.get(delegate.to) ?? this.#find(delegate.to, delegates - 1)
      return { contract, kind: delegate.kind }
    }
    const { identifier, crypto } = this.#artifacts
    const found = identifier.runtime(code, crypto.keccak256Hex(code))
    if (found !== undefined) return this.#identified(address, found)
    const contract = this.#placed(address)
    if (contract !== undefined) return { contract }
    const implementation = delegates > 0 ? this.#implementationOf(address, code) : undefined
    const { contract: run } = implementation === undefined ? {} : this.#find(implementation, delegates - 1)
    if (run !== undefined) return { contract: run, kind: 'proxy' }
    if (code.length > 0) this.#unidentified.add(address)
    return {}
  }

  /** Returns the implementation in the slot of EIP-1967 if the code uses the slot. */
  #implementationOf(address: Address, code: Uint8Array): Address | undefined {
    const { state } = this.#recorder
    if (state === undefined || !usesSlot(code, IMPLEMENTATION_SLOT)) return undefined
    const word = readSlot(state, address, `0x${IMPLEMENTATION_SLOT}`)
    return word === 0n ? undefined : `0x${toWord(word).slice(-40)}`
  }

  #identified(address: Address, { contract, isExact }: Identified): KnownAccount {
    if (!isExact) this.#similar.set(address, contract)
    return { contract }
  }

  /** Returns the artifact that has this address and no code. */
  #placed(address: Address): Contract | undefined {
    return this.#artifacts.contracts.find((one) => one.address === address && one.runtime === undefined)
  }
}

function forwardedTo({ items, input }: RecordedFrame): RecordedFrame | undefined {
  return items.find((item): item is RecordedFrame => item.kind === 'frame' && passesOn({ input }, item))
}

function bounded(notes: readonly string[]): string[] {
  const rest = notes.length - MAX_NAMED
  return [...notes.slice(0, MAX_NAMED), ...(rest > 0 ? [`and ${rest} more such accounts`] : [])]
}

/** An ended frame. */
interface RecordedFrame extends FrameStart, FrameEnd {
  readonly kind: 'frame'
  readonly items: readonly RecordedItem[]
  readonly omitted: number
}

type RecordedItem = RecordedFrame | (Log & { readonly kind: 'event' }) | ExplainedWrite

interface RecordLimits {
  /** How many frames, events and writes are kept in all. */
  readonly items: number
  /** How many bytes of calldata and return data are kept in all. Data beyond that is cut. */
  readonly bytes: number
}

/** An open frame. */
interface OpenFrame extends FrameStart {
  readonly kind: 'frame'
  readonly items: RecordedItem[]
  readonly isOmitted: boolean
  omitted: number
}

const SSTORE = 0x55
const TSTORE = 0x5d

/** How many bytes of cut data stay: a selector. */
const KEPT_BYTES = 4

/** Records the frames, events and storage writes of an execution in order. Owns: one record, within its limits. */
export class Recorder implements Hooks {
  readonly limits: RecordLimits
  readonly #frames = new FrameStack<OpenFrame>()
  #items = 0
  #bytes = 0
  #write: { readonly items: RecordedItem[] } | undefined
  omitted = 0
  cut = 0
  precompiles: ReadonlyMap<Address, string> = new Map()
  /** The state during the execution; afterwards, the final state. */
  state: StateReader | undefined
  readonly onStep?: (step: Step) => void

  /** @param storage - whether to record writes. The execution then takes several times as long. */
  constructor(limits: RecordLimits, storage: boolean) {
    this.limits = limits
    if (storage) this.onStep = (step) => this.#step(step)
  }

  /** The outermost frame, after the execution. */
  get root(): RecordedFrame {
    return this.#frames.root as OpenFrame & FrameEnd
  }

  onStart(_tx: TxEnv, { rules }: BlockEnv, state: StateReader): void {
    this.precompiles = new Map(
      activePrecompiles(rules.fork).map(([name, address]) => [toAddress(address), name]),
    )
    this.state = state
    this.#frames.start(state)
    this.#items = 0
    this.#bytes = 0
    this.#write = undefined
    this.omitted = 0
    this.cut = 0
  }

  onEnter(start: FrameStart): void {
    const isOmitted = this.#frames.depth > 0 && !this.#hasRoom()
    // The input may be a view of the caller's memory.
    const input = isOmitted ? start.input.subarray(0, 0) : this.#keep(start.input).slice()
    this.#frames.enter({ kind: 'frame', ...start, input, items: [], isOmitted, omitted: 0 })
  }

  onExit(end: FrameEnd): void {
    const frame = this.#frames.exit(end)
    const parent = this.#frames.current
    if (frame.isOmitted) {
      this.omitted += 1
      parent!.omitted += 1 + frame.omitted
      return
    }
    const ended = Object.assign(frame, nameFailure(end), { output: this.#keep(end.output) })
    parent?.items.push(ended)
  }

  onLog(log: Log): void {
    this.#add({ kind: 'event', ...log })
  }

  onOpcodeError(): void {
    this.#write?.items.pop()
  }

  #step(step: Step): void {
    this.#write = undefined
    const { opcode, address } = step
    if (opcode !== SSTORE && opcode !== TSTORE) return
    const [value, key] = step.stack().slice(-2)
    if (value === undefined || key === undefined) return
    const slot = toWord(key)
    const after = toWord(value)
    const isTransient = opcode === TSTORE
    const before = toWord(isTransient ? 0n : step.slot(slot))
    const write: ExplainedWrite = {
      kind: 'write',
      address,
      slot,
      before,
      after,
      ...(isTransient && { isTransient }),
    }
    if (this.#add(write)) this.#write = this.#frames.current
  }

  /** Adds an item to the open frame if the limit allows it, else counts it. Returns whether it was added. */
  #add(item: RecordedItem): boolean {
    const frame = this.#frames.current!
    if (!frame.isOmitted && this.#hasRoom()) return frame.items.push(item) > 0
    this.omitted += 1
    frame.omitted += 1
    return false
  }

  /** Counts an item. Returns whether the limit allows it. */
  #hasRoom(): boolean {
    this.#items += 1
    return this.#items < this.limits.items
  }

  #keep(data: Uint8Array): Uint8Array {
    if (this.#bytes + data.length <= this.limits.bytes || data.length <= KEPT_BYTES) {
      this.#bytes += data.length
      return data
    }
    this.cut += 1
    return data.subarray(0, KEPT_BYTES)
  }
}
