/** Creations: their checks, the address of the contract, and the deployment of its code. */
import { bigintToBytes, concatBytes, hexToBytes } from '../../../base/bytes.ts'
import { encodeRlp } from '../../../base/rlp.ts'
import { EMPTY_CODE_HASH } from '../../state/account.ts'
import { MAX_NONCE } from '../../transaction.ts'
import { refusalOf, transfer } from './call.ts'
import type { Frame, FrameHost } from './frame.ts'
import type { JournalAccount } from './journal.ts'
import { loadCode } from './loadCode.ts'
import { type Creation, type Ending, failed, NO_BYTES } from './message.ts'
import { bytesToEvmWord, type Word } from './word.ts'

/** The maximum size of a contract's code, in bytes (EIP-170). */
const MAX_CODE_SIZE = 24_576

/** The gas per byte of deployed code. */
const DEPLOYED_BYTE = 200

const UNPAID_CODE = 'contract creation code storage out of gas'

/** The first byte that deployed code must not have (EIP-3541). */
const RESERVED_BYTE = 0xef

/** Starts a creation from a frame, or the outermost one. It has ended when this returns, unless it runs code. */
export function startCreation(machine: FrameHost, parent: Frame | undefined, creation: Creation): void {
  const { journal } = machine
  const { caller } = creation
  // The state transition has raised the nonce of the outermost one.
  let nonce = caller.nonce - 1n
  if (parent !== undefined) {
    machine.tracer?.onEnter?.({
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

/** @returns how the creation has ended; undefined if its frame was entered. */
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

/** Deploys the code that a creation's frame has returned. @returns how the creation ends. */
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
