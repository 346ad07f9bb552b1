/** Memory and its hashes, storage, transient storage, and logs. */

import { bytesToHex, toWord } from '../../../../base/bytes.ts'
import type { Hash } from '../../../../base/types.ts'
import { type Frame, type Instruction, type Instructions, memoryEnd, wordsOf } from '../frame.ts'
import { accessSlot, sstoreGas } from '../gas.ts'
import { Halt } from '../message.ts'
import { and, bytesToEvmWord, readWord, type Word, writeWord } from '../word.ts'

/** The gas per hashed word, and per copied word. */
const HASHED_WORD = 6
const COPIED_WORD = 3

/**
 * Copies bytes to memory, with zeros beyond their end: the instructions `…COPY`. Their last operands are the offset in
 * memory, the offset in the bytes, and the size.
 *
 * @param first - the stack depth of the first of the three.
 * @param surcharge - further gas.
 */
export function copyToMemory(frame: Frame, bytes: Uint8Array, first = 1, surcharge = 0): void {
  const size = frame.peek(first + 2)
  const end = memoryEnd(frame.peek(first), size)
  frame.charge(surcharge + frame.expansionGas(end) + COPIED_WORD * wordsOf(Number(size)))
  frame.grow(end)
  frame.write(frame.peek(first), size, sliceFrom(bytes, frame.peek(first + 1), size))
  frame.height -= first + 2
}

/** At most `size` bytes from an offset, which may be beyond the end. */
function sliceFrom(bytes: Uint8Array, offset: Word, size: Word): Uint8Array {
  if (typeof offset !== 'number') return bytes.subarray(0, 0)
  return bytes.subarray(offset, offset + Number(size))
}

/** The instructions that read or write memory, at the price of its growth (Yellow Paper, appendix H.1). */
export const MEMORY: Instructions = {
  KECCAK256(frame) {
    const size = frame.peek(2)
    const end = memoryEnd(frame.peek(1), size)
    frame.charge(frame.expansionGas(end) + HASHED_WORD * wordsOf(Number(size)))
    frame.grow(end)
    const offset = frame.pop()
    frame.pop()
    const bytes = frame.memory.subarray(size === 0 ? 0 : (offset as number), end)
    frame.push(bytesToEvmWord(frame.machine.crypto.keccak256(bytes)))
  },
  MLOAD(frame) {
    frame.expand(memoryEnd(frame.peek(1), 32))
    frame.push(readWord(frame.view, frame.pop() as number))
  },
  MSTORE(frame) {
    frame.expand(memoryEnd(frame.peek(1), 32))
    const offset = frame.pop() as number
    writeWord(frame.view, offset, frame.pop())
  },
  MSTORE8(frame) {
    frame.expand(memoryEnd(frame.peek(1), 1))
    const offset = frame.pop() as number
    frame.memory[offset] = Number(and(frame.pop(), 0xff))
  },
  MSIZE: (frame) => frame.push(frame.memorySize),
  MCOPY(frame) {
    const size = frame.peek(3)
    const end = Math.max(memoryEnd(frame.peek(1), size), memoryEnd(frame.peek(2), size))
    frame.charge(frame.expansionGas(end) + COPIED_WORD * wordsOf(Number(size)))
    frame.grow(end)
    const to = frame.pop()
    const from = frame.pop()
    frame.pop()
    if (size !== 0) {
      frame.memory.copyWithin(to as number, from as number, (from as number) + (size as number))
    }
  },
}

const LOG0 = 0xa0
const LOGGED_BYTE = 8

const WRITE_PROTECTION = new Halt('write protection')

/** @throws Halt in a static call (EIP-214). */
export function requireWritable(frame: Frame): void {
  if (frame.isStatic) throw WRITE_PROTECTION
}

const log: Instruction = (frame, op) => {
  requireWritable(frame)
  const offset = frame.peek(1)
  const size = frame.peek(2)
  const end = memoryEnd(offset, size)
  frame.charge(frame.expansionGas(end) + LOGGED_BYTE * Number(size))
  frame.grow(end)
  const topics: Hash[] = []
  for (let i = 0; i < op - LOG0; i++) topics.push(toWord(frame.peek(3 + i)))
  const data = bytesToHex(frame.memory.subarray(size === 0 ? 0 : (offset as number), end))
  frame.height -= 2 + topics.length
  const entry = { address: frame.account.address, topics, data }
  frame.machine.journal.addLog(entry)
  frame.machine.hooks?.onLog?.(entry)
}

/** The instructions on slots, transient storage (EIP-1153) and logs. Writes fail in a static call (EIP-214). */
export const STORAGE: Instructions = {
  SLOAD(frame) {
    const slot = frame.machine.journal.slot(frame.account, frame.peek(1))
    frame.charge(accessSlot(frame, slot))
    frame.pop()
    frame.push(slot.value)
  },
  SSTORE(frame) {
    requireWritable(frame)
    const { journal } = frame.machine
    const slot = journal.slot(frame.account, frame.peek(1))
    const { gas, refund } = sstoreGas(frame, slot, frame.peek(2))
    // Before `charge`, which reports the instruction: traces show the refund with the instruction that earns it.
    if (refund !== 0) journal.addRefund(refund)
    frame.charge(gas)
    frame.pop()
    journal.setSlot(slot, frame.pop())
  },
  TLOAD: (frame) => frame.push(frame.machine.journal.transient(frame.account, frame.pop())),
  TSTORE(frame) {
    requireWritable(frame)
    const key = frame.pop()
    frame.machine.journal.setTransient(frame.account, key, frame.pop())
  },
  LOG0: log,
  LOG1: log,
  LOG2: log,
  LOG3: log,
  LOG4: log,
}
