/** Errors of tracing. */
import { PresealRpcError } from '../../base/errors.ts'

/** A request names a tracer that does not exist. */
export class UnknownTracerError extends PresealRpcError {
  override name = 'UnknownTracerError'
  /** @param tracer - a name, or a source in JavaScript. */
  constructor(tracer: string, known: readonly string[]) {
    const problem = /^\w+$/.test(tracer)
      ? `unknown tracer ${tracer}`
      : 'tracers in JavaScript are not supported'
    super(-32602, `${problem}: expected one of ${known.join(', ')}`)
  }
}

/** The traces of one request take more memory than `limits.traceMemory`. */
export class TraceTooLargeError extends PresealRpcError {
  override name = 'TraceTooLargeError'
  /** @param limit - in bytes. */
  constructor(limit: number) {
    super(-32602, `trace too large: more than ${limit} bytes of memory (limits.traceMemory)`)
  }
}
