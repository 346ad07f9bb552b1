/** The steps of a round of chaos, as data that can be printed and repeated. */
import fc from 'fast-check'
import { type Operation, operations, orForking, orRevert } from '../operations.ts'
import { randomRequests, type ValidParams, withoutWaiting } from '../rpc/randomRequests.ts'
import type { Place } from './failures.ts'
import { toText } from './model.ts'
import { NODE_FAILURES, type NodeFailure } from './node.ts'

/** The view that a request is sent to. */
export type ViewName = 'standard' | 'preconf'

/** How a client is connected. */
export type Link = 'provider' | 'text' | 'socket'

/** A request whose parameter is nested, described by its depth. */
export interface DeepRequest {
  readonly kind: 'deep'
  readonly method: string
  readonly depth: number
  readonly isList: boolean
}

/** What happens in a step. */
export type Action =
  | { readonly kind: 'operation'; readonly operation: Operation }
  /** Several at the same time. */
  | { readonly kind: 'together'; readonly operations: readonly Operation[] }
  | { readonly kind: 'request'; readonly view: ViewName; readonly request: unknown }
  | DeepRequest
  | { readonly kind: 'jump'; readonly ms: number }
  | { readonly kind: 'join'; readonly view: ViewName; readonly link: Link }
  /** A request of one of the clients, by its index modulo their count. */
  | {
      readonly kind: 'use'
      readonly client: number
      readonly method: string
      readonly params: readonly unknown[]
    }
  | { readonly kind: 'leave'; readonly client: number }

/** A call to a part that fails, in this step or a later one: the one at this index. */
export interface Failure {
  readonly place: Place
  readonly at: number
  /** Whether the step that fails is repeated. */
  readonly isRepeated: boolean
  /** How the forked node fails. */
  readonly node: NodeFailure
}

/** A step: an action, requests under way meanwhile, and possibly a failure. */
export interface Step {
  readonly action: Action
  readonly meanwhile: readonly unknown[]
  readonly failure: Failure | undefined
}

const view = fc.constantFrom<ViewName>('standard', 'preconf')
const client = fc.nat(9)

const use = (method: string, ...params: readonly unknown[]) =>
  client.map((index): Action => ({ kind: 'use', client: index, method, params }))
const id = fc.constantFrom('0x1', '0x2', '0x3')

/** What clients do besides requests that everyone sends. */
const uses: fc.Arbitrary<Action> = fc.oneof(
  use('eth_subscribe', 'newHeads'),
  use('eth_subscribe', 'newPreconfBlocks'),
  use('eth_subscribe', 'newPreconfTransactions'),
  use('eth_subscribe', 'newPendingTransactions'),
  use('eth_subscribe', 'logs', {}),
  use('eth_subscribe', 'pendingLogs', {}),
  use('eth_newFilter', { fromBlock: '0x0', toBlock: 'pending' }),
  use('eth_newBlockFilter'),
  use('eth_newPendingTransactionFilter'),
  id.chain((of) => use('eth_getFilterChanges', of)),
  id.chain((of) => use('eth_getFilterLogs', of)),
  id.chain((of) => use('eth_unsubscribe', of)),
  id.chain((of) => use('eth_uninstallFilter', of)),
  use('eth_getBlockByNumber', 'pending', true),
)

/** A value that is nested so deeply that it ends every recursion without a limit. */
export function nested({ depth, isList }: Pick<DeepRequest, 'depth' | 'isList'>): unknown {
  let value: unknown = '0x0'
  for (let level = 0; level < depth; level++) value = isList ? [value] : { to: value }
  return value
}

const deep: fc.Arbitrary<DeepRequest> = fc.record({
  kind: fc.constant('deep'),
  method: fc.constantFrom(
    'eth_call',
    'eth_getLogs',
    'eth_simulateV1',
    'eth_signTypedData_v4',
    'wallet_sendCalls',
    'anvil_loadState',
  ),
  depth: fc.constantFrom(10, 500, 20_000),
  isList: fc.boolean(),
})

