/** Emits the console output of calls as events. */
import { ConsoleCalls } from '../evm/consoleCalls.ts'
import type { Hooks } from '../evm/executor.ts'
import type { ReadServices } from './services.ts'

/** Hooks that collect a call's console output, and a function that emits it afterwards. */
export interface ConsoleHooks {
  readonly hooks: Hooks | undefined
  emit(): void
}

/** Adds hooks that collect console output, if the event `console` has listeners. */
export function listenToConsole(
  hooks: Hooks | undefined,
  { events }: Pick<ReadServices, 'events'>,
): ConsoleHooks {
  if (events.count('console') === 0) return { hooks, emit: () => {} }
  const tracer = new ConsoleCalls()
  return {
    hooks: { ...hooks, tracer },
    emit() {
      if (tracer.calls.length > 0) events.emit('console', { transactionHash: null, calls: tracer.calls })
    },
  }
}
