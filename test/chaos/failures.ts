/** Failures of the parts of a chain, one at a time. */
import type { MemoryLevel } from 'memory-level'
import { Missing } from '../../src/base/waiting.ts'
import type { ChainParts } from '../../src/core/open/core.ts'
import type { StateChanges, StateSource } from '../../src/ethereum/state/account.ts'
import { createManualClock, type ManualClock } from '../../src/index.ts'
import { withFailingWrites } from '../core/ledger/failingDatabase.ts'
import { Fault } from '../core/sequencer/fault.ts'
import { createSlowSource } from '../ethereum/state/slowSource.ts'
import { NODE_ERRORS } from './node.ts'
import type { Failure } from './steps.ts'

/** A part of a chain that can fail. */
export type Place = 'executor' | 'crypto' | 'store' | 'database' | 'source' | 'clock' | 'listener' | 'node'

/** The parts that every chain has. */
export const PLACES: readonly Place[] = ['executor', 'crypto', 'store', 'clock', 'listener']

const INJECTED =
  /^(injected|the database (cannot be written|accepts no write until it is opened again): disk full)$/

/** Whether an error can be what a failure of a part surfaces with. */
export function isInjected(place: Place, message: string): boolean {
  return (place === 'node' ? NODE_ERRORS : INJECTED).test(message)
}

/** Makes one call to one part fail. */
export class Failures {
  readonly #faults = new Map<Place, Fault>()
  #pending: Failure | undefined

  /** The failure that has not happened yet. */
  get pending(): Failure | undefined {
    return this.#pending
  }

  /** Makes the call fail, in this step or in a later one. */
  arm(failure: Failure): void {
    this.#pending = failure
    this.of(failure.place).arm(failure.at)
    this.pause()
  }

  /** Counts the calls to the part again. */
  resume(): void {
    if (this.#pending !== undefined) this.of(this.#pending.place).resume()
  }

  /** @returns the failure if it has happened. */
  pause(): Failure | undefined {
    const failure = this.#pending
    if (failure === undefined) return undefined
    const fault = this.of(failure.place)
    fault.disarm()
    if (fault.calls <= failure.at) return undefined
    this.#pending = undefined
    return failure
  }

  /** Gives up the failure that has not happened. */
  forget(): void {
    this.#pending = undefined
  }

  of(place: Place): Fault {
    let fault = this.#faults.get(place)
    if (fault === undefined) {
      fault = new Fault()
      this.#faults.set(place, fault)
    }
    return fault
  }

  /** Parts of a chain that fail. */
  parts(): ChainParts {
    return {
      executor: (own) => this.of('executor').wrap(own),
      crypto: (own) => this.of('crypto').wrap(own, ['keccak256', 'keccak256Hex']),
      store: (own) => this.of('store').wrap(own),
    }
  }

  /** A source that is loaded entry by entry, and cannot always be. */
  source(genesis: StateChanges): StateSource {
    return failingSource(createSlowSource(genesis).source, this.of('source'))
  }

  /** A manual clock whose time cannot always be read. */
  clock(): ManualClock {
    const clock = createManualClock()
    const fault = this.of('clock')
    return {
      get elapsed() {
        return clock.elapsed
      },
      now() {
        fault.pass()
        return clock.now()
      },
      setTimeout: (fn, ms) => clock.setTimeout(fn, ms),
      clearTimeout: (timer) => clock.clearTimeout(timer),
      yield: () => clock.yield(),
      advance: (ms) => clock.advance(ms),
    }
  }

  /** A database that can refuse writes. */
  database<T extends object>(level: T): T {
    const fault = this.of('database')
    const refuses = (): boolean => {
      try {
        fault.pass()
        return false
      } catch {
        return true
      }
    }
    return withFailingWrites(level as unknown as MemoryLevel<Uint8Array, Uint8Array>, refuses) as unknown as T
  }
}

/** A source that cannot always load what is missing. */
function failingSource(source: StateSource, fault: Fault): StateSource {
  return new Proxy(source, {
    get(_target, name) {
      const value = Reflect.get(source, name)
      if (typeof value !== 'function') return value
      return (...args: unknown[]) => {
        try {
          return Reflect.apply(value, source, args)
        } catch (error) {
          if (!(error instanceof Missing)) throw error
          throw new Missing(async () => {
            fault.pass()
            await error.load()
          })
        }
      }
    },
  })
}