/** The actions that use parts that can fail. */
export const CAN_FAIL: ReadonlySet<Action['kind']> = new Set(['operation', 'together', 'request', 'jump'])

const READING =
  /^(eth_(get|call|estimate|fee|block|chain|create|simulate|syncing)|debug_|trace_|txpool_|net_|web3_)/

/** Whether the chain begins on another block by an action, if that succeeds. */
export function isBeginning(action: Action): boolean {
  const of = (value: unknown): boolean => {
    const { method, params } = (value ?? {}) as { readonly method?: unknown; readonly params?: unknown }
    return /_reset$/.test(String(method)) && toText(params) !== toText([{ forking: {} }])
  }
  if (action.kind === 'operation') return of(action.operation)
  return action.kind === 'together'
    ? action.operations.some(of)
    : action.kind === 'request' && of(action.request)
}

function isRead(request: unknown): boolean {
  const { method } = (request ?? {}) as { readonly method?: unknown }
  return typeof method === 'string' && READING.test(method) && !method.includes('Filter')
}

/**
 * The steps of a round.
 *
 * @param places - the parts that can fail.
 * @param links - how clients can connect.
 * @param isFork - whether the chain continues another one.
 */
export function stepsOf(
  valid: ValidParams,
  places: readonly Place[],
  links: readonly Link[],
  isFork: boolean,
): fc.Arbitrary<readonly Step[]> {
  const request = randomRequests(valid).map(withoutWaiting)
  const together = (operation: fc.Arbitrary<Operation>) =>
    fc
      .array(operation, { minLength: 2, maxLength: 4 })
      .map((all): Action => ({ kind: 'together', operations: all }))
  const actions = (operation: fc.Arbitrary<Operation>, isConcurrent: boolean) =>
    fc.oneof<fc.WeightedArbitrary<Action>[]>(
      {
        weight: 12,
        arbitrary: (isFork ? orForking : orRevert)(operation).map((one) => ({
          kind: 'operation',
          operation: one,
        })),
      },
      {
        weight: 8,
        arbitrary: fc.tuple(view, request).map(([on, one]) => ({ kind: 'request', view: on, request: one })),
      },
      { weight: 1, arbitrary: deep },
      ...(isConcurrent ? [{ weight: 2, arbitrary: together(operation) }] : []),
      {
        weight: 1,
        arbitrary: fc.constantFrom(0, 1, 200, 2000, 60_000).map((ms) => ({ kind: 'jump', ms })),
      },
      {
        weight: 2,
        arbitrary: fc
          .tuple(view, fc.constantFrom(...links))
          .map(([on, link]) => ({ kind: 'join', view: on, link })),
      },
      { weight: 5, arbitrary: uses },
      { weight: 1, arbitrary: client.map((index) => ({ kind: 'leave', client: index })) },
    )
  const failure = fc.record({
    place: fc.constantFrom(...places),
    at: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.nat(3), fc.nat(30)),
    isRepeated: fc.boolean(),
    node: fc.constantFrom(...NODE_FAILURES),
  })
  const meanwhile = fc.array(request.filter(isRead), { maxLength: 2 })
  const toStep = ([action, isBusy, others, fails]: readonly [
    Action,
    boolean,
    unknown[],
    Failure | undefined,
  ]) => ({
    action,
    meanwhile: isBusy ? others : [],
    failure: fails,
  })
  return fc
    .record({ isConcurrent: fc.constantFrom(true, false, false), share: fc.constantFrom(2, 5, 12) })
    .chain(({ isConcurrent, share }) =>
      operations((operation) => {
        const fails = fc.oneof(
          { weight: 1, arbitrary: failure },
          { weight: share, arbitrary: fc.constant(undefined) },
        )
        const step = fc.tuple(actions(operation, isConcurrent), fc.boolean(), meanwhile, fails).map(toStep)
        return fc.array(step, { minLength: 1, maxLength: 60, size: 'max' })
      }),
    )
}
