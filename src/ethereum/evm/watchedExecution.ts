/**
 * Executions that collectors of the process watch, such as that of `preseal/coverage`.
 *
 * Collectors are a global, since the copies of this library in a process (ESM, CJS, of test files) share nothing else.
 */
import type { Address } from '../../base/types.ts'
import type { Tracer } from './executor.ts'

/** A watched execution. */
export interface WatchedExecution {
  readonly tracer: Tracer
  /** Counts the execution; one that is not counted leaves no trace. */
  count(): void
}

/** What watches executions. */
export interface ExecutionCollector {
  /** @param inner - its hooks are called too, but for logs and failed instructions. */
  watch(inner: Tracer | undefined): WatchedExecution
  /**
   * An account without code that instrumented contracts call to tell what they execute. While there is the collector, such a
   * call leaves the return data of the one before it as it is, in every execution: one that is repeated has the same result.
   */
  readonly probe?: Address
}

/** What collectors are for: there is at most one for each. */
export type CollectorName = 'coverage' | 'hardhat'

const COLLECTORS: unique symbol = Symbol.for('preseal.executionCollectors') as never

const globals = globalThis as { [COLLECTORS]?: Map<CollectorName, ExecutionCollector> }
globals[COLLECTORS] ??= new Map()
const collectors = globals[COLLECTORS]

/** A collector of this process; undefined if there is none. */
export function collectorOf(name: CollectorName): ExecutionCollector | undefined {
  return collectors.get(name)
}

/** Replaces a collector of this process. */
export function setCollector(name: CollectorName, collector: ExecutionCollector | undefined): void {
  if (collector === undefined) collectors.delete(name)
  else collectors.set(name, collector)
}

/** Whether executions are watched. */
export function isWatching(): boolean {
  return collectors.size > 0
}

/** The account of {@link ExecutionCollector.probe}; undefined if no collector has one. */
export function probedAccount(): Address | undefined {
  return collectors.size === 0 ? undefined : collectors.get('hardhat')?.probe
}

/** Lets all collectors watch an execution; undefined if there are none. @param inner - see {@link ExecutionCollector}. */
export function watchExecution(inner: Tracer | undefined): WatchedExecution | undefined {
  if (!isWatching()) return undefined
  const watched: WatchedExecution[] = []
  let tracer = inner
  for (const collector of collectors.values()) {
    const one = collector.watch(tracer)
    tracer = one.tracer
    watched.push(one)
  }
  return {
    tracer: tracer!,
    count() {
      for (const one of watched) one.count()
    },
  }
}
