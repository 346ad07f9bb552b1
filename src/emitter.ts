/**
 * Events whose listeners cannot harm whoever emits them.
 *
 * Owns: the listeners. What one throws, or rejects with, goes to `onError` while the others still run.
 */
import { EventEmitter } from 'eventemitter3'

/** Isolated events; see the file's header. */
export class Emitter<Events extends { [Event in keyof Events]: (...values: never[]) => void }> {
  readonly #emitter = new EventEmitter()
  readonly #wrapped = new Map<string, Map<unknown, (...values: unknown[]) => void>>()
  readonly #onError: (error: Error) => void

  constructor(onError: (error: Error) => void) {
    this.#onError = onError
  }

  /** Calls `listener` at every `event` from now on; one that is on already stays on once. */
  on<Event extends keyof Events & string>(event: Event, listener: Events[Event]): void {
    let wrapped = this.#wrapped.get(event)
    if (wrapped === undefined) {
      wrapped = new Map()
      this.#wrapped.set(event, wrapped)
    }
    if (wrapped.has(listener)) return
    const isolated = (...values: unknown[]) => this.#isolate(listener, values as never[])
    wrapped.set(listener, isolated)
    this.#emitter.on(event, isolated)
  }

  /** Calls `listener` at the next `event` only. */
  once<Event extends keyof Events & string>(event: Event, listener: Events[Event]): void {
    const first = ((...values: never[]) => {
      this.off(event, first)
      listener(...values)
    }) as Events[Event]
    this.on(event, first)
  }

  /** Takes a listener off. */
  off<Event extends keyof Events & string>(event: Event, listener: Events[Event]): void {
    const isolated = this.#wrapped.get(event)?.get(listener)
    if (isolated === undefined) return
    this.#wrapped.get(event)!.delete(listener)
    this.#emitter.off(event, isolated)
  }

  /** Takes all listeners off. */
  clear(): void {
    this.#wrapped.clear()
    this.#emitter.removeAllListeners()
  }

  /** How many listeners an event has; of all events where none is named. */
  count(event?: keyof Events & string): number {
    if (event !== undefined) return this.#emitter.listenerCount(event)
    let count = 0
    for (const listeners of this.#wrapped.values()) count += listeners.size
    return count
  }

  /** Tells every listener of `event`. */
  emit<Event extends keyof Events & string>(event: Event, ...values: Parameters<Events[Event]>): void {
    this.#emitter.emit(event, ...values)
  }

  #isolate(listener: (...values: never[]) => unknown, values: never[]): void {
    try {
      const result = listener(...values)
      if (result instanceof Promise) result.catch((error) => this.#onError(toError(error)))
    } catch (error) {
      this.#onError(toError(error))
    }
  }
}

/** Whatever was thrown, as an Error. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}
