/** The default tracer: one entry per instruction, as in go-ethereum's struct logger. */

import { bytesToHex, quantity, toWord } from '../../base/bytes.ts'
import type { Address, Hash, Hex } from '../../base/types.ts'
import type { Step, Tracer } from '../../ethereum/evm/executor.ts'
import type { StructLog, StructLogTrace } from './shapes.ts'
import { Spending, type TraceContext, type TraceRun } from './tracer.ts'

/** Options of the default tracer. */
export interface StructLoggerConfig {
  /** Whether the memory before each instruction is shown; by default false. */
  readonly enableMemory?: boolean
  readonly disableStack?: boolean
  readonly disableStorage?: boolean
  /** Whether the return data of the last call is shown; by default false. */
  readonly enableReturnData?: boolean
  /** The maximum number of entries; 0, the default, for no limit. */
  readonly limit?: number
}

const [SLOAD, SSTORE] = [0x54, 0x55] as const

/** The memory of an entry without the parts counted separately, and of a string without its characters, in bytes. */
const [ENTRY_BYTES, TEXT_BYTES] = [200, 8] as const

/** Creates a run of the default tracer. */
export function createStructLogger(
  config: StructLoggerConfig,
  context: TraceContext,
): TraceRun<StructLogTrace> {
  const logger = new StructLogger(config, context)
  return {
    hooks: { tracer: logger },
    result: (_tx, { gasUsed, succeeded, output }) => ({
      gas: Number(gasUsed),
      failed: !succeeded,
      returnValue: bytesToHex(output),
      structLogs: logger.logs,
    }),
  }
}

type Entry = { -readonly [Key in keyof StructLog]: StructLog[Key] }

class StructLogger implements Tracer {
  logs: Entry[] = []
  readonly #config: StructLoggerConfig
  readonly #spending: Spending
  readonly #limit: number
  /** The stack of the last entry, and its items in hex, cached since most stay the same in the next instruction. */
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
    this.logs = []
    this.#storage = new Map()
    this.#isFull = false
  }

  onStep(step: Step): void {
    this.#isFull = this.logs.length >= this.#limit
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
    this.logs.push(entry)
  }

  #toItems(stack: readonly bigint[]): readonly Hex[] {
    const [before, known] = [this.#stack, this.#items]
    this.#stack = stack
    this.#items = stack.map((item, i) => (item === before[i] ? known[i]! : quantity(item)))
    return this.#items
  }

  onOpcodeError(error: string): void {
    const last = this.logs.at(-1)
    if (last !== undefined && !this.#isFull) last.error = error
  }

  /** Records the slot of a step. @returns all slots of its account that were read or written so far. */
  #recordSlot(step: Step, stack: readonly bigint[]): Record<Hash, Hash> | undefined {
    const { opcode, address } = step
    const [key, written] = [stack.at(-1), stack.at(-2)]
    if (key === undefined || (opcode === SSTORE && written === undefined)) return undefined
    const slot = toWord(key)
    const value = opcode === SSTORE ? written! : step.slot(slot)
    const slots = { ...this.#storage.get(address), [slot]: toWord(value) }
    this.#storage.set(address, slots)
    return { ...slots }
  }
}

/** The estimated memory of an entry, in bytes; roughly the size of its JSON, or more. */
function sizeOf({ stack, memory, storage, returnData }: Entry): number {
  let size = ENTRY_BYTES + (returnData?.length ?? 0)
  for (const item of stack ?? []) size += TEXT_BYTES + item.length
  // Strings of the memory are not shared between entries.
  for (const word of memory ?? []) size += 4 * TEXT_BYTES + word.length
  if (storage !== undefined) size += Object.keys(storage).length * 2 * (TEXT_BYTES + 66)
  return size
}

function toWords(memory: Uint8Array): Hex[] {
  const words: Hex[] = []
  for (let at = 0; at < memory.length; at += 32) words.push(bytesToHex(memory.subarray(at, at + 32)))
  return words
}
