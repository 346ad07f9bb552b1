/** Random requests: valid ones of every method, the same with mutations, and junk. */
import fc from 'fast-check'
import { METHODS } from '../../src/rpc/table.ts'
import { edit, junk, mutate } from './mutations.ts'

/** Methods that wait for a transaction, up to a timeout. */
const WAITING: readonly unknown[] = ['eth_sendRawTransactionSync', 'eth_sendTransactionSync']

/** Valid params by method; see `validParams.ts`. */
export type ValidParams = Readonly<Record<string, readonly unknown[][]>>

/** Any request, most of them valid or nearly so. */
export function randomRequests(valid: ValidParams): fc.Arbitrary<unknown> {
  const methods = Object.keys(METHODS)
  const near = fc
    .tuple(fc.constantFrom(...methods), fc.nat(100), fc.array(edit, { maxLength: 2 }))
    .map(([method, which, edits]) => {
      const choices = valid[method] ?? [[]]
      return { method, params: edits.reduce<unknown>(mutate, choices[which % choices.length]) }
    })
  const wild = fc.record({
    method: fc.oneof(
      fc.constantFrom(...methods),
      fc.constantFrom('eth_simulateV1', 'toString', ''),
      fc.string(),
    ),
    params: fc.oneof(fc.array(junk, { maxLength: 4 }), junk),
  })
  return fc.oneof(
    { weight: 4, arbitrary: near },
    { weight: 1, arbitrary: wild },
    { weight: 1, arbitrary: junk },
  )
}

/** Whether a request can wait for the clock. */
export function canWait(
  request: unknown,
): request is { readonly method: string; readonly params: unknown[] } {
  const { method, params } = (request ?? {}) as { method?: unknown; params?: unknown }
  return WAITING.includes(method) && Array.isArray(params)
}

/** The request, with a timeout of 0 if it can wait: the clock may stand still. */
export function withoutWaiting(request: unknown): unknown {
  return canWait(request) ? { method: request.method, params: [request.params[0], '0x0'] } : request
}
