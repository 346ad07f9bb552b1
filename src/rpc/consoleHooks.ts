/** What calls write to the console, as events. */
import { ConsoleCalls } from '../evm/consoleCalls.ts'
import type { Hooks } from '../evm/executor.ts'
import type { ReadServices } from './services.ts'

/** Hooks that hear what a call says, and what tells of it afterwards. */
export interface ConsoleHooks {
  readonly hooks: Hooks | undefined
  tell(): void
}

/** Adds them to hooks; without listeners there is nothing to add. */
export function listenToConsole(
  hooks: Hooks | undefined,
  { events }: Pick<ReadServices, 'events'>,
): ConsoleHooks {
  if (events.count('console') === 0) return { hooks, tell: () => {} }
  const tracer = new ConsoleCalls()
  return {
    hooks: { ...hooks, tracer },
    tell() {
      if (tracer.calls.length > 0) events.emit('console', { transactionHash: null, calls: tracer.calls })
    },
  }
}
