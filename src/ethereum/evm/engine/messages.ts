/** Calls and creations: checks, transfer of value, the code to run, and the code to deploy. */
import { bigintToBytes, concatBytes, hexToBytes, NO_BYTES } from '../../../base/bytes.ts'
import { encodeRlp } from '../../../base/rlp.ts'
import { EMPTY_CODE_HASH, MAX_BALANCE } from '../../state/account.ts'
import { MAX_NONCE } from '../../transaction.ts'
import { delegateOf } from '../validate.ts'
import { Analysis, analysed, keepAnalysis } from './code.ts'
import { type Frame, type FrameHost, STOPPED } from './frame.ts'
import type { Journal, JournalAccount } from './journal.ts'
import { type Call, type Creation, type Ending, failed, Halt } from './message.ts'
import type { InParts, Precompile } from './precompiles/precompile.ts'
import { bytesToEvmWord, type Word } from './word.ts'

/** The maximum number of frames nested in the outermost one (Yellow Paper, appendix H). */
const MAX_DEPTH = 1024

/** A precompile that costs this much gas or more may take long: ecrecover, at this cost, a tenth of a millisecond. */
const LONG_GAS = 3000

/** Starts a call from a frame, or the outermost one. It has ended on return, unless it runs code or takes long. */
export function startCall(machine: FrameHost, parent: Frame | undefined, call: Call): void {
  if (parent !== undefined) {
    machine.hooks?.onEnter?.({
      type: call.type,
      // Not `call.caller`, which for DELEGATECALL is the caller of the frame.
      from: parent.account.address,
      to: call.codeAccount.address,
      gas: BigInt(call.gas) + call.reserve,
      value: BigInt(call.value),
      input: call.input,
    })
  }
  const ending = enterCall(machine, parent, call)
  if (ending !== undefined) machine.end(parent, call, ending)
}

/** @returns how the call ended; undefined if it entered a frame, or if its precompile takes long. */
function enterCall(machine: FrameHost, parent: Frame | undefined, call: Call): Ending | undefined {
  const { journal } = machine
  const refusal = parent === undefined ? undefined : refusalOf(call, parent)
  if (refusal !== undefined) return failed(refusal, call)
  const mark = journal.mark()
  if (!transferValue(machine, call)) {
    journal.revert(mark)
    return failed('value overflow', call)
  }
  const precompile = machine.precompileOf(call.codeAccount)
  if (precompile !== undefined) {
    const ending = runPrecompile(machine, parent, precompile, call, mark)
    if (ending === undefined) return undefined
    if (ending.error !== undefined) journal.revert(mark)
    if (parent !== undefined && call.gas - ending.gas >= LONG_GAS) parent.state = STOPPED
    return ending
  }
  const code = codeToRun(machine, call.codeAccount, parent === undefined)
  if (code.length === 0) return { error: undefined, output: NO_BYTES, gas: call.gas, reserve: call.reserve }
  const frame = machine.enter(parent, call, mark)
  loadCode(frame, code)
  frame.account = call.account
  frame.caller = call.caller
  frame.value = call.value
  frame.input = call.input
  frame.isStatic = call.isStatic
  return undefined
}

/** Why a message may not start, which costs it no gas; undefined if it may. */
export function refusalOf(
  { type, caller, value }: Pick<Call | Creation, 'type' | 'caller' | 'value'>,
  parent: Frame,
): string | undefined {
  if (parent.depth >= MAX_DEPTH) return 'max call depth exceeded'
  return type !== 'DELEGATECALL' && value > caller.balance ? 'insufficient balance for transfer' : undefined
}

/** Moves the value of a call, and touches its recipient. @returns whether the recipient can hold it. */
function transferValue({ journal }: FrameHost, { type, caller, account, value }: Call): boolean {
  if (type === 'DELEGATECALL') return true
  if (value === 0 || type === 'CALLCODE') {
    journal.touch(account)
    return true
  }
  return transfer(journal, caller, account, value)
}

/** Moves ether. @returns whether the recipient can hold it; if not, revert the journal. */
export function transfer(journal: Journal, from: JournalAccount, to: JournalAccount, value: Word): boolean {
  if (value === 0) return true
  journal.setBalance(from, from.balance - BigInt(value))
  const balance = to.balance + BigInt(value)
  if (balance > MAX_BALANCE) return false
  journal.setBalance(to, balance)
  return true
}

/** The code of an account, or of its delegate (EIP-7702). @param warms - whether to warm the delegate for free. */
function codeToRun({ journal, fork }: FrameHost, account: JournalAccount, warms: boolean): Uint8Array {
  const code = journal.code(account)
  const address = fork.prague ? delegateOf(code) : undefined
  if (address === undefined) return code
  const delegate = journal.accountAt(address)
  if (warms) journal.warmAccount(delegate)
  return journal.code(delegate)
}

/** @returns how the call ended; undefined if the machine continues it. */
function runPrecompile(
  machine: FrameHost,
  parent: Frame | undefined,
  precompile: Precompile,
  call: Call,
  mark: number,
): Ending | undefined {
  const cost = precompile.gas(call.input)
  if (cost > call.gas) return failed('out of gas')
  try {
    const run = precompile.run(call.input)
    return run instanceof Uint8Array
      ? succeeded(call, cost, run)
      : runInParts(machine, parent, call, mark, cost, run)
  } catch (reason) {
    return failedBy(reason)
  }
}

/** Does the first part of a precompile's work, and leaves the rest to the machine. */
function runInParts(
  machine: FrameHost,
  parent: Frame | undefined,
  call: Call,
  mark: number,
  cost: number,
  run: InParts<Uint8Array>,
): Ending | undefined {
  const first = run.next()
  if (first.done === true) return succeeded(call, cost, first.value)
  machine.continueLater(parent, call, () => {
    try {
      const { done, value } = run.next()
      return done === true ? succeeded(call, cost, value) : undefined
    } catch (reason) {
      machine.journal.revert(mark)
      return failedBy(reason)
    }
  })
  return undefined
}

