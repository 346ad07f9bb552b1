/** Storage, transient storage, and logs. */
import { bytesToHex, toWord } from '../../../../base/bytes.ts'
import type { Hash } from '../../../../base/types.ts'
import { type Frame, type Instruction, type Instructions, memoryEnd } from '../frame.ts'
import { accessSlot, sstoreGas } from '../gas.ts'
import { Halt } from '../halt.ts'

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
  frame.machine.tracer?.onLog?.(entry)
}

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
    // Traces show the refund with the instruction that earns it.
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
