/** Injects a failure into any call to a part of a chain. */
import type { ChainParts } from '../../../src/core/open/core.ts'

/** Makes exactly one of the calls through it fail while it is armed. */
export class Fault {
  calls = 0
  #at = -1
  #armed = false

  /** Counts the calls from now on, and makes number `at` of them fail. */
  arm(at = -1): void {
    this.calls = 0
    this.#at = at
    this.#armed = true
  }

  disarm(): void {
    this.#armed = false
  }

  /** Goes on counting after {@link disarm}. */
  resume(): void {
    this.#armed = true
  }

  pass(): void {
    if (!this.#armed) return
    const call = this.calls
    this.calls += 1
    if (call === this.#at) throw new Error('injected')
  }

  /** The object with its calls passed through the fault. */
  wrap<T extends object>(own: T, names?: readonly string[]): T {
    return new Proxy(own, {
      get: (_target, name) => {
        const value = Reflect.get(own, name)
        if (typeof value !== 'function') return value
        if (names !== undefined && !names.includes(String(name))) return value.bind(own)
        // An async function rejects rather than throws.
        if (value.constructor.name === 'AsyncFunction') {
          return async (...args: unknown[]) => {
            this.pass()
            return Reflect.apply(value, own, args)
          }
        }
        return (...args: unknown[]) => {
          this.pass()
          return Reflect.apply(value, own, args)
        }
      },
    })
  }
}

/** The part of a chain that a fault is injected into. */
export type Place = 'executor' | 'crypto' | 'store' | 'clock'

/** Parts of a chain whose calls pass through a fault. */
export function partsWith(place: Place, fault: Fault, storeCalls?: readonly string[]): ChainParts {
  if (place === 'executor') return { executor: (own) => fault.wrap(own) }
  if (place === 'crypto') return { crypto: (own) => fault.wrap(own, ['keccak256', 'keccak256Hex']) }
  return place === 'store' ? { store: (own) => fault.wrap(own, storeCalls) } : {}
}
