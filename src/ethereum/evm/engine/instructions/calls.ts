/** Calls, creations and SELFDESTRUCT. */
import { hexToBytes, toWord } from '../../../../base/bytes.ts'
import { delegateOf } from '../../validate.ts'
import { type Frame, type Instruction, type Instructions, memoryEnd, RETURNED, wordsOf } from '../frame.ts'
import { accessAccount, accessFurtherAccount } from '../gas.ts'
import type { JournalAccount } from '../journal.ts'
import { type Call, Halt, splitGas } from '../message.ts'
import { startCall, startCreation } from '../messages.ts'
import type { Word } from '../word.ts'
import { accountAt, balanceOf } from './environment.ts'
import { requireWritable } from './memory.ts'

/** The gas of a call that moves ether, and the part of it that the recipient gets. */
const PAYING_CALL = 9_000
const STIPEND = 2_300
const NEW_ACCOUNT = 25_000
const HASHED_WORD = 6
const INIT_CODE_WORD = 2
/** The refund of SELFDESTRUCT before EIP-3529. */
const DESTRUCTION_REFUND = 24_000

/** Creates an instruction that calls. @param paying - whether it has an operand for ether. */
function call(type: Call['type'], paying: boolean): Instruction {
  return (frame) => {
    const { machine, account } = frame
    const value = paying ? frame.peek(3) : 0
    if (type === 'CALL' && value !== 0) requireWritable(frame)
    const memory = paying ? 4 : 3
    const [inputOffset, inputSize] = [frame.peek(memory), frame.peek(memory + 1)]
    const [outputOffset, outputSize] = [frame.peek(memory + 2), frame.peek(memory + 3)]
    const end = Math.max(memoryEnd(inputOffset, inputSize), memoryEnd(outputOffset, outputSize))
    const target = accountAt(frame, 2)
    let cost = frame.expansionGas(end) + accessAccount(frame, target) + delegationGas(frame, target)
    if (value !== 0) cost += PAYING_CALL
    if (type === 'CALL' && comesIntoExistence(frame, target, value)) cost += NEW_ACCOUNT
    const [gas, reserve] = frame.pass(cost, frame.peek(1))
    frame.grow(end)
    frame.height -= memory + 3
    frame.outputOffset = outputSize === 0 ? 0 : (outputOffset as number)
    frame.outputSize = outputSize as number
    const isDelegate = type === 'DELEGATECALL'
    startCall(machine, frame, {
      type,
      caller: isDelegate ? frame.caller : account,
      account: isDelegate || type === 'CALLCODE' ? account : target,
      codeAccount: target,
      value: isDelegate ? frame.value : value,
      input: frame.see(inputOffset, inputSize),
      gas: value === 0 ? gas : gas + STIPEND,
      reserve,
      isStatic: frame.isStatic || type === 'STATICCALL',
    })
  }
}

/** The gas for the account that `target` delegates to (EIP-7702). */
function delegationGas(frame: Frame, target: JournalAccount): number {
  const { fork, journal } = frame.machine
  if (!fork.prague) return 0
  const delegate = delegateOf(journal.code(target))
  return delegate === undefined ? 0 : accessFurtherAccount(frame, journal.accountAt(delegate))
}

/** Whether a call creates the account. Before EIP-161: if it does not exist. Since then: if an empty one gets ether. */
function comesIntoExistence({ machine }: Frame, target: JournalAccount, value: Word): boolean {
  return machine.fork.spuriousDragon ? value !== 0 && target.isEmpty : !target.exists
}

function create(type: 'CREATE' | 'CREATE2'): Instruction {
  return (frame) => {
    requireWritable(frame)
    const { machine } = frame
    const [value, offset, size] = [frame.peek(1), frame.peek(2), frame.peek(3)]
    const end = memoryEnd(offset, size)
    let cost = frame.expansionGas(end)
    if (type === 'CREATE2') cost += HASHED_WORD * wordsOf(Number(size))
    if (machine.fork.shanghai) {
      if (size > machine.rules.maxInitCodeSize) throw INIT_CODE_TOO_LARGE
      cost += INIT_CODE_WORD * wordsOf(Number(size))
    }
    frame.charge(cost)
    frame.grow(end)
    const salt = type === 'CREATE2' ? hexToBytes(toWord(frame.peek(4))) : undefined
    frame.height -= type === 'CREATE2' ? 4 : 3
    const [gas, reserve] = takeForCreation(frame)
    startCreation(machine, frame, {
      type,
      caller: frame.account,
      value,
      initCode: frame.see(offset, size),
      ...(salt && { salt }),
      gas,
      reserve,
    })
  }
}

const INIT_CODE_TOO_LARGE = new Halt('max initcode size exceeded')

/** Takes the gas of a creation, which traces do not count as the cost of the instruction. */
function takeForCreation(frame: Frame): readonly [gas: number, reserve: bigint] {
  frame.machine.observesGas = true
  const total = frame.gasLeft()
  const passed = frame.machine.fork.tangerineWhistle ? total - total / 64n : total
  const [left, reserve] = splitGas(total - passed)
  frame.gas = left
  frame.reserve = reserve
  return splitGas(passed)
}

const selfDestruct: Instruction = (frame) => {
  requireWritable(frame)
  const { machine, account } = frame
  const { journal, fork, hooks } = machine
  const heir = accountAt(frame, 1)
  let cost = fork.berlin ? accessFurtherAccount(frame, heir, 0) : 0
  if (fork.tangerineWhistle && comesIntoExistence(frame, heir, balanceOf(account, frame))) cost += NEW_ACCOUNT
  frame.charge(cost)
  frame.pop()
  const { balance } = account
  hooks?.onEnter?.({
    type: 'SELFDESTRUCT',
    from: account.address,
    to: heir.address,
    gas: 0n,
    value: balance,
    input: new Uint8Array(0),
  })
  hooks?.onExit?.({ gasUsed: 0n, output: new Uint8Array(0) })
  if (!fork.london && !account.isDestroyed) journal.addRefund(DESTRUCTION_REFUND)
  if (heir !== account) {
    // Unlike a transfer it cannot fail, so it wraps around, as in go-ethereum.
    journal.setBalance(heir, BigInt.asUintN(256, heir.balance + balance))
    journal.setBalance(account, 0n)
  } else if (!fork.cancun || account.isCreated) {
    // A contract that is its own heir destroys its ether (EIP-6780).
    journal.setBalance(account, 0n)
  }
  journal.markDestroyed(account)
  frame.end(RETURNED)
}

/** The instructions that start messages, and SELFDESTRUCT. */
export const CALLS: Instructions = {
  CREATE: create('CREATE'),
  CALL: call('CALL', true),
  CALLCODE: call('CALLCODE', true),
  DELEGATECALL: call('DELEGATECALL', false),
  CREATE2: create('CREATE2'),
  STATICCALL: call('STATICCALL', false),
  SELFDESTRUCT: selfDestruct,
}
