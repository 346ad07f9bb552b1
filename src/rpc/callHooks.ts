/** The hooks of calls and estimates: they collect console output, and let the collector of the process watch. */
import { ConsoleCalls } from '../ethereum/evm/consoleCalls.ts'
import type { Hooks } from '../ethereum/evm/executor.ts'
import { watchExecution } from '../ethereum/evm/watchedExecution.ts'
import type { ReadServices } from './services.ts'

/** The hooks of a call, and a function that reports afterwards what they collected. */
export interface CallHooks {
  readonly hooks: Hooks | undefined
  /** Emits the console output, and counts the execution that was the last. */
  report(): void
}

/** Adds hooks if the event `console` has listeners, or if executions are watched. */
export function watchCall(hooks: Hooks | undefined, { events }: Pick<ReadServices, 'events'>): CallHooks {
  const output = events.count('console') === 0 ? undefined : new ConsoleCalls()
  const watched = watchExecution(output)
  const tracer = watched?.tracer ?? output
  if (tracer === undefined) return { hooks, report: () => {} }
  return {
    hooks: { ...hooks, tracer },
    report() {
      watched?.count()
      if (output !== undefined && output.calls.length > 0)
        events.emit('console', { transactionHash: null, calls: output.calls })
    },
  }
}
