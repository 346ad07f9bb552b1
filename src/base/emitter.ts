/**
 * An emitter that isolates listeners: an error that one throws or rejects with goes to `onError`, and the rest still
 * run.
 *
 * Owns: the listeners.
 */
import { getOrInsert } from './collections.ts'

/** See the file's header. */
export class Emitter<Events extends { [Event in keyof Events]: (...values: never[]) => void }> {
  /** By event, in the order of adding. A removal replaces the list, so that an `emit` under way is unaffected. */
  readonly #listeners = new Map<string, Registered[]>()
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
    if (this.#find(event, listener)?.once === false) return
    this.off(event, listener)
    this.#add(event, { listener, once: false })
  }

  /** Calls `listener` on the next `event` only, unless it is already added. */
  once<Event extends keyof Events & string>(event: Event, listener: Events[Event]): void {
    if (this.#find(event, listener) === undefined) this.#add(event, { listener, once: true })
  }

  off<Event extends keyof Events & string>(event: Event, listener: Events[Event]): void {
    const found = this.#find(event, listener)
    if (found === undefined) return
    const left = this.#listeners.get(event)!.filter((one) => one !== found)
    if (left.length > 0) this.#listeners.set(event, left)
    else this.#listeners.delete(event)
    this.#onCount(this.count())
  }

  /** Calls `listener` on every `event` until the returned function is called. */
  listen<Event extends keyof Events & string>(event: Event, listener: Events[Event]): () => void {
    this.on(event, listener)
    return () => this.off(event, listener)
  }

  clear(): void {
    this.#listeners.clear()
    this.#onCount(0)
  }

  /** Counts the listeners of an event, or of all events. */
  count(event?: keyof Events & string): number {
    if (event !== undefined) return this.#listeners.get(event)?.length ?? 0
    let count = 0
    for (const listeners of this.#listeners.values()) count += listeners.length
    return count
  }

  /** The events with listeners. */
  names(): string[] {
    return [...this.#listeners.keys()]
  }

  emit<Event extends keyof Events & string>(event: Event, ...values: Parameters<Events[Event]>): void {
    const listeners = this.#listeners.get(event)
    if (listeners === undefined) return
    // Listeners added meanwhile miss this event.
    const { length } = listeners
    for (let i = 0; i < length; i++) {
      const { listener, once } = listeners[i]!
      if (once) this.off(event, listener as Events[Event])
      this.#isolate(event, listener, values as never[])
    }
  }

  #find(event: string, listener: Listener): Registered | undefined {
    return this.#listeners.get(event)?.find((one) => one.listener === listener)
  }

  #add(event: string, registered: Registered): void {
    getOrInsert<string, Registered[]>(this.#listeners, event, () => []).push(registered)
    this.#onCount(this.count())
  }

  #isolate(event: keyof Events & string, listener: Listener, values: never[]): void {
    try {
      const result = listener(...values)
      // A promise of any realm or library: an async listener's rejection would be unhandled.
      if (typeof (result as Promise<unknown> | undefined)?.then === 'function') {
        Promise.resolve(result).catch((error) => this.#onError(toError(error), event))
      }
    } catch (error) {
      this.#onError(toError(error), event)
    }
  }
}

type Listener = (...values: never[]) => unknown

interface Registered {
  readonly listener: Listener
  readonly once: boolean
}

export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}

/** Throws from a microtask, so that the error surfaces as an uncaught exception. */
export function throwLater(error: Error): void {
  queueMicrotask(() => {
    throw error
  })
}
