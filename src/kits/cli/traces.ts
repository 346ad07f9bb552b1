/** `--traces` and `--log`: call trees of transactions, and a line per request with the call tree of a failed call. */

import { realNow } from '../../base/clock.ts'
import { toError } from '../../base/emitter.ts'
import { printable } from '../../base/printable.ts'
import { isObject } from '../../base/schema.ts'
import type { BlockParameter, Hash, ViewKind } from '../../base/types.ts'
import type { PresealChain } from '../../chain/handle.ts'
import type { Artifacts } from '../../inspect/explain/artifacts.ts'
import { loadArtifacts } from '../../inspect/explain/loadArtifacts.ts'
import { explanationToText } from '../../inspect/explain/text.ts'
import type { ExplainCall, ExplainOptions } from '../../inspect/explain/tree.ts'
import type { Observe } from '../server/requester.ts'

/** How many trees may wait to be printed. Further trees are left out. */
const MAX_WAITING = 1000

/** Prints the tree of a transaction or a call. If the tree cannot be made, prints a line with `name` and the reason. */
type PrintTree = (name: string, target: Hash | ExplainCall, options?: ExplainOptions) => void

/** Creates the function that prints a chain's trees, one after another. Owns: the queue of trees to print. */
export async function createTrees(
  chain: PresealChain,
  folder: string | undefined,
  print: (text: string) => void,
): Promise<PrintTree> {
  const artifacts: Artifacts = folder === undefined ? {} : await loadArtifacts(folder)
  let last: Promise<void> = Promise.resolve()
  let waiting = 0
  const printInTurn = async (...[name, target, options]: Parameters<PrintTree>): Promise<void> => {
    try {
      print(explanationToText(await chain.explain(target, { ...options, artifacts })).trimEnd())
    } catch (error) {
      print(`${name} cannot be traced: ${printable(toError(error).message)}`)
    } finally {
      waiting -= 1
    }
  }
  return (...args) => {
    if (waiting === MAX_WAITING) return print(`${args[0]} is not traced: ${MAX_WAITING} traces wait already`)
    waiting += 1
    last = last.then(() => printInTurn(...args))
  }
}

/** Prints the tree of each transaction when it is pre-confirmed or dropped. */
export function printTraces(chain: PresealChain, printTree: PrintTree): void {
  const trace = (hash: Hash): void => printTree(`transaction ${hash}`, hash)
  chain.on('preconf', ({ block, added }) => {
    for (const { hash } of block.transactions.slice(added)) trace(hash)
  })
  chain.on('dropped', ({ hash }) => trace(hash))
}

/** The methods whose first parameter is a call, with the index of the block parameter; undefined if they have none. */
const CALLS: Readonly<Record<string, number | undefined>> = {
  eth_call: 1,
  eth_estimateGas: 1,
  eth_createAccessList: 1,
  eth_sendTransaction: undefined,
  eth_sendTransactionSync: undefined,
}

interface Settled {
  readonly method: string
  readonly params: unknown
  readonly ms: number
  readonly result?: unknown
  readonly error?: { readonly code?: unknown; readonly message?: unknown }
}

/** Logs the requests of a view, with the hash of a send and the code of a failure. */
export function logRequests(
  view: ViewKind,
  defaultBlock: BlockParameter,
  printTree: PrintTree,
  print: (text: string) => void,
): Observe {
  const log = (settled: Settled): void => {
    print(requestLine(view, settled))
    const call = failedCall(settled, defaultBlock)
    if (call !== undefined) printTree(settled.method, call.call, { block: call.block })
  }
  return (requester) => ({
    async request(args) {
      const { method, params } = args
      const start = realNow()
      const msSince = (): number => Math.round(realNow() - start)
      try {
        const result = await requester.request(args)
        log({ method, params, ms: msSince(), result })
        return result
      } catch (error) {
        log({ method, params, ms: msSince(), error: Object(error) })
        throw error
      }
    },
  })
}

function requestLine(view: string, { method, ms, result, error }: Settled): string {
  const parts = [view.padEnd('standard'.length), printable(String(method).slice(0, 100)), `${ms} ms`]
  const hash = method.startsWith('eth_send') ? hashOf(result) : undefined
  if (hash !== undefined) parts.push(hash)
  if (error !== undefined) parts.push(`error ${error.code}: ${printable(String(error.message))}`)
  return parts.join('  ')
}

function hashOf(result: unknown): string | undefined {
  const hash = isObject(result) ? result['transactionHash'] : result
  return typeof hash === 'string' && hash.length === 66 ? hash : undefined
}

/** Returns the call of a request whose execution failed; undefined for all other requests, or with a state override. */
function failedCall(
  { method, params, error }: Settled,
  fallback: BlockParameter,
): { readonly call: ExplainCall; readonly block: BlockParameter } | undefined {
  if (!Object.hasOwn(CALLS, method) || !isFailure(error)) return undefined
  const [call, ...others] = Array.isArray(params) ? params : []
  const at = CALLS[method]
  if (!isObject(call) || others.slice(1).some(isObject)) return undefined
  const block = at === undefined ? 'pending' : (others[at - 1] ?? fallback)
  return { call: call as ExplainCall, block: block as BlockParameter }
}

/** Whether an execution failed: by a revert (3), or by an error (-32000) that is no refusal of a transaction. */
function isFailure(error: Settled['error']): boolean {
  if (error?.code === 3) return true
  const isExecution = /^(execution|out of gas|invalid opcode|stack|gas required)/
  return error?.code === -32000 && isExecution.test(String(error.message))
}
