/** Otterscan's methods, whose handlers are a separate chunk. */
import type { Schema } from '../../base/schema.ts'
import type { MaybePromise } from '../../base/types.ts'
import { lazyMethod, type Method, type RpcContext } from '../method.ts'
import type { ParamValues } from '../params/params.ts'

/** Loads the handlers. */
export const loadOtterscan = () => import('./otterscan.ts')

type Handlers = Awaited<ReturnType<typeof loadOtterscan>>

/** Defines a method by its parameters and its handler. */
export function otterscanMethod<const Specs extends readonly Schema<unknown>[], Result>(
  params: Specs,
  pick: (handlers: Handlers) => (context: RpcContext, ...params: ParamValues<Specs>) => MaybePromise<Result>,
): Method<Specs, Result, never> {
  return lazyMethod(params, async () => pick(await loadOtterscan()))
}
