import { EventEmitter } from 'eventemitter3'
import { getOrInsert } from './collections.ts'

/** An emitter that isolates listeners: if one throws or rejects, the others still run. Owns: the listeners. */
export class Emitter<Events extends { [Event in keyof Events]: (...values: never[]) => void }> {
  readonly #emitter = new EventEmitter()
  readonly #wrapped = new Map<string, Map<unknown, Wrapped>>()
  readonly #onError: (error: Error, event: keyof Events & string) => void
  readonly #onCount: (listeners: number) => void

  /**
   * @param onError - called with the error that a listener of `event` threw or rejected with.
   * @param onCount - called with the number of listeners when it changes.
   */
  constructor(
    onError: (error: Error, event: keyof Events & string) => void,
    onCount: (listeners: number) => void = () => {},
  ) {
    this.#onError = onError
    this.#onCount = onCount
  }

  /** Calls `listener` on every `event` from now on; adding it twice has no effect. */
  on<Event extends keyof Events & string>(event: Event, listener: Events[Event]): void {
    if (this.#wrapped.get(event)?.get(listener)?.once === false) return
    this.off(event, listener)
    this.#add(event, listener, false)
  }

  /** Calls `listener` on the next `event` only, unless it is already added. */
  once<Event extends keyof Events & string>(event: Event, listener: Events[Event]): void {
    if (this.#wrapped.get(event)?.has(listener) !== true) this.#add(event, listener, true)
  }

  off<Event extends keyof Events & string>(event: Event, listener: Events[Event]): void {
    const wrapped = this.#wrapped.get(event)?.get(listener)
    if (wrapped === undefined) return
    this.#wrapped.get(event)!.delete(listener)
    this.#emitter.off(event, wrapped.call)
    this.#onCount(this.count())
  }

  /** Calls `listener` on every `event` until the returned function is called. */
  listen<Event extends keyof Events & string>(event: Event, listener: Events[Event]): () => void {
    this.on(event, listener)
    return () => this.off(event, listener)
  }

  clear(): void {
    this.#wrapped.clear()
    this.#emitter.removeAllListeners()
    this.#onCount(0)
  }

  count(event?: keyof Events & string): number {
    if (event !== undefined) return this.#emitter.listenerCount(event)
    let count = 0
    for (const listeners of this.#wrapped.values()) count += listeners.size
    return count
  }

  names(): string[] {
    return this.#emitter.eventNames() as string[]
  }

  emit<Event extends keyof Events & string>(event: Event, ...values: Parameters<Events[Event]>): void {
    this.#emitter.emit(event, ...values)
  }

  #add<Event extends keyof Events & string>(event: Event, listener: Events[Event], once: boolean): void {
    const call = (...values: unknown[]) => {
      if (once) this.off(event, listener)
      this.#isolate(event, listener, values as never[])
    }
    getOrInsert(this.#wrapped, event, () => new Map()).set(listener, { call, once })
    this.#emitter.on(event, call)
    this.#onCount(this.count())
  }

  #isolate(event: keyof Events & string, listener: (...values: never[]) => unknown, values: never[]): void {
    try {
      const result = listener(...values)
      // Handles the rejection of an async listener. Looks for `then`, as its promise can be of any realm or library.
      if (typeof (result as Promise<unknown> | undefined)?.then === 'function') {
        Promise.resolve(result).catch((error) => this.#onError(toError(error), event))
      }
    } catch (error) {
      this.#onError(toError(error), event)
    }
  }
}

interface Wrapped {
  readonly call: (...values: unknown[]) => void
  readonly once: boolean
}

/** Returns a thrown value if it is an `Error`, else an `Error` whose message is its text. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}

/** Throws from a microtask, so that the error surfaces as an uncaught exception. */
export function throwLater(error: Error): void {
  queueMicrotask(() => {
    throw error
  })
}
