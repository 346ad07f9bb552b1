/** Calls: their checks, the transfer of their value, and what they run. */
import { MAX_BALANCE } from '../../state/account.ts'
import type { FrameType } from '../executor.ts'
import { delegateOf } from '../validate.ts'
import { type Frame, type FrameHost, STOPPED } from './frame.ts'
import { Halt } from './halt.ts'
import type { Journal, JournalAccount } from './journal.ts'
import { loadCode } from './loadCode.ts'
import { type Call, type Ending, failed, NO_BYTES } from './message.ts'
import type { InParts, Precompile } from './precompiles/precompile.ts'
import type { Word } from './word.ts'

/** The most frames in the outermost one (Yellow Paper, appendix H). */
const MAX_DEPTH = 1024

/** From which gas on a precompile may take long: ecrecover's, which takes a tenth of a millisecond. */
const LONG_GAS = 3000

/** Starts a call from a frame, or the outermost one. It has ended when this returns, unless it runs code or takes long. */
export function startCall(machine: FrameHost, parent: Frame | undefined, call: Call): void {
  if (parent !== undefined) {
    machine.tracer?.onEnter?.({
      type: call.type,
      // The caller of a DELEGATECALL is that of the frame.
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

/** @returns how the call has ended; undefined if its frame was entered, or if its precompile takes long. */
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

/** Why a message does not start at all, which costs no gas. */
export function refusalOf(
  {
    type,
    caller,
    value,
  }: { readonly type: FrameType; readonly caller: JournalAccount; readonly value: Word },
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

/** Moves ether. @returns whether the recipient can hold it; if not, the caller reverts. */
export function transfer(journal: Journal, from: JournalAccount, to: JournalAccount, value: Word): boolean {
  if (value === 0) return true
  journal.setBalance(from, from.balance - BigInt(value))
  const balance = to.balance + BigInt(value)
  if (balance > MAX_BALANCE) return false
  journal.setBalance(to, balance)
  return true
}

/**
 * The code of an account, or of the one that it delegates to (EIP-7702).
 *
 * @param warms - whether the latter is warm from now on, at no price, as it is in the outermost call.
 */
function codeToRun({ journal, fork }: FrameHost, account: JournalAccount, warms: boolean): Uint8Array {
  const code = journal.code(account)
  const address = fork.prague ? delegateOf(code) : undefined
  if (address === undefined) return code
  const delegate = journal.accountAt(address)
  if (warms) journal.warmAccount(delegate)
  return journal.code(delegate)
}

/** @returns how the call has ended; undefined if the machine is to continue it. */
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

/** Does the first part of a precompile, and leaves the others to the machine. */
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

/** @throws what is not a {@link Halt}. */
function failedBy(reason: unknown): Ending {
  if (!(reason instanceof Halt)) throw reason
  return { ...failed(reason.reason), isPrecompileFailure: true }
}
