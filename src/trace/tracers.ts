/** The tracers by name; with all they consist of, a chunk loaded at the first trace. */

import type { Hooks, Tracer } from '../evm/executor.ts'
import { type CallTracerConfig, createCallTracer } from './callTracer.ts'
import { UnknownTracerError } from './errors.ts'
import { createFourByteTracer } from './fourByteTracer.ts'
import { createParityTracer, type ParityConfig } from './parity.ts'
import { createPrestateTracer, type PrestateTracerConfig } from './prestateTracer.ts'
import type { DebugTrace } from './shapes.ts'
import { createStructLogger, type StructLoggerConfig } from './structLogger.ts'
import { MUX, type TraceContext, type TraceRun } from './tracer.ts'

/** Options of whichever tracer is named; those of others are passed over. */
export type TracerConfig = CallTracerConfig & PrestateTracerConfig & ParityConfig

/** What to trace an execution with. */
export interface TraceOptions extends StructLoggerConfig {
  /** The struct logger if none is named. */
  readonly tracer?: string
  readonly tracerConfig?: TracerConfig
  /** Of muxTracer: those it runs, by name. */
  readonly tracers?: ReadonlyMap<string, TracerConfig>
}

/**
 * Begins to trace one execution.
 *
 * @throws UnknownTracerError
 */
export function createTraceRun(options: TraceOptions, context: TraceContext): TraceRun<DebugTrace> {
  const { tracer, tracerConfig = {} } = options
  if (tracer === undefined || tracer === '') return createStructLogger(options, context)
  if (tracer !== MUX) return findTracer(tracer, [...TRACERS.keys(), MUX])(tracerConfig, context)
  const runs = new Map<string, TraceRun<DebugTrace>>()
  for (const [name, config] of options.tracers ?? []) {
    runs.set(name, findTracer(name, [...TRACERS.keys()])(config, context))
  }
  return combine(runs)
}

type CreateRun = (config: TracerConfig, context: TraceContext) => TraceRun<DebugTrace>

const TRACERS: ReadonlyMap<string, CreateRun> = new Map<string, CreateRun>([
  ['callTracer', createCallTracer],
  ['prestateTracer', createPrestateTracer],
  ['4byteTracer', (_config, context) => createFourByteTracer(context)],
  ['flatCallTracer', createParityTracer],
  ['noopTracer', () => ({ hooks: {}, result: () => ({}) })],
])

function findTracer(name: string, known: readonly string[]): CreateRun {
  const create = TRACERS.get(name)
  if (create === undefined) throw new UnknownTracerError(name, known)
  return create
}

/** Several runs on one execution; none of them wants steps. */
function combine(runs: ReadonlyMap<string, TraceRun<DebugTrace>>): TraceRun<DebugTrace> {
  const hooks = [...runs.values()].map((run) => run.hooks)
  const tracers = hooks.flatMap(({ tracer }) => tracer ?? [])
  const tracer: Tracer = {
    onStart(...begun) {
      for (const one of tracers) one.onStart?.(...begun)
    },
    onEnter(frame) {
      for (const one of tracers) one.onEnter?.(frame)
    },
    onExit(end) {
      for (const one of tracers) one.onExit?.(end)
    },
    onLog(log) {
      for (const one of tracers) one.onLog?.(log)
    },
  }
  const onAccess: Hooks['onAccess'] = (...access) => {
    for (const one of hooks) one.onAccess?.(...access)
  }
  return {
    hooks: { tracer, onAccess },
    result: (...ended) => Object.fromEntries([...runs].map(([name, run]) => [name, run.result(...ended)])),
  }
}
