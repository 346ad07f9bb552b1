/** Requests on a fork: a chunk of its own, since most chains are none. */
import { InvalidParamsError } from '../../base/errors.ts'
import { whenLoaded } from '../../base/missing.ts'
import type { ForkReads } from '../../core/view/sources.ts'
import type { Method, ResetContext, RunnableMethod, SendingContext } from '../method.ts'
import { METHODS } from '../table.ts'
import type { Reader } from './request.ts'
import { READERS } from './table.ts'

/** A request on a fork, parsed. */
export interface ParsedRequest {
  readonly method: RunnableMethod
  readonly params: unknown
  readonly values: readonly unknown[]
  readonly context: SendingContext & ResetContext
  readonly fork: ForkReads
}

/** Answers a request on a fork: from the chain here, from the forked node, or from both. */
export async function answerOnFork(request: ParsedRequest): Promise<unknown> {
  const { method, context, fork } = request
  const local = async (values = request.values): Promise<unknown> =>
    whenLoaded(() => method.handler(context, ...(values as never[])))
  const found = readers.get(method)
  if (found === undefined) return local()
  let copy: readonly unknown[] | undefined
  return found.read({
    name: found.name,
    // Most requests are answered here.
    get params() {
      copy ??= copyParams(request.params ?? [])
      return copy
    },
    values: request.values,
    context,
    fork,
    local,
  })
}

/** By method, since a request may use any of its names. */
const readers = new Map<Method, { readonly name: string; readonly read: Reader }>(
  Object.entries(READERS).map(([name, read]) => [
    (METHODS as Readonly<Record<string, Method>>)[name]!,
    { name, read },
  ]),
)

/**
 * A copy of params, which their caller may change later, without absent ones at the end.
 *
 * @throws InvalidParamsError if JSON cannot express them.
 */
function copyParams(params: unknown): readonly unknown[] {
  let copy: unknown[]
  try {
    copy = JSON.parse(JSON.stringify(params))
  } catch {
    throw new InvalidParamsError('params', 'values that JSON can express')
  }
  while (copy.length > 0 && copy.at(-1) === null) copy.pop()
  return copy
}
