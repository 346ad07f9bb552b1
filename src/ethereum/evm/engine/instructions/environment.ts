/** The message, the block, and accounts. */

import { hexToBytes } from '../../../../base/bytes.ts'
import type { BlockWords } from '../blockWords.ts'
import type { Frame, Instruction, Instructions } from '../frame.ts'
import { accessAccount } from '../gas.ts'
import type { JournalAccount } from '../journal.ts'
import { Halt } from '../message.ts'
import { bytesToEvmWord, readPadded, toEvmWord, type Word } from '../word.ts'
import { copyToMemory } from './memory.ts'

/** BLOCKHASH knows the hashes of this many blocks. */
const BLOCK_HASHES = 256n

const RETURN_DATA_OUT_OF_BOUNDS = new Halt('return data out of bounds')

/** The account whose address is the stack word at this depth; ignores the word's upper 96 bits. */
export function accountAt(frame: Frame, depth: number): JournalAccount {
  return frame.machine.journal.account(toAddressWord(frame.peek(depth)))
}

/** The lower 160 bits of a word. */
function toAddressWord(word: Word): Word {
  return typeof word === 'number' ? word : toEvmWord(BigInt.asUintN(160, word))
}

/** Creates an instruction that reads the account at the top of the stack. */
function ofAccount(read: (account: JournalAccount, frame: Frame) => Word): Instruction {
  return (frame) => {
    const account = accountAt(frame, 1)
    frame.charge(accessAccount(frame, account))
    frame.pop()
    frame.push(read(account, frame))
  }
}

/** The balance of an account. The sender's depends on the gas limit, which is paid in advance. */
export function balanceOf(account: JournalAccount, { machine }: Frame): Word {
  if (account === machine.origin) machine.observesGas = true
  return toEvmWord(account.balance)
}

function ofBlock(field: keyof BlockWords): Instruction {
  return (frame) => frame.push(frame.machine.block[field])
}

/** The instructions that read accounts, the message, the transaction and the block. */
export const ENVIRONMENT: Instructions = {
  ADDRESS: (frame) => frame.push(frame.account.word),
  BALANCE: ofAccount(balanceOf),
  ORIGIN: (frame) => frame.push(frame.machine.origin.word),
  CALLER: (frame) => frame.push(frame.caller.word),
  CALLVALUE: (frame) => frame.push(frame.value),
  CALLDATALOAD: (frame) => frame.push(readPadded(frame.input, frame.pop())),
  CALLDATASIZE: (frame) => frame.push(frame.input.length),
  CALLDATACOPY: (frame) => copyToMemory(frame, frame.input),
  CODESIZE: (frame) => frame.push(frame.code.bytes.length),
  CODECOPY: (frame) => copyToMemory(frame, frame.code.bytes),
  GASPRICE: (frame) => frame.push(frame.machine.gasPrice),
  EXTCODESIZE: ofAccount((account, { machine }) => machine.journal.code(account).length),
  EXTCODECOPY(frame) {
    const account = accountAt(frame, 1)
    copyToMemory(frame, frame.machine.journal.code(account), 2, accessAccount(frame, account))
  },
  RETURNDATASIZE: (frame) => frame.push(frame.returnData.length),
  RETURNDATACOPY(frame) {
    const [from, size] = [frame.peek(2), frame.peek(3)]
    // Unlike calldata and code, return data must not be read beyond its end (EIP-211).
    if (BigInt(from) + BigInt(size) > frame.returnData.length) throw RETURN_DATA_OUT_OF_BOUNDS
    copyToMemory(frame, frame.returnData)
  },
  EXTCODEHASH: ofAccount((account) => (account.isEmpty ? 0 : toEvmWord(BigInt(account.codeHash)))),
  BLOCKHASH(frame) {
    const { env } = frame.machine
    const number = BigInt(frame.pop())
    const age = env.number - number
    const hash = age > 0n && age <= BLOCK_HASHES ? env.blockHash(number) : undefined
    frame.push(hash === undefined ? 0 : bytesToEvmWord(hexToBytes(hash)))
  },
  COINBASE: ofBlock('coinbase'),
  TIMESTAMP: ofBlock('timestamp'),
  NUMBER: ofBlock('number'),
  DIFFICULTY: ofBlock('difficulty'),
  GASLIMIT: ofBlock('gasLimit'),
  CHAINID: (frame) => frame.push(toEvmWord(frame.machine.rules.chainId)),
  SELFBALANCE: (frame) => frame.push(balanceOf(frame.account, frame)),
  BASEFEE: ofBlock('baseFee'),
  BLOBHASH(frame) {
    const index = frame.pop()
    const hash = typeof index === 'number' ? frame.machine.blobHashes[index] : undefined
    frame.push(hash === undefined ? 0 : toEvmWord(BigInt(hash)))
  },
  BLOBBASEFEE: ofBlock('blobBaseFee'),
}
