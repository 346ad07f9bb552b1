/**
 * The stack while a trace is compiled.
 *
 * Owns: the words that the trace has read or written so far, and the height.
 */

import type { Word } from '../engine/word.ts'
import { i64, local, type Wasm } from './assembler.ts'
import { STACK } from './layout.ts'
import { type Emitter, knownValue, type Limbs, type StackLimb } from './words.ts'

/** The local variable with the height of the stack in bytes, at the start of the trace. */
export const BASE = 0

const addressOf = (slot: number, limb: number): number => STACK + 32 * slot + 8 * limb

/** Reads a limb from the stack as it was at the start of the trace. */
export function load({ slot, limb }: StackLimb): Wasm {
  return i64.load(addressOf(slot, limb), local.get(BASE))
}

/** The stack of a trace; see the file's header. */
export class TraceStack {
  /** The height, relative to that at the start. */
  height = 0
  readonly #slots = new Map<number, Limbs>()

  #word(slot: number): Limbs {
    let word = this.#slots.get(slot)
    if (word === undefined) {
      word = [0, 1, 2, 3].map((limb): StackLimb => ({ kind: 'stack', slot, limb, variable: undefined }))
      this.#slots.set(slot, word)
    }
    return word
  }

  /** The word at a depth: 1 is the topmost. */
  peek(depth: number): Limbs {
    return this.#word(this.height - depth)
  }

  pop(): Limbs {
    this.height -= 1
    return this.#word(this.height)
  }

  push(word: Limbs): void {
    this.#slots.set(this.height, word)
    this.height += 1
  }

  /** Swaps the topmost word with that `depth` below. */
  swap(depth: number): void {
    const [top, other] = [this.height - 1, this.height - 1 - depth]
    const [a, b] = [this.#word(top), this.#word(other)]
    this.#slots.set(top, b)
    this.#slots.set(other, a)
  }

  /** The words on it that are known. */
  knownWords(): Word[] {
    return [...this.#slots].flatMap(([slot, word]) => {
      const value = slot < this.height ? knownValue(word) : undefined
      return value === undefined ? [] : [value]
    })
  }

  /**
   * Stores the words that have changed. What it reads for that is in new variables of its own, since it may be executed in a
   * branch.
   */
  store(emitter: Emitter, newVariable: () => number): Wasm[] {
    const loads: Wasm[] = []
    const stores: Wasm[] = []
    for (const [slot, word] of this.#slots) {
      if (slot >= this.height) continue
      for (const [i, limb] of word.entries()) {
        if (limb.kind === 'stack' && limb.slot === slot && limb.limb === i) continue
        let value: Wasm
        if (limb.kind === 'stack' && limb.variable === undefined) {
          const variable = newVariable()
          loads.push(local.set(variable, load(limb)))
          value = local.get(variable)
        } else value = emitter.value(limb)
        stores.push(i64.store(addressOf(slot, i), local.get(BASE), value))
      }
    }
    return [...loads, ...stores]
  }
}
