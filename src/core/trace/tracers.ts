/** The tracers by name; a chunk that is loaded at the first trace. */

import type { Hooks, Tracer } from '../../ethereum/evm/executor.ts'
import { type CallTracerConfig, createCallTracer } from './callTracer.ts'
import { UnknownTracerError } from './errors.ts'
import { createFourByteTracer } from './fourByteTracer.ts'
import { createParityTracer, type ParityConfig } from './parity.ts'
import { createPrestateTracer, type PrestateTracerConfig } from './prestateTracer.ts'
import type { DebugTrace } from './shapes.ts'
import { createStructLogger, type StructLoggerConfig } from './structLogger.ts'
import { MUX, type TraceContext, type TraceRun } from './tracer.ts'

/** The options of the named tracer; those of others are ignored. */
export type TracerConfig = CallTracerConfig & PrestateTracerConfig & ParityConfig

/** The options of tracing an execution. */
export interface TraceOptions extends StructLoggerConfig {
  /** By default the struct logger. */
  readonly tracer?: string
  readonly tracerConfig?: TracerConfig
  /** For muxTracer: the tracers it runs, by name. */
  readonly tracers?: ReadonlyMap<string, TracerConfig>
}

/**
 * Creates the run that traces one execution.
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

/** Combines several runs on one execution; none of them has `onStep`. */
function combine(runs: ReadonlyMap<string, TraceRun<DebugTrace>>): TraceRun<DebugTrace> {
  const hooks = [...runs.values()].map((run) => run.hooks)
  const tracers = hooks.flatMap(({ tracer }) => tracer ?? [])
  const tracer: Tracer = {
    onStart(...start) {
      for (const one of tracers) one.onStart?.(...start)
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