function succeeded({ gas, reserve }: Call, cost: number, output: Uint8Array): Ending {
  return { error: undefined, output, gas: gas - cost, reserve }
}

/** @throws `reason` unless it is a {@link Halt}. */
function failedBy(reason: unknown): Ending {
  if (!(reason instanceof Halt)) throw reason
  return { ...failed(reason.reason), isPrecompileFailure: true }
}

/** The maximum size of a contract's code in bytes (EIP-170). */
const MAX_CODE_SIZE = 24_576

const DEPLOYED_BYTE = 200

const UNPAID_CODE = 'contract creation code storage out of gas'

/** The first byte that deployed code must not have (EIP-3541). */
const RESERVED_BYTE = 0xef

/** Starts a creation from a frame, or the outermost one. It has ended on return, unless it runs code. */
export function startCreation(machine: FrameHost, parent: Frame | undefined, creation: Creation): void {
  const { journal } = machine
  const { caller } = creation
  // The state transition has already raised the nonce for the outermost creation.
  let nonce = caller.nonce - 1n
  if (parent !== undefined) {
    machine.hooks?.onEnter?.({
      type: creation.type,
      from: caller.address,
      to: undefined,
      gas: BigInt(creation.gas) + creation.reserve,
      value: BigInt(creation.value),
      input: creation.initCode,
    })
    nonce = caller.nonce
    const refusal = refusalOf(creation, parent) ?? (nonce >= MAX_NONCE ? 'nonce uint64 overflow' : undefined)
    if (refusal !== undefined) {
      machine.end(parent, creation, failed(refusal, creation))
      return
    }
    journal.setNonce(caller, nonce + 1n)
  }
  const contract = journal.account(addressOf(machine, creation, nonce))
  const ending = enterCreation(machine, parent, creation, contract)
  if (ending !== undefined) machine.end(parent, creation, ending, contract)
}

/** @returns how the creation ended; undefined if it entered a frame. */
function enterCreation(
  machine: FrameHost,
  parent: Frame | undefined,
  creation: Creation,
  contract: JournalAccount,
): Ending | undefined {
  const { journal, fork } = machine
  const { caller, value, initCode, gas, reserve } = creation
  if (fork.berlin) journal.warmAccount(contract)
  // EIP-684, EIP-7610
  if (contract.nonce > 0n || contract.codeHash !== EMPTY_CODE_HASH || journal.hasStorage(contract)) {
    return failed('contract address collision')
  }
  const mark = journal.mark()
  journal.markCreated(contract)
  journal.touch(contract)
  if (fork.spuriousDragon) journal.setNonce(contract, 1n)
  if (!transfer(journal, caller, contract, value)) {
    journal.revert(mark)
    return failed('value overflow', creation)
  }
  if (initCode.length === 0) return { error: undefined, output: NO_BYTES, gas, reserve }
  const frame = machine.enter(parent, creation, mark)
  frame.created = contract
  loadCode(frame, initCode, true)
  frame.account = contract
  frame.caller = caller
  frame.value = value
  frame.input = NO_BYTES
  frame.isStatic = false
  return undefined
}

/** The address of the contract as a word (Yellow Paper, section 7; EIP-1014). */
function addressOf({ crypto }: FrameHost, { caller, salt, initCode }: Creation, nonce: bigint): Word {
  const creator = hexToBytes(caller.address)
  const preimage =
    salt === undefined
      ? encodeRlp([creator, bigintToBytes(nonce)])
      : concatBytes(Uint8Array.of(0xff), creator, salt, crypto.keccak256(initCode))
  return bytesToEvmWord(crypto.keccak256(preimage).subarray(12))
}

/** Deploys the code that a creation's frame returned. @returns how the creation ends. */
export function deploy(machine: FrameHost, contract: JournalAccount, returned: Ending): Ending {
  const { fork, journal, rules } = machine
  const { output, gas } = returned
  if (fork.spuriousDragon && output.length > MAX_CODE_SIZE && !rules.allowUnlimitedContractSize) {
    return failed('max code size exceeded')
  }
  if (fork.london && output[0] === RESERVED_BYTE) return failed('invalid code: must not begin with 0xef')
  const cost = DEPLOYED_BYTE * output.length
  if (cost > gas) {
    if (fork.homestead) return failed(UNPAID_CODE)
    // Before EIP-2 the contract stays, without code.
    return { ...returned, error: UNPAID_CODE, output: NO_BYTES, keepsEffects: true }
  }
  if (output.length > 0) journal.setCode(contract, output, machine.crypto.keccak256Hex(output))
  return { ...returned, gas: gas - cost }
}

/** How many bytes of code are analysed between two looks at the clock, in about a millisecond. */
const ANALYSED_AT_ONCE = 2 ** 17

/** Sets the code of a frame. Initcode runs once, so its analysis is not cached. */
function loadCode(frame: Frame, bytes: Uint8Array, isInitCode = false): void {
  const { machine } = frame
  const { instructions } = machine
  const cached = isInitCode ? undefined : analysed(bytes, instructions)
  if (cached !== undefined) {
    frame.code = cached
    return
  }
  machine.work += bytes.length
  const analysis = new Analysis(bytes, instructions)
  const isDone = (): boolean => {
    if (!analysis.advance(ANALYSED_AT_ONCE)) return false
    frame.code = analysis.code()
    if (!isInitCode) keepAnalysis(frame.code, instructions)
    return true
  }
  if (!isDone()) machine.doFirst(isDone)
}
