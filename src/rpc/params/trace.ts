/** Parameters of tracing methods, under the names of go-ethereum and Parity. */
import {
  array,
  type InputOf,
  object,
  oneOf,
  optional,
  readObject,
  refine,
  untouched,
} from '../../base/schema.ts'
import { MUX } from '../../core/trace/tracer.ts'
import { blockPosition } from './block.ts'
import { blockOverrides, stateOverrides } from './callObject.ts'
import { address, boolean, count, text } from './params.ts'

const tracerConfig = object({
  onlyTopCall: optional(boolean),
  withLog: optional(boolean),
  diffMode: optional(boolean),
  disableCode: optional(boolean),
  disableStorage: optional(boolean),
  includePrecompiles: optional(boolean),
  convertParityErrors: optional(boolean),
})

const traceFields = {
  tracer: optional(text),
  tracerConfig: optional(untouched<TracerConfigWire>('an object')),
  enableMemory: optional(boolean),
  disableStack: optional(boolean),
  disableStorage: optional(boolean),
  enableReturnData: optional(boolean),
  limit: optional(count),
  // Accepted but ignored (spec.md 43): memory and history limit traces instead.
  timeout: optional(text),
  reexec: optional(count),
} as const

type TracerConfigWire = InputOf<typeof tracerConfig> | { readonly [tracer: string]: object | null }

/** Parses `tracerConfig`: one configuration, or for muxTracer one per tracer. */
function readTracerConfig<T extends { readonly tracer?: string; readonly tracerConfig?: { value: unknown } }>(
  { tracerConfig: config, ...rest }: T,
  position: string,
) {
  if (config === undefined) return rest
  const at = `${position}.tracerConfig`
  if (rest.tracer !== MUX) return { ...rest, tracerConfig: tracerConfig.parse(config.value, at) }
  const tracers = Object.entries(readObject(config.value, at)).map(
    ([name, one]) => [name, tracerConfig.parse(one ?? {}, `${at}.${name}`)] as const,
  )
  return { ...rest, tracers: new Map(tracers) }
}

/** Options of a trace (go-ethereum's TraceConfig). */
export const traceOptions = refine(object(traceFields), readTracerConfig)

/** Options of debug_traceCall (go-ethereum's TraceCallConfig). */
export const traceCallOptions = refine(
  object({
    ...traceFields,
    stateOverrides: optional(stateOverrides),
    blockOverrides: optional(blockOverrides),
    txIndex: optional(count),
  }),
  readTracerConfig,
)

/** The filter of trace_filter. The default mode is `union`; `after` skips frames, `count` limits them. */
export const traceFilter = object({
  fromBlock: optional(blockPosition),
  toBlock: optional(blockPosition),
  fromAddress: optional(array(address)),
  toAddress: optional(array(address)),
  mode: optional(oneOf('union', 'intersection')),
  after: optional(count),
  count: optional(count),
})

/** A trace address: the index of the call at each depth below the outermost frame. */
export const traceAddress = array(count)
